import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll } from 'vitest';

import { type Furniture, furnish, openHarness } from './conformance-harness.ts';
import { quickAdapter } from './quick.ts';

let node: Anvil;
let furniture: Furniture;

beforeAll(async () => {
  node = await startAnvil({ mining: 'automine' });
  furniture = await furnish(node);
});
afterAll(() => node?.stop());

describeAdapter({
  name: 'the Ethereum adapter passes the conformance tests',
  definition: quickAdapter,
  open: () => openHarness(node, furniture),
});
