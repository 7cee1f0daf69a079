export type {
  AppPrincipal,
  AppRecord,
  Auth,
  AuthConfig,
  BootstrapResult,
  Decision,
  NewResource,
  OrganizationRecord,
  Permission,
  Principal,
  ProjectRecord,
  PublicKeySet,
  ResourceType,
  ServiceAccountRecord,
  TokenResponse,
} from './types.ts';
export { resourceTypes } from './types.ts';
