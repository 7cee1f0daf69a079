import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, beforeAll } from 'vitest';
import { furnish, openHarness } from './conformance-harness.ts';
import { quickAdapter } from './quick.ts';

let ledger: SolanaProcess;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 32 });
  await furnish(ledger);
});
afterAll(() => ledger?.stop());

describeAdapter({
  name: 'at the commitment level confirmed, the Solana adapter passes the conformance tests',
  definition: quickAdapter,
  open: () => openHarness(ledger, { commitment: 'confirmed' }),
});
