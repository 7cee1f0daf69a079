import { mkdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '@ledger-ops/base/backoff';
import { isSettingFault, openStore, type Store, StoreError, type StoreMeter } from '@ledger-ops/store';
import { volatileDatabase } from './data-folder.ts';
import { databasePlace } from './database-place.ts';
import type { ServerLog } from './logging/logger.ts';
import type { ServerConfig } from './settings/config.ts';
import { ConfigError, StartError } from './settings/config-error.ts';

/** Milliseconds to wait for PostgreSQL to accept connections. */
export const databasePatience = 120_000;
const again = { first: 200, longest: 2_000 };

export interface OpenDatabaseOptions {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  readonly meter: StoreMeter | undefined;
  readonly patience: number;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** Called while the database cannot be opened, with the reason. */
  readonly waiting: (reason: string) => Promise<void>;
}

/**
 * Opens the database. Waits for a PostgreSQL that cannot be reached yet: it often starts after the server, or fails over.
 * @throws ConfigError if a setting is wrong; StartError if the database stays unavailable
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Store> {
  const { config, log, meter, patience, signal, waiting } = options;
  const { databaseUrl, databaseUrlFile: file, dataDir } = config;
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {
    throw new ConfigError(
      `DATA_DIR ${dataDir} cannot be created. Create its parent folder, or choose another folder.`,
    );
  });
  const detail = await volatileDatabase(config);
  if (detail !== undefined) log.log('warn', 'the database is not kept', { detail });
  const setting = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
  const until = performance.now() + (databaseUrl === undefined ? 0 : patience);
  let lastReason: string | undefined;
  for (let failures = 1; ; failures += 1) {
    try {
      return await openStore({
        ...databasePlace(config),
        maxConnections: config.databaseConnections,
        ...(file === undefined ? {} : { readUrl: () => readFile(file, 'utf8') }),
        logger: log.storeLogger,
        meter,
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { code, message } = error;
      const text = `${setting}: the database cannot be opened (${code}): ${message}`;
      if (isSettingFault(error)) throw new ConfigError(text);
      if (signal?.aborted !== true && performance.now() >= until) throw new StartError(text);
      if (message !== lastReason) log.log('warn', 'waiting for the database', { detail: message });
      lastReason = message;
      // The name of the host stays in the log, because every client sees this reason.
      await waiting(error.native ?? code);
    }
    await delay(backoff(failures, again, Math.random()), undefined, { signal }).catch(() => {
      throw new StartError('The server was stopped while it waited for the database.');
    });
  }
}
