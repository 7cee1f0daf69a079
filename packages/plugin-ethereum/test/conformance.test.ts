import { describeAdapter } from '@ledger-ops/adapter/conformance';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll } from 'vitest';
import { ethereumAdapter } from '../src/index.ts';
import { deployFixture, openHarness } from './conformance-harness.ts';

let node: Anvil;
let fixture: string;

beforeAll(async () => {
  node = await startAnvil({ mining: 'automine' });
  fixture = await deployFixture(node);
});
afterAll(() => node?.stop());

describeAdapter({
  name: 'the Ethereum adapter keeps the contract',
  definition: ethereumAdapter,
  open: () => openHarness(node, fixture),
});
