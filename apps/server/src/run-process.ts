import { surviveDeadOutputs } from './logging/log-output.ts';
import { keepInspectorClosed } from './no-inspector.ts';
import { ConfigError } from './settings/config-error.ts';

/**
 * Runs a program as this process, and ends the process with it. Exit codes: that of the program, 1 when something
 * failed, 2 when the configuration is wrong. `stop` is told of the first SIGINT or SIGTERM; a second one ends it at once.
 */
export function runProcess(program: (stop: Promise<NodeJS.Signals>) => Promise<number>): void {
  keepInspectorClosed();
  surviveDeadOutputs();
  const stop = Promise.withResolvers<NodeJS.Signals>();
  const onSignal = (signal: NodeJS.Signals) => {
    process.once(signal, () => process.exit(1));
    stop.resolve(signal);
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  program(stop.promise).then(
    (code) => process.exit(code),
    (error: unknown) => {
      if (error instanceof ConfigError) {
        process.stderr.write(`${error.message}\n`);
        process.exit(2);
      }
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`);
      process.exit(1);
    },
  );
}
