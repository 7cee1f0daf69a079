import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { shared } from './vitest.shared.ts';

const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
console.log(`All crashes: about ten minutes on two cores. FAULTS_SEED=${seed} draws the same numbers again.`);

/** The large matrices of crashes with real SIGKILLs, of which `npm test` takes two per ledger. */
export default defineConfig({
  ...shared,
  root: fileURLToPath(new URL('apps/server', import.meta.url)),
  test: {
    ...shared.test,
    include: ['test/job/*crash.test.ts'],
    setupFiles: ['test/witness-of-answers.ts'],
    maxWorkers: 3,
    provide: { faults: { seed } },
  },
});
