import { surviveDeadOutputs } from './logging/log-output.ts';
import { keepInspectorClosed } from './no-inspector.ts';
import { ConfigError, StartError } from './settings/config-error.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs a program as this process and exits with it. Exit codes: the program's, 1 after a failure, 2 for an invalid
 * configuration. The promise `stop` resolves at the first SIGINT or SIGTERM; a second signal exits immediately.
 */
export function runProcess(program: (stop: Promise<NodeJS.Signals>) => Promise<number>): void {
  keepInspectorClosed();
  surviveDeadOutputs();
  const stop = Promise.withResolvers<NodeJS.Signals>();
  const onSignal = (signal: NodeJS.Signals) => {
    for (const name of signals) process.off(name, onSignal).once(name, () => process.exit(1));
    stop.resolve(signal);
  };
  for (const name of signals) process.on(name, onSignal);
  program(stop.promise).then(
    (code) => process.exit(code),
    (error: unknown) => {
      if (error instanceof ConfigError || error instanceof StartError) {
        process.stderr.write(`${error.message}\n`);
        process.exit(error instanceof ConfigError ? 2 : 1);
      }
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`);
      process.exit(1);
    },
  );
}
