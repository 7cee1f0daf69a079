import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { afterAll, beforeAll } from 'vitest';
import { openHarness } from './conformance-harness.ts';
import { openNetwork, type TestNetwork } from './network.ts';
import { testAdapter } from './test-adapter.ts';

let network: TestNetwork;

beforeAll(async () => {
  network = await openNetwork();
});
afterAll(() => network?.close());

describeAdapter({
  name: 'the Fabric adapter passes the conformance tests',
  definition: testAdapter,
  open: () => openHarness(network),
});
