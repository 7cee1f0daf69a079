import { inject } from 'vitest';
import { type PostgresCluster, startPostgresCluster, useCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the admin URL of the test run's PostgreSQL, which the first caller starts. */
    postgres?: string;
  }
}

/**
 * PostgreSQL for a test file whose tests do not stop or pause it. Databases are created in the cluster of the test run
 * or, if the run has none (only one package is tested), in a new cluster.
 */
export async function openPostgres(): Promise<PostgresCluster> {
  const address = inject('postgres');
  if (address === undefined) return await startPostgresCluster();
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return await useCluster(text);
}
