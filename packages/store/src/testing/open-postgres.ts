import { inject } from 'vitest';
import { type PostgresCluster, startPostgresCluster, useCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Admin URL of the PostgreSQL of the test run. The first caller starts it. */
    postgres?: string;
  }
}

/**
 * Opens a PostgreSQL cluster for a test file whose tests do not stop or pause it: that of the test run or, if the run
 * has none because only one package is tested, a new one.
 */
export async function openPostgres(): Promise<PostgresCluster> {
  const address = inject('postgres');
  if (address === undefined) return await startPostgresCluster();
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return await useCluster(text);
}
