import '@ledger-ops/base/resolve-once';
import { restartWithBoundedMemory } from '@ledger-ops/base/bounded-memory';
import { runProcess } from '../run-process.ts';

/** Entry point: runs the server until a signal, or a command from the arguments. Loads only the modules that it needs. */
export function runServerProcess(): void {
  const [name, ...rest] = process.argv.slice(2);
  const isServe = name === undefined || (name === 'serve' && rest.length === 0);
  if (isServe) restartWithBoundedMemory();
  runProcess(async (stop) => {
    if (isServe) return await (await import('../serve.ts')).serve(stop);
    const { runCommand } = await import('./run-command.ts');
    return await runCommand(process.argv.slice(2), {
      environment: process.env,
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    });
  });
}
