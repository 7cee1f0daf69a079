import { setTimeout as delay } from 'node:timers/promises';
import { SealError } from '@ledger-ops/base';
import { StoreError } from '@ledger-ops/store';
import { builtInAdapters } from './adapters.ts';
import { databaseCause } from './database-cause.ts';
import { createLog } from './logging/logger.ts';
import { messageOf } from './message-of.ts';
import { startServer } from './server.ts';
import { readConfig } from './settings/config.ts';
import { ConfigError, StartError } from './settings/config-error.ts';
import { refuseOutgoingProxies } from './settings/outgoing-proxies.ts';

/**
 * Milliseconds, in addition to `SHUTDOWN_DELAY_MS` and `SHUTDOWN_TIMEOUT_MS`, that a server has to close its database, ledgers and
 * plugins. Without a limit, a database that does not answer would keep it for minutes. Ending the process earlier is as safe as a crash.
 */
const closingTime = 5_000;

/** Codes of the operating system for a disk that is full, or a quota that is used up. */
const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** Returns the error that the process reports if a server cannot start. */
export function startFailure(error: unknown): unknown {
  if (error instanceof SealError) return new ConfigError(`MASTER_KEY: ${error.message}`);
  if (error instanceof StoreError && error.code === 'unavailable')
    return new StartError(`The server cannot start. ${databaseCause(error)} ${error.message}`);
  // The database may still have space in its write-ahead log, while files of the data folder cannot be written.
  if (error instanceof Error && 'code' in error && fullCodes.includes(error.code))
    return new StartError(`The server cannot start. The disk of the data folder is full. ${error.message}`);
  return error;
}

/** Runs a server until `stop` resolves with a signal. */
export async function serve(stop: Promise<NodeJS.Signals>): Promise<number> {
  refuseOutgoingProxies(process.env);
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  const { signal } = stopping;
  void stop.then(() => stopping.abort());
  const run = async () => {
    const server = await startServer({ config, log, adapters: builtInAdapters, signal }).catch(
      (error: unknown) => {
        if (error instanceof StartError && signal.aborted) return undefined;
        throw startFailure(error);
      },
    );
    const name = await stop;
    log.log('info', 'stopping', { signal: name });
    // Ctrl+C in a terminal is SIGINT.
    if (name === 'SIGTERM') await server?.drain();
    await server?.close().catch((error: unknown) => {
      log.log('warn', 'some resources were not closed', { error: messageOf(error) });
    });
    return 0;
  };
  const giveUp = async () => {
    const shutdownDelay = (await stop) === 'SIGTERM' ? config.shutdownDelay : 0;
    await delay(shutdownDelay + config.shutdownTimeout + closingTime);
    log.log('warn', 'stopped before everything was closed', {
      detail:
        'The database, a ledger or a plugin did not answer in time. Accepted actions continue at the next start.',
    });
    return 0;
  };
  return await Promise.race([run(), giveUp()]);
}
