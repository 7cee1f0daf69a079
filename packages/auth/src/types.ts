import type { Argon2Cost, Secret } from '@ledger-ops/base';
import type { Queries, Tx } from '@ledger-ops/store';
import type { SignIn } from './login/types.ts';

/** Who is calling, and may they. */

export const resourceTypes = [
  'system',
  'organization',
  'project',
  'app',
  'wallet',
  'cloud-wallet',
  'node',
  'ledger',
  'explorer',
  'identity-group',
  'service-account',
  'smart-contract-template',
  'smart-contract-instance',
  'ledger-token',
  'plugin',
  'billing-account',
  'contract-group',
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** `<resource type>:<verb>`, e.g. `wallet:transact`. The list of all is in permissions.ts. */
export type Permission = `${string}:${string}`;

/**
 * The permissions that an operation demands of its caller. A permission of the form `<type>:<verb>` is that of whatever type the record
 * is. A test calls every operation without what it declares, and with nothing else.
 */
export type OperationPermission = {
  /** Demanded beside it for what some requests name. */
  readonly also?: readonly Permission[];
  /** Gives away roles or credentials: the caller must hold every permission that goes along with them. */
  readonly gives?: boolean;
} & (
  | {
      /** Nothing happens, and nothing is shown, without it. */
      readonly needs: Permission;
      /** On the project of the caller's application, demanded before the operation runs. */
      readonly on: 'project';
    }
  | {
      /** Nothing happens, and nothing is shown, without it. Of several one is enough. */
      readonly needs: Permission | readonly Permission[];
      /**
       * - `record`: on the record that the request names, or on the one below which something is created; demanded by
       *   whoever finds the record.
       * - `self`: everybody may do it with themselves; with others as for `record`.
       */
      readonly on: 'record' | 'self';
    }
);

/** An authenticated caller. Made once per request, from an ApplicationToken and an access token that agree. */
export interface Principal {
  appUid: string;
  appId: string;
  projectUid: string;
  projectId: string;
  organizationUid: string;
  serviceId: string;
  identityType: 'USER' | 'SERVICE' | 'SAML';
}

/** An application that showed its token; nobody is logged in. */
export interface AppPrincipal {
  appUid: string;
  appId: string;
  projectUid: string;
  projectId: string;
}

export interface Decision {
  result: boolean;
  missingAppPermissions: Permission[];
  missingResourcePermissions: Permission[];
}

export interface AuthConfig {
  /** Issuer and audience of tokens: the configured base URL of the service. */
  baseUrl: string;
  /** Seconds; default 3600. */
  accessTokenLifetime?: number;
  /** Seconds after which the next token request makes a new signing key; default 90 days. */
  signingKeyLifetime?: number;
  /** Seconds after its last use at which a session ends; default 30 minutes. */
  sessionIdleTime?: number;
  /** Seconds after login at which a session ends; default 12 hours. */
  sessionLifetime?: number;
  /** Seconds after its last use at which a refresh token ends; default 7 days. */
  refreshTokenIdleTime?: number;
  /** Seconds after the login at which an application can refresh no more; default 30 days. */
  refreshTokenLifetime?: number;
  /** Seconds for which a new user can set its first password; default 7 days. */
  initTokenLifetime?: number;
  /** Characters of a password, at least; default 12. */
  minPasswordLength?: number;
  /** Argon2id; default 19 MiB, 2 passes. Passwords that cost less are hashed anew when they are used. */
  passwordCost?: Argon2Cost;
}

/** RFC 6749 §4.4 and §5.1. */
export interface TokenResponse {
  access_token: string;
  expires_in: number;
  token_type: 'Bearer';
  /** With the grants of users' applications. Good for one use; the answer to it brings the next one. */
  refresh_token?: string;
}

export interface PublicKeySet {
  keys: { kty: 'RSA'; use: 'sig'; alg: 'RS256'; kid: string; n: string; e: string }[];
}

export interface NewResource {
  uid: string;
  resourceId: string;
  type: ResourceType;
  /** Uid of the parent; null only for the system resource. */
  parentUid: string | null;
  /** Identity that gets the owner role on it. */
  owner?: string;
  /** Where `resourceId` stands in the request. */
  pointer?: string;
}

export interface OrganizationRecord {
  uid: string;
  id: number;
  organizationId: string;
  name: string;
}
export interface ProjectRecord {
  uid: string;
  id: number;
  projectId: string;
  organizationUid: string;
  name: string;
}
export interface AppRecord {
  uid: string;
  id: number;
  appId: string;
  projectUid: string;
  name: string;
  status: 'ENABLED' | 'DISABLED';
}
export interface ServiceAccountRecord {
  id: number;
  accountId: string;
  serviceId: string;
  projectUid: string;
  name: string;
  email: string;
}

export interface Auth extends SignIn {
  /**
   * POST /v1/auth/token: the decoded form fields. An ApplicationToken, when given, must be the client's; the
   * Authorization header counts where it is HTTP Basic.
   * @throws OAuthError (RFC 6749 §5.2)
   */
  issueToken(
    form: ReadonlyMap<string, string>,
    applicationToken?: Secret,
    authorization?: Secret,
  ): Promise<TokenResponse>;
  /**
   * POST /v1/auth/revoke (RFC 7009), with the same arguments. What is unknown is revoked already.
   * @throws OAuthError
   */
  revokeToken(
    form: ReadonlyMap<string, string>,
    applicationToken?: Secret,
    authorization?: Secret,
  ): Promise<void>;
  keySet(): Promise<PublicKeySet>;
  /** A new signing key; the old one stays published until its last token is dead. */
  rotateSigningKey(): Promise<void>;

  /** @throws Problem `application-token-invalid` */
  authenticateApp(applicationToken: Secret | undefined): Promise<AppPrincipal>;
  /**
   * The console's access tokens come without an ApplicationToken.
   *
   * @param project uid of the project that a request by the console works in; default: the console's own
   * @throws Problem `application-token-invalid`, `access-token-invalid`, `application-mismatch`; `not-permitted` for a
   * project that the caller may not see, `invalid-request` for one that another application names
   */
  authenticate(
    applicationToken: Secret | undefined,
    bearer: Secret | undefined,
    project?: string,
  ): Promise<Principal>;

  /** Whether the identity holds any role at all. */
  holdsRoles(serviceId: string): Promise<boolean>;
  /**
   * The one function that decides. Of what is archived, or stands in what is, permissions to read alone are left. Cached; a
   * change to access is seen at the next call, on every server.
   */
  decide(
    principal: Pick<Principal, 'serviceId' | 'appUid'>,
    permissions: readonly Permission[],
    resourceUid: string,
  ): Promise<Decision>;
  /**
   * As `decide`, and as if nothing were archived: to restore it, and to give away what counts again when it is restored.
   */
  holds(
    principal: Pick<Principal, 'serviceId' | 'appUid'>,
    permissions: readonly Permission[],
    resourceUid: string,
  ): Promise<Decision>;
  /**
   * @throws Problem `not-found` when the caller may not even read the resource (`<its type>:read`),
   * else `not-permitted` naming what is missing.
   */
  demand(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;
  /**
   * As `demand`, for what is done by way of a resource that the deployer shares with every project. That everybody
   * sees such a resource counts for nothing here: the caller's roles must grant the permission on it or above it, or
   * on the project of the caller's application, which it serves.
   */
  demandUse(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;

  /**
   * Creates a record's resource, in the transaction that creates the record. A resourceId is unique per type and project
   * (outside of projects: per resource above it).
   * @throws Problem `invalid-request` (no parent, or an unknown one), `already-exists`
   */
  registerResource(tx: Tx, resource: NewResource): Promise<void>;
  /** Whether a resource of the type could not be registered below that parent, since another one has the id. */
  isTaken(
    queries: Queries,
    resource: Pick<NewResource, 'type' | 'parentUid' | 'resourceId'>,
  ): Promise<boolean>;
  removeResource(tx: Tx, uid: string): Promise<void>;

  /** @throws Problem `already-exists`, `invalid-request` */
  createOrganization(
    tx: Tx,
    input: { organizationId?: string; name: string; owner?: string },
  ): Promise<OrganizationRecord>;
  createProject(
    tx: Tx,
    input: { projectId?: string; organizationUid: string; name: string; owner?: string },
  ): Promise<ProjectRecord>;
  createApp(
    tx: Tx,
    input: { appId?: string; projectUid: string; name: string; owner?: string },
  ): Promise<AppRecord>;
  /**
   * The token is shown once; only its SHA-256 is stored. The one before is void, or counts until it is ended; where one
   * before counts still, that one is kept.
   */
  issueAppToken(tx: Tx, appUid: string, options?: { keepsFormer?: boolean }): Promise<Secret>;
  endFormerAppToken(tx: Tx, appUid: string): Promise<void>;
  createServiceAccount(
    tx: Tx,
    input: { accountId?: string; projectUid: string; name: string; email?: string; createdBy: string },
  ): Promise<ServiceAccountRecord>;
  /** `sak_…`, shown once. */
  createApiToken(tx: Tx, serviceId: string): Promise<{ handle: string; apiToken: Secret }>;
  assignRole(
    tx: Tx,
    input: { holder: { identity: string } | { app: string }; role: string; resourceUid: string },
  ): Promise<void>;
  revokeRole(
    tx: Tx,
    input: { holder: { identity: string } | { app: string }; role: string; resourceUid: string },
  ): Promise<void>;
  setIdentityStatus(tx: Tx, serviceId: string, status: 'ENABLED' | 'DISABLED'): Promise<void>;
  setAppStatus(tx: Tx, appUid: string, status: 'ENABLED' | 'DISABLED'): Promise<void>;
  setApiTokenStatus(tx: Tx, handle: string, status: 'ENABLED' | 'DISABLED'): Promise<void>;
  /** The oldest project of that id; ids are unique within organizations. */
  projectByProjectId(projectId: string): Promise<ProjectRecord | null>;

  close(): Promise<void>;
}

/** The records that the first start on an empty database made; the credentials are to be written to a file of mode 0600. */
export interface BootstrapResult {
  systemUid: string;
  /** Null when the database was not empty. */
  administrator: { accountId: string; appId: string; applicationToken: Secret; apiToken: Secret } | null;
}
