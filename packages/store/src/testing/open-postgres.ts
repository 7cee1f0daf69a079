import { inject } from 'vitest';
import { type PostgresCluster, startPostgresCluster, useCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers the admin URL of the PostgreSQL of this test run, and starts it for the first who asks. */
    postgres?: string;
  }
}

/**
 * PostgreSQL for a test file, where no test stops or pauses it: databases in the cluster of the test run, or in one
 * of its own where the run has none, as when one package is tested alone.
 */
export async function openPostgres(): Promise<PostgresCluster> {
  const address = inject('postgres');
  if (address === undefined) return await startPostgresCluster();
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return await useCluster(text);
}
