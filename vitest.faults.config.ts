import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { shared } from './vitest.shared.ts';

const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
console.log(
  `All crashes: about seven minutes on two cores. FAULTS_SEED=${seed} draws the same numbers again.`,
);
const maxWorkers = 3;

function project(folder: string, include: string[], setupFiles: string[]): TestProjectInlineConfiguration {
  const provide = { faults: { seed } };
  const root = fileURLToPath(new URL(folder, import.meta.url));
  return {
    ...shared,
    root,
    test: { ...shared.test, name: folder, include, setupFiles, maxWorkers, provide },
  };
}

/** The large matrices, of which `npm test` takes some: crashes of a server's process and of the engine on a memory ledger, hostile plugins and bodies. */
export default defineConfig({
  test: {
    maxWorkers,
    projects: [
      project(
        'apps/server',
        [
          'test/job/*crash.test.ts',
          'test/job/main-job.test.ts',
          'test/job/solana-job.test.ts',
          'test/job/rolling-upgrade.test.ts',
          'test/job/start-beside-recovery.test.ts',
          'test/job/hostile-plugin.test.ts',
          'test/http/event-loop.test.ts',
          'test/running/alerts.test.ts',
        ],
        ['../../testing/witness.ts'],
      ),
      project('packages/runtime', ['test/*crashes.test.ts'], []),
    ],
  },
});
