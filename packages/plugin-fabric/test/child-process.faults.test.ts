import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness } from './conformance-harness.ts';
import { openNetwork, type TestNetwork } from './network.ts';
import { testAdapterFile } from './test-adapter.ts';

let network: TestNetwork;
const definition = await openProcessAdapter({
  specifier: testAdapterFile,
  plugin: '@ledger-ops/plugin-fabric',
  log: () => undefined,
});

beforeAll(async () => {
  network = await openNetwork();
});
afterAll(async () => {
  await definition.close();
  await network?.close();
});

describeAdapter({
  name: 'in a child process, the Fabric adapter passes the conformance tests',
  definition,
  open: () => openHarness(network),
});

test('one child process runs all conformance tests without a restart', () => {
  expect(definition.health()).toMatchObject({ state: 'up', restarts: 0 });
});
