// Builds the command line and all packages that it depends on, then starts the development server.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runStep } from './run-step.mjs';

// On Ctrl-C the child processes stop, and this process exits after them.
process.on('SIGINT', () => undefined);
const options = { cwd: fileURLToPath(new URL('..', import.meta.url)), shell: process.platform === 'win32' };
let count = 0;

/** Turbo prints one line of this form per package. */
function detailOf(line) {
  const [, name] = /^(\S+?):(?:build|generate): cache /.exec(line) ?? [];
  if (name === undefined) return;
  count += 1;
  return `${count} tasks started, now ${name}`;
}

const built = await runStep({
  ...{ title: 'Building', hint: 'about half a minute the first time, then seconds' },
  program: 'turbo',
  args: ['run', 'build', '--filter=@ledger-ops/cli', '--output-logs=new-only'],
  ...{ detailOf, options },
});
if (built === 0) {
  const main = fileURLToPath(new URL('../apps/dev/dist/main.js', import.meta.url));
  const cli = process.platform === 'win32' ? 'node apps/cli/dist/main.js' : './ledger-ops';
  const args = ['--disable-sigusr1', main, `--cli=${cli}`, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} else {
  process.exitCode = built;
}
