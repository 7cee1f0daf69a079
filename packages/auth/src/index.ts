export { isArchived } from './access/archived.ts';
export { permissionTable } from './access/permission-table.ts';
export {
  governingPermission,
  type PermissionEntry,
  permissions,
  readPermission,
} from './access/permissions.ts';
export { type BuiltInRole, builtInRoles, type RoleType } from './access/roles.ts';
export { systemUid } from './access/system-uid.ts';
export type { AppIdentityPropertyView, AppProperties } from './admin/app-properties.ts';
export type { AppInput, Apps, AppView } from './admin/apps.ts';
export type { Archive, ArchivedType } from './admin/archive.ts';
export { type Admin, type AdminConfig, type AdminOptions, createAdmin } from './admin/create-admin.ts';
export type { Evaluations, EvaluationView, PermissionListing } from './admin/evaluations.ts';
export {
  type Identities,
  type IdentityConfig,
  type IdentityStatus,
  type IdentityView,
  identityPermissions,
  identityStatuses,
  identityTypes,
  type NewIdentity,
} from './admin/identities.ts';
export { type ImageInput, type Images, maxImageBytes, type ServedImage } from './admin/images/images.ts';
export type { InvitationResponse, Invitations, NewInvitation } from './admin/invitations/invitations.ts';
export type { InvitationView } from './admin/invitations/records.ts';
export {
  type InvitationMove,
  type InvitationState,
  invitationStates,
} from './admin/invitations/states.ts';
export type { AdminLogger } from './admin/logger.ts';
export {
  folderTransport,
  type MailMessage,
  type MailTransport,
  type SmtpOptions,
  smtpTransport,
} from './admin/mail/mail.ts';
export type { Organizations, OrganizationView } from './admin/organizations.ts';
export type { Projects, ProjectView } from './admin/projects.ts';
export type {
  AppName,
  AppRoleGrantView,
  IdentityName,
  ResourceView,
  RoleGrantView,
  RoleView,
} from './admin/records.ts';
export type { LookupTermView, NewResourceRequest, ResourceQuery, Resources } from './admin/resources.ts';
export type {
  BelowGrants,
  InheritedGrants,
  RemainingGrants,
  RevokedAppRoles,
  RevokedRoles,
  RoleGrants,
} from './admin/role-grants.ts';
export type {
  ApiTokenView,
  GeneratedKeyView,
  NewApiTokenView,
  ServiceAccountKeyView,
  ServiceAccountView,
  Usability,
} from './admin/service-accounts/records.ts';
export type { CredentialProof, ServiceAccounts } from './admin/service-accounts/service-accounts.ts';
export type { Storage, StorageState, StorageUsage } from './admin/storage.ts';
export { type Evaluation, type Visibility, visibilityOf } from './admin/visibility.ts';
export { projectHeader } from './authenticate.ts';
export { AuthorizationError, type AuthorizationErrorCode } from './authorize/authorization-error.ts';
export type {
  AuthorizationEndpoint,
  AuthorizationRequest,
  AuthorizationServerMetadata,
} from './authorize/types.ts';
export { type BootstrapOptions, bootstrap } from './bootstrap.ts';
export { checkName, chosenId } from './chosen-id.ts';
export { consoleAppUid, ensureConsole } from './console.ts';
export { type AuthLogger, type AuthOptions, createAuth } from './create-auth.ts';
export type { KeyFile, PreparedKey, ServiceAccountKeyRecord } from './grants/types.ts';
export { isAddress } from './identifier.ts';
export type {
  ClientInfo,
  FirstPassword,
  FirstPasswordProof,
  OriginHeaders,
  Session,
  SignIn,
  UserIdentity,
} from './login/types.ts';
export { sessionCookieName } from './sessions/cookie.ts';
export { addDocument, demandContractStorage, recountDocuments } from './storage/documents.ts';
export {
  isStorageLimit,
  type StorageLimitName,
  storageLimitEntries,
  storageLimits,
} from './storage/limits.ts';
export { addResponse, removeResponses } from './storage/responses.ts';
export {
  addUsage,
  changeUsage,
  demandRecord,
  demandRoom,
  forgetUsage,
  limitExceeded,
  readUsage,
  recordUsage,
  type StorageScope,
} from './storage/usage.ts';
export {
  type Activity,
  type ActivityDetails,
  type ActivityType,
  type Actor,
  activityTypes,
  bundleActivities,
  recordActivities,
  recordActivity,
  serviceItself,
  unpackActivities,
} from './timeline/record-activity.ts';
export { removeActivities } from './timeline/remove-activities.ts';
export { scopeIdOf, scopeIds, systemId } from './timeline/scope-ids.ts';
export { type RecordValues, type Update, type ValueChange, valueChanges } from './timeline/value-changes.ts';
export { OAuthError, type OAuthErrorBody, type OAuthErrorCode } from './tokens/oauth-error.ts';
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
