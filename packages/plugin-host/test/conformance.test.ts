import { fileURLToPath } from 'node:url';
import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { afterAll, expect, test } from 'vitest';
import { openChildHarness } from './child-harness.ts';

const definition = await openProcessAdapter({
  specifier: fileURLToPath(new URL('fixtures/memory.ts', import.meta.url)),
  log: () => undefined,
});
afterAll(() => definition.close());

describeAdapter({
  name: 'the memory adapter in a child process',
  definition,
  open: () => openChildHarness(definition),
});

test('one child process ran all conformance tests without a restart', () => {
  expect(definition.health()).toMatchObject({ state: 'up', restarts: 0, pendingCalls: 0 });
});
