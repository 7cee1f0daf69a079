import { join } from 'node:path';
import {
  type DatabaseIdentity,
  differenceOf,
  type IdentitySource,
  type Installation,
  readIdentity,
  readInstallation,
  type Store,
} from '@ledger-ops/store';
import { databaseFile } from '../database-place.ts';
import type { ServerConfig } from '../settings/config.ts';
import type { SeenHeartbeat } from './heartbeat-file.ts';

/**
 * The installation recorded in a database, and any sign that the database is a copy or lacks executed
 * operations.
 */
export interface Examined {
  /** Undefined before the first start. */
  readonly installation: Installation | undefined;
  readonly identity: DatabaseIdentity;
  /** Why the database may lack executed operations, or may be a copy; undefined if nothing indicates this. */
  readonly doubt: Doubt | undefined;
}

/** A sign that the database may lack executed operations (`set-back`), or may be a copy (`elsewhere`). */
export interface Doubt {
  readonly kind: 'elsewhere' | 'set-back';
  /** Sentences for deployers. */
  readonly detail: string;
}

/** Advice for deployers if the database may be a copy, or may lack executed operations. */
export const adoptAdvice =
  'Stop all servers of this database, then run ledger-ops adopt: with --moved if the original is no longer used and nothing was executed after this copy was made, with --copy if the original is still used, or with --restored if the database was restored to an earlier state and operations may have been executed since.';

/**
 * Compares a database with the installation's records about it, and with the heartbeat in the data folder.
 * @param seen must be read before the database, because running servers advance both heartbeats
 * @throws StoreError
 */
export async function examineInstallation(
  { read }: Pick<Store, 'read'>,
  config: IdentityConfig,
  seen: SeenHeartbeat | undefined,
): Promise<Examined> {
  const identity = await readIdentity(read, identitySource(config));
  const installation = await readInstallation(read);
  return { installation, identity, doubt: doubtOf(installation, identity, seen) };
}

export type IdentityConfig = Pick<ServerConfig, 'databaseUrl' | 'dataDir' | 'baseUrl'>;

export function identitySource({ databaseUrl, dataDir, baseUrl }: IdentityConfig): IdentitySource {
  return { file: databaseUrl === undefined ? join(dataDir, databaseFile) : undefined, address: baseUrl };
}

function doubtOf(
  installation: Installation | undefined,
  now: DatabaseIdentity,
  seen: SeenHeartbeat | undefined,
): Doubt | undefined {
  if (installation === undefined) return undefined;
  const { identity, setBack, installationId, heartbeat } = installation;
  const difference = identity === null ? undefined : differenceOf(identity, now);
  if (difference !== undefined)
    return {
      kind: 'elsewhere',
      detail: `This is not the database that the installation used: ${difference}.`,
    };
  if (setBack !== null) return { kind: 'set-back', detail: setBack };
  if (seen === undefined || seen.installationId !== installationId || seen.heartbeat <= heartbeat)
    return undefined;
  const time = (at: number) => new Date(at).toISOString();
  return {
    kind: 'set-back',
    detail: `The database was restored to an earlier state: a server used it until ${time(seen.heartbeat)} according to its data folder, but the newest entry in the database is of ${time(heartbeat)}.`,
  };
}
