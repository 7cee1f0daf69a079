import { existsSync } from 'node:fs';
import { runCli } from './cli.ts';
import { operatorCommands, settingsFile } from './commands/installation.ts';
import { processTerminal } from './terminal.ts';

const [name = '', asked = ''] = process.argv.slice(2);
const isOperators = (word: string) => Object.hasOwn(operatorCommands, word);

if (isOperators(name) || (name === 'help' && isOperators(asked))) {
  if (existsSync(settingsFile)) process.env.CONFIG_FILE ??= settingsFile;
  // Loaded only for the server's commands, because the server is large.
  const { runServerProcess } = await import('@ledger-ops/server/commands');
  runServerProcess();
} else {
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      over.abort(new Error(signal));
    });
  }
  // A reader that closes the pipe early is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    process.exitCode = await runCli(process.argv.slice(2), processTerminal(over.signal));
  } catch (error) {
    const isStopped = over.signal.aborted;
    if (!isStopped)
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`);
    process.exitCode = isStopped ? 130 : 1;
  }
}
