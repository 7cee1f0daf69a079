import { fileURLToPath } from 'node:url';
import { describeAdapter } from '@ledger-ops/adapter/conformance';
import { openProcessAdapter } from '@ledger-ops/adapter/process';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployFixture, openHarness } from './conformance-harness.ts';

let node: Anvil;
let fixture: string;
const definition = await openProcessAdapter({
  specifier: fileURLToPath(new URL('../src/index.ts', import.meta.url)),
  plugin: '@ledger-ops/plugin-ethereum',
  log: () => undefined,
});

beforeAll(async () => {
  node = await startAnvil({ mining: 'automine' });
  fixture = await deployFixture(node);
});
afterAll(async () => {
  await definition.close();
  await node?.stop();
});

describeAdapter({
  name: 'the Ethereum adapter keeps the contract in a child process',
  definition,
  open: () => openHarness(node, fixture),
});

test('one process served the whole kit, within its memory', () => {
  expect(definition.health()).toMatchObject({ state: 'up', restarts: 0 });
});
