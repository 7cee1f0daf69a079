import type { StoreLogger } from '../logger.ts';
import type { Connections } from './connections.ts';

const losing = `select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`;

/** Logs a warning if a crash of the PostgreSQL host could lose committed transactions. */
export async function warnOfLosses(
  connections: Pick<Connections, 'query'>,
  logger: StoreLogger,
): Promise<void> {
  const { rows } = await connections.query({ text: losing, values: [] });
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(' and ');
  logger.warn(
    {},
    `PostgreSQL runs with ${names} off: a crash of the PostgreSQL host can lose accepted operations, which are then executed again`,
  );
}
