export { describeStores, type OpenTestStore, type TestStores } from './describe-stores.ts';
export { type PostgresCluster, startPostgresCluster } from './postgres-cluster.ts';
