export { coalesce } from './access-version.ts';
export { AuthorizationError, type AuthorizationErrorCode } from './authorize/authorization-error.ts';
export type {
  AuthorizationEndpoint,
  AuthorizationRequest,
  AuthorizationServerMetadata,
} from './authorize/types.ts';
export { type BootstrapOptions, bootstrap } from './bootstrap.ts';
export { checkName, chosenId } from './chosen-id.ts';
export { type AuthLogger, type AuthOptions, createAuth } from './create-auth.ts';
export type { KeyFile, PreparedKey, ServiceAccountKeyRecord } from './grants/types.ts';
export type { ClientInfo, OriginHeaders, Session, SignIn, UserIdentity } from './login/types.ts';
export { OAuthError, type OAuthErrorBody, type OAuthErrorCode } from './oauth-error.ts';
export { permissionTable } from './permission-table.ts';
export { governingPermission, type PermissionEntry, permissions, readPermission } from './permissions.ts';
export { systemUid } from './resources.ts';
export { type BuiltInRole, builtInRoles, type RoleType } from './roles.ts';
export { sessionCookieName } from './sessions/cookie.ts';
export {
  type AppPrincipal,
  type AppRecord,
  type Auth,
  type AuthConfig,
  type BootstrapResult,
  type Decision,
  type NewResource,
  type OrganizationRecord,
  type Permission,
  type Principal,
  type ProjectRecord,
  type PublicKeySet,
  type ResourceType,
  resourceTypes,
  type ServiceAccountRecord,
  type TokenResponse,
} from './types.ts';
