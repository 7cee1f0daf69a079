// Runs a root script with the pinned pnpm, after an install. Needs nothing but Node ≥ 18 and npm.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';

// npm's own settings would otherwise leak into pnpm as unknown options. Nothing reports home.
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  TURBO_TELEMETRY_DISABLED: '1',
};

function pnpm(args) {
  const run = spawnSync(npx, ['--yes', packageManager, ...args], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  return run.status ?? 1;
}

const [script, ...rest] = process.argv.slice(2);
const installed = pnpm([
  'install',
  '--frozen-lockfile',
  '--prefer-offline',
  '--reporter=append-only',
  '--loglevel=warn',
]);
process.exit(installed === 0 ? pnpm(['--silent', 'run', script, ...rest]) : installed);
