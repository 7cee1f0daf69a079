import { describeAdapter } from '@ledger-ops/adapter/conformance';
import { afterAll, beforeAll } from 'vitest';
import { fabricAdapter } from '../src/index.ts';
import { openHarness } from './conformance-harness.ts';
import { openNetwork, type TestNetwork } from './network.ts';

let network: TestNetwork;

beforeAll(async () => {
  network = await openNetwork({ batch: { timeout: 20 } });
});
afterAll(() => network?.close());

describeAdapter({
  name: 'the Fabric adapter keeps the contract',
  definition: fabricAdapter,
  open: () => openHarness(network),
});
