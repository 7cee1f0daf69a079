import { fileURLToPath } from 'node:url';
import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { furnish, openHarness } from './conformance-harness.ts';

let ledger: SolanaProcess;
const definition = await openProcessAdapter({
  specifier: fileURLToPath(new URL('./quick.ts', import.meta.url)),
  plugin: '@ledger-ops/plugin-solana',
  log: () => undefined,
});

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
});
afterAll(async () => {
  await definition.close();
  await ledger?.stop();
});

describeAdapter({
  name: 'in a child process, the Solana adapter passes the conformance tests',
  definition,
  open: () => openHarness(ledger),
});

test('one child process runs all conformance tests without a restart', () => {
  expect(definition.health()).toMatchObject({ state: 'up', restarts: 0 });
});
