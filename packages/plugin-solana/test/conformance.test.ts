import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, beforeAll } from 'vitest';
import { furnish, openHarness } from './conformance-harness.ts';
import { quickAdapter } from './quick.ts';

let soon: SolanaProcess;
let late: SolanaProcess;

beforeAll(async () => {
  const quick = { slotTime: 'on-demand', confirmed: 0 } as const;
  [soon, late] = await Promise.all([
    // Three blocks make one final, as the kit asks for where it counts them.
    startSolanaProcess({ ...quick, finalized: 2 }),
    startSolanaProcess({ ...quick, finalized: 32 }),
  ]);
  await furnish(soon);
  await furnish(late);
});
afterAll(async () => {
  await soon?.stop();
  await late?.stop();
});

describeAdapter({
  name: 'the Solana adapter keeps the contract',
  definition: quickAdapter,
  open: () => openHarness(soon),
});

describeAdapter({
  name: 'the Solana adapter keeps the contract where a block is final when it is confirmed',
  definition: quickAdapter,
  open: () => openHarness(late, { commitment: 'confirmed' }),
});
