export { coalesce } from './access-version.ts';
export type { AppProperties } from './admin/app-properties.ts';
export type { AppInput, Apps, AppView } from './admin/apps.ts';
export { type Admin, type AdminConfig, type AdminOptions, createAdmin } from './admin/create-admin.ts';
export type { Evaluations, EvaluationView, PermissionListing } from './admin/evaluations.ts';
export type { Identities, IdentityConfig, IdentityStatus, NewIdentity } from './admin/identities.ts';
export { type ImageInput, type Images, maxImageBytes, type ServedImage } from './admin/images.ts';
export type { InvitationView } from './admin/invitation-records.ts';
export type { InvitationMove, InvitationState } from './admin/invitation-states.ts';
export type { InvitationResponse, Invitations, NewInvitation } from './admin/invitations.ts';
export type { AdminLogger } from './admin/logger.ts';
export {
  folderTransport,
  type MailMessage,
  type MailTransport,
  type SmtpOptions,
  smtpTransport,
} from './admin/mail.ts';
export type { AdminOperation, AdminService, RawAdminRequest } from './admin/operation.ts';
export { adminOperations } from './admin/operations.ts';
export type { Organizations, OrganizationView } from './admin/organizations.ts';
export type { Projects, ProjectView } from './admin/projects.ts';
export type {
  AppIdentityRoleView,
  IdentityView,
  ResourceIdentityRoleView,
  ResourceView,
  RoleView,
} from './admin/records.ts';
export type { NewResourceRequest, ResourceQuery, Resources } from './admin/resources.ts';
export type { RoleGrants } from './admin/role-grants.ts';
export type {
  ApiTokenView,
  CredentialProof,
  GeneratedKeyView,
  NewApiTokenView,
  ServiceAccountKeyView,
  ServiceAccounts,
  ServiceAccountView,
} from './admin/service-accounts.ts';
export { type Evaluation, type Visibility, visibilityOf } from './admin/visibility.ts';
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
export type {
  ClientInfo,
  FirstPassword,
  FirstPasswordProof,
  OriginHeaders,
  Session,
  SignIn,
  UserIdentity,
} from './login/types.ts';
export { OAuthError, type OAuthErrorBody, type OAuthErrorCode } from './oauth-error.ts';
export { permissionTable } from './permission-table.ts';
export { governingPermission, type PermissionEntry, permissions, readPermission } from './permissions.ts';
export { systemUid } from './resources.ts';
export { type BuiltInRole, builtInRoles, type RoleType } from './roles.ts';
export { sessionCookieName } from './sessions/cookie.ts';
export {
  type Activity,
  type ActivityType,
  type Actor,
  activityTypes,
  bundleActivities,
  recordActivities,
  recordActivity,
  serviceItself,
  unpackActivities,
} from './timeline/record-activity.ts';
export { scopeIdOf, scopeIds, systemId } from './timeline/scope-ids.ts';
export {
  type AppPrincipal,
  type AppRecord,
  type Auth,
  type AuthConfig,
  type BootstrapResult,
  type Decision,
  type NewResource,
  type OperationPermission,
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
