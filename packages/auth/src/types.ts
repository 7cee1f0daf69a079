import type { Argon2Cost, Secret } from '@ledger-ops/base';
import type { Queries, Tx } from '@ledger-ops/store';
import type { SignIn } from './login/types.ts';

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

/** `<resource type>:<verb>`, e.g. `wallet:transact`. permissions.ts lists them all. */
export type Permission = `${string}:${string}`;

/**
 * The permissions that an operation demands. `<type>` in a permission stands for the type of the record. A
 * test calls every operation without its declared permissions, and with only these.
 */
export type OperationPermission = {
  /** Additional permissions that are demanded only for some requests. */
  readonly also?: readonly Permission[];
  /** Grants roles or credentials: the caller must hold every permission that they carry. */
  readonly gives?: boolean;
} & (
  | {
      /** Permission that the operation requires. A caller without it changes and learns nothing. */
      readonly needs: Permission;
      /** On the project of the caller's application; demanded before the operation runs. */
      readonly on: 'project';
    }
  | {
      /** Without any of these permissions, the operation has no effect and reveals nothing. One of them is enough. */
      readonly needs: Permission | readonly Permission[];
      /**
       * - `record`: on the record that the request names, or on the parent of a new one; demanded when the
       * record is found.
       * - `self`: everyone may do it for their own identity; otherwise as for `record`.
       */
      readonly on: 'record' | 'self';
    }
);

/** An authenticated caller. Created once per request, from an ApplicationToken and an access token that agree. */
export interface Principal {
  appUid: string;
  appId: string;
  projectUid: string;
  projectId: string;
  organizationUid: string;
  serviceId: string;
  identityType: 'USER' | 'SERVICE' | 'SAML';
}

/** An application that presented its token, without a logged-in user. */
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
  /** Lifetime of access tokens in seconds; default 3600. */
  accessTokenLifetime?: number;
  /** Seconds after which the next token request creates a new signing key; default 90 days. */
  signingKeyLifetime?: number;
  /** Seconds after its last use at which a session ends; default 30 minutes. */
  sessionIdleTime?: number;
  /** Seconds after the login at which a session ends; default 12 hours. */
  sessionLifetime?: number;
  /** Seconds after its last use at which a refresh token expires; default 7 days. */
  refreshTokenIdleTime?: number;
  /** Seconds after the login at which an application can no longer refresh; default 30 days. */
  refreshTokenLifetime?: number;
  /** Seconds for which a new user can set their first password; default 7 days. */
  initTokenLifetime?: number;
  /** Minimum length of a password in characters; default 12. */
  minPasswordLength?: number;
  /**
   * Argon2id; default 19 MiB, 2 passes. Passwords hashed at a lower cost are hashed again when they are used.
   */
  passwordCost?: Argon2Cost;
}

/** RFC 6749 §4.4 and §5.1. */
export interface TokenResponse {
  access_token: string;
  expires_in: number;
  token_type: 'Bearer';
  /**
   * Only for the grants of users' applications. Valid for one use; the response contains the next refresh
   * token.
   */
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
  /** JSON pointer of `resourceId` in the request. */
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
   * POST /v1/auth/token with the decoded form fields. An ApplicationToken, if given, must be the client's;
   * only HTTP Basic Authorization headers are used.
   * @throws OAuthError (RFC 6749 §5.2)
   */
  issueToken(
    form: ReadonlyMap<string, string>,
    applicationToken?: Secret,
    authorization?: Secret,
  ): Promise<TokenResponse>;
  /**
   * POST /v1/auth/revoke (RFC 7009), with the same arguments. An unknown token is not an error.
   * @throws OAuthError
   */
  revokeToken(
    form: ReadonlyMap<string, string>,
    applicationToken?: Secret,
    authorization?: Secret,
  ): Promise<void>;
  keySet(): Promise<PublicKeySet>;
  /** Creates a new signing key; the old one stays published until its last token expires. */
  rotateSigningKey(): Promise<void>;

  /** @throws Problem `application-token-invalid` */
  authenticateApp(applicationToken: Secret | undefined): Promise<AppPrincipal>;
  /**
   * The console's access tokens are sent without an ApplicationToken.
   *
   * @param project uid of the project in which a request of the console works; default: the console's own
   * @throws Problem `application-token-invalid`, `access-token-invalid`, `application-mismatch`;
   * `not-permitted` for a project that the caller may not see, `invalid-request` if an application other than
   * the console names a project
   */
  authenticate(
    applicationToken: Secret | undefined,
    bearer: Secret | undefined,
    project?: string,
  ): Promise<Principal>;

  /** Whether the identity holds any role at all. */
  holdsRoles(serviceId: string): Promise<boolean>;
  /**
   * The only function that decides about permissions. On archived resources and those below them only read
   * permissions remain. Cached; a change to access takes effect with the next call on any server.
   */
  decide(
    principal: Pick<Principal, 'serviceId' | 'appUid'>,
    permissions: readonly Permission[],
    resourceUid: string,
  ): Promise<Decision>;
  /**
   * Like `decide`, but ignores archiving. Used for restoring, and for granting roles and
   * credentials that become valid again when a resource is restored.
   */
  holds(
    principal: Pick<Principal, 'serviceId' | 'appUid'>,
    permissions: readonly Permission[],
    resourceUid: string,
  ): Promise<Decision>;
  /**
   * @throws Problem `not-found` if the caller may not even read the resource (`<its type>:read`), otherwise
   * `not-permitted`, which names the missing permission
   */
  demand(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;
  /**
   * Like `demand`, for using a resource that the deployer shares with every project. Everyone may see such a
   * resource. To use it, the caller's roles must grant the permission on the resource or on an ancestor, or
   * on the project of the caller's application.
   */
  demandUse(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;

  /**
   * Creates a record's resource, in the transaction that creates the record. A resourceId is unique per type
   * and project (outside projects: per parent).
   * @throws Problem `invalid-request` (the parent is missing or unknown), `already-exists`
   */
  registerResource(tx: Tx, resource: NewResource): Promise<void>;
  /** Whether another resource already has the id, so this one could not be registered below its parent. */
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
   * Issues a token, which is shown once; only its SHA-256 is stored. The previous token is revoked. With
   * `keepsFormer`, it stays valid until `endFormerAppToken`. If an older token is also valid, that one is
   * kept and the previous one is revoked.
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
  /** Returns the oldest project with that id; ids are unique only within organizations. */
  projectByProjectId(projectId: string): Promise<ProjectRecord | null>;

  close(): Promise<void>;
}

/**
 * The records created by the first start on an empty database. Write the credentials to a file with mode
 * 0600.
 */
export interface BootstrapResult {
  systemUid: string;
  /** Null if the database was not empty. */
  administrator: { accountId: string; appId: string; applicationToken: Secret; apiToken: Secret } | null;
}
