import { existsSync, readFileSync } from 'node:fs';

/**
 * Test files that take seconds, as written by `npm run test:slowest -- --keep`: path from the root, and
 * seconds.
 */
export const slowFiles: ReadonlyMap<string, number> = new Map(
  Object.entries(JSON.parse(readFileSync(new URL('./slow-files.json', import.meta.url), 'utf8'))),
);

const measuresTurns = 'The file measures turns of the event loop in which much garbage is collected.';
const measuresMemory = 'The file measures memory.';
const collectsGarbage =
  'The file collects all garbage, which takes seconds in a process that also holds the memory of other files.';

/** Files that must not share a process with other files, with the reason. */
const unshared: Readonly<Record<string, string>> = {
  'apps/server/test/http/event-loop.faults.test.ts': measuresTurns,
  'apps/server/test/http/pipelining.test.ts': measuresMemory,
  'apps/server/test/http/worst-documents.faults.test.ts': measuresTurns,
  'packages/client/test/collected.test.ts': collectsGarbage,
  'packages/cloud-wallet/test/long-answers.faults.test.ts': measuresMemory,
  'packages/plugin-ethereum/test/worst-answers.faults.test.ts': measuresMemory,
  'packages/plugin-fabric/test/worst-answers.faults.test.ts': measuresMemory,
  'packages/plugin-host/src/connections/host.test.ts': 'The file mocks modules.',
  'packages/plugin-host/test/long-messages.faults.test.ts': measuresMemory,
  'packages/plugin-host/test/namespaces.test.ts': 'The file signals its own process.',
  'packages/plugin-solana/src/idl/interface.test.ts': measuresMemory,
  'packages/plugin-solana/test/worst-answers.faults.test.ts': measuresMemory,
  'packages/runtime/src/webhooks/worst-receivers.faults.test.ts': measuresMemory,
  'packages/runtime/test/many-outcomes.test.ts': measuresTurns,
  'packages/store/src/postgres/failover.test.ts': 'The file mocks modules.',
};

for (const file of Object.keys(unshared)) {
  if (!existsSync(new URL(`../${file}`, import.meta.url)))
    throw new Error(
      `testing/slow-files.ts lists ${file}, which does not exist. Correct the path or remove the entry.`,
    );
}

/** Files that run in their own process. */
export const alone: readonly string[] = Object.keys(unshared);
