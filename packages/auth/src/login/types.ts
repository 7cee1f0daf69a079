import type { Holder, Secret } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import type { AuthorizationEndpoint, AuthorizationServerMetadata } from '../authorize/types.ts';
import type { KeyFile, PreparedKey, ServiceAccountKeyRecord } from '../grants/types.ts';

/** The client that sends a login; failures are counted by its source. */
export interface ClientInfo {
  /** Origin of the request, e.g. the client's IP address (for IPv6 the first 64 bits). */
  readonly source: string;
}

export interface UserIdentity {
  id: number;
  serviceId: string;
  /** The e-mail address. */
  identifier: string;
  displayName: string | null;
  type: 'USER';
  status: 'ENABLED' | 'LOCKED';
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

export interface Session {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly identifier: string;
  readonly displayName: string | null;
  /** Milliseconds since the epoch; the session ends earlier if it is idle. */
  readonly expiresAt: number;
}

/** Headers that a browser sets and a page cannot forge. */
export interface OriginHeaders {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

/** A user's first password, their name, and whether they accept the terms and conditions. */
export interface FirstPassword {
  readonly acceptTnC: boolean;
  readonly additional: { readonly name: string; readonly password: Secret };
  readonly client: ClientInfo;
}

/** Proof that the caller may set a user's first password. */
export interface FirstPasswordProof {
  /** Returns the user's address; called before any expensive work. @throws Problem if the proof is invalid */
  look(): Promise<string>;
  /**
   * Uses up the proof in the transaction that sets the password, and returns the serviceId of a PENDING user.
   * @throws Problem
   */
  use(tx: Tx): Promise<string>;
}

/** All ways to authenticate: passwords, sessions, codes and keys. */
export interface SignIn {
  /**
   * Checks user name and password, and starts a session with a new secret. The browser's previous session
   * ends.
   *
   * @throws Problem `login-failed` (the same for all reasons), `too-many-requests` with `retryAfter`
   */
  login(input: {
    username: string;
    password: Secret;
    /** Secret of the browser's current session, from the session cookie. The login ends that session. */
    previous?: Secret;
    client: ClientInfo;
  }): Promise<{ identity: UserIdentity; session: Secret; expiresAt: number }>;
  /**
   * Ends a session and its unused codes, immediately and on all servers. Does nothing for an unknown session.
   */
  logout(session: Secret): Promise<void>;
  /**
   * Returns the session, if it has not ended and its identity may act. This counts as a use, so the session
   * does not become idle.
   */
  sessionOf(session: Secret | undefined): Promise<Session | null>;
  /** Returns the value of `Set-Cookie` for a session. */
  sessionCookie(session: Secret): string;
  /** Returns the value of `Set-Cookie` that deletes the session cookie. */
  endedSessionCookie(): string;

  /**
   * The operation "authenticate a user": checks user name and password without starting a session.
   *
   * @throws Problem `invalid-request` (another kind of credentials), `login-failed`, `too-many-requests`
   */
  authenticateUser(input: {
    credentials: string;
    username: string | { value: string };
    password: Secret | { value: Secret };
    client: ClientInfo;
  }): Promise<UserIdentity>;

  /**
   * Issues a token (`ini_…`, shown once, valid for 7 days by default) with which a PENDING user sets their
   * first password. It invalidates the user's previous token.
   *
   * @throws Problem `not-found`, `conflict` if the identity is not a PENDING user
   */
  createInitToken(tx: Tx, serviceId: string): Promise<{ initToken: Secret; expiresAt: number }>;
  /**
   * Sets name and password of the token's user and enables the user. Uses up the token.
   *
   * @throws Problem `invalid-request`, `too-many-requests`
   */
  initUser(input: FirstPassword & { readonly initToken: Secret }): Promise<{ email: string }>;
  /**
   * Like `initUser`, with another proof.
   *
   * @throws Problem `invalid-request`, `too-many-requests`, and the proof's errors
   */
  setFirstPassword(proof: FirstPasswordProof, input: FirstPassword): Promise<{ email: string }>;

  /** Issues a form token, bound to a session (or to the secret of the login page's cookie) and a purpose. */
  csrfToken(binding: Secret, purpose: string): string;
  /** @throws Problem `not-permitted` */
  demandCsrfToken(binding: Secret, purpose: string, token: string | undefined): void;
  /**
   * Rejects requests from pages of other sites. Clients other than browsers send neither header.
   *
   * @param alsoAllowed origins allowed in addition to the service's own
   * @throws Problem `not-permitted`
   */
  demandOwnOrigin(headers: OriginHeaders, alsoAllowed?: readonly string[]): void;

  readonly authorization: AuthorizationEndpoint;
  /**
   * Sets an app's redirect URIs (at most 20).
   *
   * @throws Problem `invalid-request`, `not-found`
   */
  setRedirectUris(tx: Tx, appUid: string, uris: readonly string[]): Promise<void>;
  redirectUris(appUid: string): Promise<string[]>;
  /** Returns the document at /.well-known/oauth-authorization-server (RFC 8414). */
  metadata(): AuthorizationServerMetadata;
  /** Seconds for which clients may cache the key set. */
  readonly keySetMaxAge: number;

  /**
   * Generates a key pair. This is slower than hashing a password, so it runs before the transaction of
   * `generateKey`, one at a time.
   *
   * @param caller whose share of the queue is used
   * @throws Problem `too-many-requests`
   */
  prepareKey(caller: Holder): Promise<PreparedKey>;
  /**
   * Stores the public key; the key file is returned only once.
   *
   * @throws Problem `not-found`
   */
  generateKey(
    tx: Tx,
    input: { serviceId: string; generatedBy: string; prepared: PreparedKey },
  ): Promise<KeyFile>;
  /** Oldest first. */
  listKeys(serviceId: string, status?: 'ENABLED' | 'DISABLED'): Promise<ServiceAccountKeyRecord[]>;
  /** @throws Problem `not-found` */
  setKeyStatus(
    tx: Tx,
    serviceId: string,
    keyId: number,
    status: 'ENABLED' | 'DISABLED',
  ): Promise<ServiceAccountKeyRecord>;

  /** Deletes expired rows. Also runs occasionally during logins and token requests. */
  sweep(): Promise<void>;
}
