import '@ledger-ops/base/resolve-once';
import { runProcess } from '../run-process.ts';

/** The deployer's program: serves until a signal, or runs a command of the process's arguments. What neither needs is not loaded. */
export function runServerProcess(): void {
  runProcess(async (stop) => {
    const [name, ...rest] = process.argv.slice(2);
    const isServe = name === undefined || (name === 'serve' && rest.length === 0);
    if (isServe) return await (await import('../serve.ts')).serve(stop);
    const { runCommand } = await import('./run-command.ts');
    return await runCommand(process.argv.slice(2), {
      environment: process.env,
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
    });
  });
}
