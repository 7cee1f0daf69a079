import { StoreError } from '../errors.ts';
import type { Target } from './connection.ts';
import { type DatabaseUrl, type Host, readDatabaseUrl } from './database-url.ts';
import { isRefusedRole } from './errors.ts';

/**
 * Reads the database URL again after PostgreSQL refused a role or its password, because the password may have been
 * changed. All further connections use the new credentials. Other changes of the URL require a restart.
 *
 * @returns whether the credentials differ from the refused ones
 */
export async function renewCredentials(target: Target, refused: Host, error: unknown): Promise<boolean> {
  const { hosts, readUrl, logger } = target;
  if (readUrl === undefined || !isRefusedRole(error)) return false;
  try {
    const next = readDatabaseUrl((await readUrl()).trim());
    if (hasOtherCredentials(next.hosts, hosts.all)) {
      demandSamePlace(next, target);
      hosts.replace(next.hosts);
      logger.warn(
        { database: target.where },
        'the database URL was read again, and has another role or password',
      );
    }
  } catch (failure) {
    const reason = failure instanceof StoreError ? failure.message : 'The file cannot be read.';
    logger.warn({ error: reason }, 'the changed database URL cannot be used');
    return false;
  }
  return hasOtherCredentials(hosts.all, [refused]);
}

function hasOtherCredentials([one]: readonly Host[], [other]: readonly Host[]): boolean {
  return one?.config.user !== other?.config.user || one?.config.password !== other?.config.password;
}

/** @throws StoreError if the URL names other hosts or another database */
function demandSamePlace({ hosts, where }: DatabaseUrl, { hosts: used }: Target): void {
  const isSame =
    hosts.length === used.all.length &&
    hosts.every(({ name, config }, index) => {
      const known = used.all[index];
      return name === known?.name && config.database === known.config.database;
    });
  if (isSame) return;
  throw new StoreError(
    'misuse',
    `The URL names ${where}, which is not the database in use. Restart the server to use that database.`,
  );
}
