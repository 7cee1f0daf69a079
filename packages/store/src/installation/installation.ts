import { randomUUID } from 'node:crypto';
import { StoreError } from '../errors.ts';
import { readJson } from '../read-json.ts';
import type { Queries, SqlValue, Tx } from '../types.ts';
import type { DatabaseIdentity } from './identity.ts';

/** The installation that a database belongs to. */
export interface Installation {
  readonly installationId: string;
  /** The database's identity when a server last started; null if the next startup must record it. */
  readonly identity: DatabaseIdentity | null;
  /** When a server is last known to have used the database, in milliseconds since the epoch. */
  readonly heartbeat: number;
  /** How a server detected that the database was restored to an earlier state; null if no server detected this. */
  readonly setBack: string | null;
}

interface Row extends Record<string, SqlValue> {
  installation_id: string;
  identity: string | null;
  heartbeat: number;
  set_back: string | null;
}

/** Returns the installation of a database; undefined if no server has started on the database yet. */
export async function readInstallation(read: Pick<Queries, 'all'>): Promise<Installation | undefined> {
  const [row] = await read.all<Row>(
    'SELECT installation_id, identity, heartbeat, set_back FROM installation WHERE id = 1',
  );
  if (row === undefined) return undefined;
  return {
    installationId: row.installation_id,
    identity: readJson<DatabaseIdentity>(row.identity),
    heartbeat: row.heartbeat,
    setBack: row.set_back,
  };
}

/**
 * Records the identity of the database, and creates the installation if there is none. Returns the
 * installation's id.
 */
export async function beginInstallation(
  tx: Tx,
  identity: DatabaseIdentity,
  now: number,
): Promise<{ installationId: string }> {
  const rows = await tx.all<{ installation_id: string }>(
    `INSERT INTO installation (id, installation_id, identity, heartbeat) VALUES (1, $1, $2, $3)
      ON CONFLICT (id) DO UPDATE SET identity = excluded.identity
      RETURNING installation_id`,
    [randomUUID(), JSON.stringify(identity), now],
  );
  const [row] = rows;
  if (row === undefined) throw new StoreError('statement', 'The installation was not recorded.');
  return { installationId: row.installation_id };
}

/** An operator's decision about a database that was copied, moved or restored to an earlier state. */
export interface Adoption {
  readonly identity: DatabaseIdentity;
  /** Whether the database belongs to a new installation from now on. */
  readonly isCopy: boolean;
  /** A heartbeat that is later than those in the data folders of all servers. */
  readonly heartbeat: number;
}

/**
 * Records an operator's decision that a database continues the installation, or belongs to a new one.
 * @throws StoreError if the database has no installation
 */
export async function adoptDatabase(tx: Tx, { identity, isCopy, heartbeat }: Adoption): Promise<void> {
  await beat(tx, heartbeat);
  await tx.run('UPDATE installation SET identity = $1, set_back = NULL WHERE id = 1', [
    JSON.stringify(identity),
  ]);
  if (isCopy) await tx.run('UPDATE installation SET installation_id = $1 WHERE id = 1', [randomUUID()]);
}

/**
 * Advances the heartbeat and returns the new value. @throws StoreError if the database has no installation
 */
export async function beat(tx: Tx, now: number): Promise<number> {
  const rows = await tx.all<{ heartbeat: number }>(
    `UPDATE installation SET heartbeat = CASE WHEN heartbeat >= $1 THEN heartbeat + 1 ELSE $1 END
      WHERE id = 1 RETURNING heartbeat`,
    [now],
  );
  const [row] = rows;
  if (row === undefined) {
    throw new StoreError('misuse', 'No server has ever used this database, so it has no installation.');
  }
  return row.heartbeat;
}

/**
 * Stores how a server detected that the database was restored to an earlier state. Other servers may not be able to
 * detect it.
 */
export async function markSetBack(tx: Tx, how: string): Promise<void> {
  await tx.run('UPDATE installation SET set_back = $1 WHERE id = 1', [how]);
}
