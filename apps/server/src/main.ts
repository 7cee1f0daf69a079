import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import { readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { createLog } from './logger.ts';
import { keepInspectorClosed } from './no-inspector.ts';
import { type RunningServer, startServer } from './server.ts';

/**
 * The deployer's entry. Exit codes: 0 after SIGINT or SIGTERM, 1 when something failed, 2 when the configuration is
 * wrong. A second signal ends it at once.
 */
async function main(): Promise<void> {
  keepInspectorClosed();
  const stop = Promise.withResolvers<NodeJS.Signals>();
  const onSignal = (signal: NodeJS.Signals) => {
    process.once(signal, () => process.exit(1));
    stop.resolve(signal);
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);

  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  if (config.secretsInEnvironment.length > 0) {
    log.log('warn', 'secrets in the environment, which the kernel goes on showing', {
      detail: `give ${config.secretsInEnvironment.map((name) => `${name}_FILE`).join(', ')} instead`,
    });
    log.flush();
  }
  const server: RunningServer = await startServer({
    config,
    log,
    adapters: [ethereumAdapter, fabricAdapter],
  });
  const signal = await stop.promise;
  log.log('info', 'stopping', { signal });
  await server.close();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(2);
    }
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`);
    process.exit(1);
  },
);
