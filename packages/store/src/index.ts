export { coalesce } from './coalesce.ts';
export {
  type ConstraintKind,
  isSettingFault,
  isUniqueViolation,
  StoreError,
  type StoreErrorCode,
  type StoreErrorDetails,
} from './errors.ts';
export {
  type IdempotencyClaim,
  keyInUse,
  once,
  recordAnswer,
  requestKeyOf,
  type StoredResponse,
} from './idempotency.ts';
export { type DatabaseIdentity, differenceOf, renewedIdentity } from './installation/identity.ts';
export {
  type Adoption,
  adoptDatabase,
  beat,
  beginInstallation,
  type Installation,
  markSetBack,
  readInstallation,
} from './installation/installation.ts';
export { type IdentitySource, readIdentity } from './installation/read-identity.ts';
export { type ListedPage, type Listing, listPage } from './list-page.ts';
export { maxNotificationBytes } from './listeners.ts';
export type { StoreLogger } from './logger.ts';
export type { StoreMeter } from './meter.ts';
export type { SchemaState } from './migrations.ts';
export { type MovedDatabase, type MoveOptions, moveToPostgres } from './move.ts';
export { nextId } from './next-id.ts';
export { openAlone } from './open-alone.ts';
export { openSnapshot } from './open-snapshot.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export { containsText, forUpdate } from './portable.ts';
export { readJson } from './read-json.ts';
export type { Tables } from './schema/index.ts';
export { demandServerRights, migrate, type Place, readSchema } from './schema-of.ts';
export { type CopiedDatabase, copySqlite, restoreSqlite } from './sqlite/backup.ts';
export { type FileLock, lockFile } from './sqlite/lock.ts';
export { together } from './together.ts';
export type { Queries, Replication, SqlValue, Store, Tx } from './types.ts';
export { createUuidv7, type Uuidv7, uuidv7 } from './uuidv7.ts';
