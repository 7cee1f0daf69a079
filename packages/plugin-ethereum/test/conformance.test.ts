import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll } from 'vitest';

import { deployFixture, openHarness } from './conformance-harness.ts';
import { quickAdapter } from './quick.ts';

let node: Anvil;
let fixture: string;

beforeAll(async () => {
  node = await startAnvil({ mining: 'automine' });
  fixture = await deployFixture(node);
});
afterAll(() => node?.stop());

describeAdapter({
  name: 'the Ethereum adapter keeps the contract',
  definition: quickAdapter,
  open: () => openHarness(node, fixture),
});
