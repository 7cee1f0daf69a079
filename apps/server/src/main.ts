import { builtInAdapters } from './adapters.ts';
import { readConfig } from './config.ts';
import { createLog } from './logger.ts';
import { runProcess } from './run-process.ts';
import { startServer } from './server.ts';

/** The deployer's entry: serves until a signal. */
runProcess(async (stop) => {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const server = await startServer({ config, log, adapters: builtInAdapters });
  log.log('info', 'stopping', { signal: await stop });
  await server.close();
  return 0;
});
