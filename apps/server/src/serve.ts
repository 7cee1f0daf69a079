import { SealError } from '@ledger-ops/base';
import { builtInAdapters } from './adapters.ts';
import { createLog } from './logging/logger.ts';
import { startServer } from './server.ts';
import { readConfig } from './settings/config.ts';
import { ConfigError, StartError } from './settings/config-error.ts';
import { refuseOutgoingProxies } from './settings/outgoing-proxies.ts';

export async function serve(stop: Promise<NodeJS.Signals>): Promise<number> {
  refuseOutgoingProxies(process.env);
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const stopping = new AbortController();
  const { signal } = stopping;
  void stop.then(() => stopping.abort());
  const server = await startServer({ config, log, adapters: builtInAdapters, signal }).catch(
    (error: unknown) => {
      if (error instanceof StartError && signal.aborted) return undefined;
      throw error instanceof SealError ? new ConfigError(`MASTER_KEY: ${error.message}`) : error;
    },
  );
  const name = await stop;
  log.log('info', 'stopping', { signal: name });
  // Ctrl+C in a terminal is SIGINT.
  if (name === 'SIGTERM') await server?.drain();
  await server?.close();
  return 0;
}
