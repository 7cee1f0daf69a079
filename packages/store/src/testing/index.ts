export { CrashingPostgres } from './crashing-postgres.ts';
export {
  describeDialects,
  describePostgres,
  describeStores,
  type OpenTestStore,
  type TestStores,
} from './describe-stores.ts';
export { type HeldTable, holdTable } from './hold-table.ts';
export { HostileRole, harmlessSettings, hostileSettings } from './hostile-role.ts';
export { openPostgres } from './open-postgres.ts';
export { createSqlite, openSqlite } from './open-sqlite.ts';
export { PgBouncer, pgBouncerVersion } from './pgbouncer.ts';
export { type OwnPostgresCluster, type PostgresCluster, startPostgresCluster } from './postgres-cluster.ts';
export { noPostgresPrograms } from './postgres-programs.ts';
export { RecoverablePostgres } from './recoverable-postgres.ts';
export { ReplicatedPostgres } from './replicated-postgres.ts';
