import { builtInAdapters } from './adapters.ts';
import { readConfig } from './config.ts';
import { createLog } from './logger.ts';
import { startServer } from './server.ts';

/** Serves until a signal. */
export async function serve(stop: Promise<NodeJS.Signals>): Promise<number> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const server = await startServer({ config, log, adapters: builtInAdapters });
  log.log('info', 'stopping', { signal: await stop });
  await server.close();
  return 0;
}
