// Installs packages, then runs a root script with the pinned pnpm. Requires only Node ≥ 18 and npm.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runStep } from './run-step.mjs';

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
// On Ctrl-C the child processes stop, and this process exits after them.
process.on('SIGINT', () => undefined);
const options = {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  // Without npm's settings, which pnpm would read as unknown options, and without telemetry.
  env: {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
    TURBO_TELEMETRY_DISABLED: '1',
  },
  // Windows refuses to start a .cmd file without a shell.
  shell: process.platform === 'win32',
};

/** The activity that a line of an install's output reports: packages, then the scripts that an install runs. */
function detailOf(line) {
  const [, progress] = /^Progress: (.+?)(?:, done)?$/.exec(line) ?? [];
  if (progress !== undefined) return progress;
  return line.includes('scripts/generate.mjs') ? 'generating files from the code' : undefined;
}

const [script, ...rest] = process.argv.slice(2);
const installed = await runStep({
  ...{ title: 'Installing packages', hint: 'about a minute the first time, then seconds' },
  program: npx,
  args: [
    '--yes',
    packageManager,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    '--reporter=append-only',
  ],
  ...{ detailOf, options },
});
if (installed === 0) {
  const args = ['--yes', packageManager, '--silent', 'run', script, ...rest];
  process.exitCode = spawnSync(npx, args, { ...options, stdio: 'inherit' }).status ?? 1;
} else {
  process.exitCode = installed;
}
