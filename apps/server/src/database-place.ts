import { join } from 'node:path';
import type { Place } from '@ledger-ops/store';
import type { ServerConfig } from './settings/config.ts';
import { version } from './version.ts';

/** Name of the database file in a data folder. */
export const databaseFile = 'ledger-ops.sqlite';

/** Returns the location of the database. */
export function databasePlace({
  databaseUrl,
  databaseSchema,
  dataDir,
}: Pick<ServerConfig, 'databaseUrl' | 'databaseSchema' | 'dataDir'>): Place {
  return databaseUrl === undefined
    ? { file: join(dataDir, databaseFile), version }
    : { url: databaseUrl.reveal(), schema: databaseSchema, version };
}
