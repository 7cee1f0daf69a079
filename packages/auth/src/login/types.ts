import type { Holder, Secret } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import type { AuthorizationEndpoint, AuthorizationServerMetadata } from '../authorize/types.ts';
import type { KeyFile, PreparedKey, ServiceAccountKeyRecord } from '../grants/types.ts';

/** The client that sends a login: failures are counted for it. */
export interface ClientInfo {
  /** Where the request came from, e.g. the client's IP address (of IPv6 the first 64 bits). */
  readonly source: string;
}

/** A person. */
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

/** A live session. */
export interface Session {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly identifier: string;
  readonly displayName: string | null;
  /** Milliseconds since the epoch; it may end before that, when it is not used. */
  readonly expiresAt: number;
}

/** Headers that a browser sets and a page cannot. */
export interface OriginHeaders {
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` */
  readonly secFetchSite: string | undefined;
}

/** A first password with what else the user chooses, and its proof. */
export interface FirstPassword {
  readonly acceptTnC: boolean;
  readonly additional: { readonly name: string; readonly password: Secret };
  readonly client: ClientInfo;
}

/** Proof that somebody is who may set a user's first password. */
export interface FirstPasswordProof {
  /** The user's address, before anything costly is done. @throws Problem when it proves nothing */
  look(): Promise<string>;
  /** Uses it up, in the transaction that sets the password: the serviceId of a PENDING user. @throws Problem */
  use(tx: Tx): Promise<string>;
}

/** Passwords, sessions, codes and keys: how a caller proves who it is. */
export interface SignIn {
  /**
   * Checks user name and password, and starts a session with a new secret, whatever the browser sent; the
   * session that it had ends.
   *
   * @throws Problem `login-failed` (one answer for all reasons), `too-many-requests` with `retryAfter`
   */
  login(input: {
    username: string;
    password: Secret;
    /** The value of the cookie. */
    previous?: Secret;
    client: ClientInfo;
  }): Promise<{ identity: UserIdentity; session: Secret; expiresAt: number }>;
  /** Ends a session and its unused codes, on every server at once. Unknown: nothing happens. */
  logout(session: Secret): Promise<void>;
  /** The session, while it lives and its identity may act; using it keeps it from idling. */
  sessionOf(session: Secret | undefined): Promise<Session | null>;
  /** The value of `Set-Cookie` for a session. */
  sessionCookie(session: Secret): string;
  /** The value of `Set-Cookie` that takes it away. */
  endedSessionCookie(): string;

  /**
   * The operation "authenticate a user": whose user name and password these are; no session starts.
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
   * A token (`ini_…`, shown once, 7 days unless configured) with which a PENDING user sets its first password;
   * the one before is void.
   *
   * @throws Problem `not-found`, `conflict` when the identity is no PENDING user
   */
  createInitToken(tx: Tx, serviceId: string): Promise<{ initToken: Secret; expiresAt: number }>;
  /**
   * Sets name and password of the token's user and enables it. The token is gone after that.
   *
   * @throws Problem `invalid-request`, `too-many-requests`
   */
  initUser(input: FirstPassword & { readonly initToken: Secret }): Promise<{ email: string }>;
  /**
   * The same with another proof.
   *
   * @throws Problem `invalid-request`, `too-many-requests`, and what the proof throws
   */
  setFirstPassword(proof: FirstPasswordProof, input: FirstPassword): Promise<{ email: string }>;

  /** A token for a form: bound to a session (or the secret of a cookie set for the login page) and a purpose. */
  csrfToken(binding: Secret, purpose: string): string;
  /** @throws Problem `not-permitted` */
  demandCsrfToken(binding: Secret, purpose: string, token: string | undefined): void;
  /**
   * Refuses what another site's page sent. Clients that are no browsers send neither header.
   *
   * @param alsoAllowed origins beside the service's own
   * @throws Problem `not-permitted`
   */
  demandOwnOrigin(headers: OriginHeaders, alsoAllowed?: readonly string[]): void;

  /** The authorization endpoint. */
  readonly authorization: AuthorizationEndpoint;
  /**
   * Sets an app's redirect URIs (at most 20).
   *
   * @throws Problem `invalid-request`, `not-found`
   */
  setRedirectUris(tx: Tx, appUid: string, uris: readonly string[]): Promise<void>;
  redirectUris(appUid: string): Promise<string[]>;
  /** The document at /.well-known/oauth-authorization-server (RFC 8414). */
  metadata(): AuthorizationServerMetadata;
  /** Seconds for which clients may keep the key set. */
  readonly keySetMaxAge: number;

  /**
   * Makes a key pair: takes longer than a password, so it is done before the transaction of `generateKey`, one at a time.
   *
   * @param caller whose turn it is
   * @throws Problem `too-many-requests`
   */
  prepareKey(caller: Holder): Promise<PreparedKey>;
  /**
   * Stores the public key; the key file is shown once.
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

  /** Deletes what has expired. Happens by itself, now and then, with logins and token requests. */
  sweep(): Promise<void>;
}
