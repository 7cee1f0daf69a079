import { expect, test } from 'vitest';
import type { SolanaNode } from '../rpc/node.ts';
import { token2022Program } from './token-programs.ts';
import { transferFeeWarnings } from './transfer-fee.ts';

const mint = 'So11111111111111111111111111111111111111112';

/** Returns a mint with two decimals. Its fee is 1 % up to epoch 9, and a different one from epoch 10 on. */
function mintOf(newer: { most: bigint; basisPoints: number }): string {
  const data = Buffer.alloc(278);
  data[44] = 2;
  data.writeUInt16LE(1, 166);
  data.writeUInt16LE(108, 168);
  for (const [at, epoch, most, basisPoints] of [
    [242, 0n, 1_000n, 100],
    [260, 10n, newer.most, newer.basisPoints],
  ] as const) {
    data.writeBigUInt64LE(epoch, at);
    data.writeBigUInt64LE(most, at + 8);
    data.writeUInt16LE(basisPoints, at + 16);
  }
  return data.toString('base64');
}

/** Returns the warnings about a transfer of 100 tokens in the given epoch. */
async function warningsIn(epoch: number, newer: Parameters<typeof mintOf>[0]): Promise<string[]> {
  const answers: Record<string, unknown> = {
    getEpochInfo: { epoch },
    getMultipleAccounts: { value: [{ data: [mintOf(newer), 'base64'] }] },
  };
  const node: SolanaNode = {
    nodeId: 'a',
    ask: async (method, _params, schema) => schema.parse(answers[method]),
    close: async () => undefined,
  };
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(10_000n, 1);
  const accounts = [{ address: 'source' }, { address: mint }];
  const instruction = { program: token2022Program, accounts, data: data.toString('base64') };
  return await transferFeeWarnings(node, { instructions: [instruction], amount: 0n });
}

const now = `The mint ${mint} withholds a transfer fee of 1, so the recipient gets 99 of 100.`;

test('warns about a transfer fee that changes in a later epoch', async () => {
  expect(await warningsIn(9, { most: 1_000n, basisPoints: 250 })).toEqual([
    now,
    `From epoch 10 on, the mint ${mint} withholds 2.5; the ledger is in epoch 9.`,
  ]);
  expect(await warningsIn(10, { most: 1_000n, basisPoints: 250 })).toEqual([
    `The mint ${mint} withholds a transfer fee of 2.5, so the recipient gets 97.5 of 100.`,
  ]);
});

test('does not warn about a fee change that leaves the fee for this amount unchanged', async () => {
  expect(await warningsIn(9, { most: 2_000n, basisPoints: 100 })).toEqual([now]);
  // The maximum fee changes, and it applies to this amount.
  expect(await warningsIn(9, { most: 50n, basisPoints: 100 })).toEqual([
    now,
    `From epoch 10 on, the mint ${mint} withholds 0.5; the ledger is in epoch 9.`,
  ]);
});
