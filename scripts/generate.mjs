// Generates files that are not in git, if their sources have changed. Runs after an install.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const { status, stdout } = spawnSync('turbo', ['run', 'generate', '--output-logs=errors-only'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  shell: process.platform === 'win32',
});
if (status !== 0) {
  console.error(stdout ?? 'turbo cannot be started. Run pnpm install first.');
  process.exit(1);
}
