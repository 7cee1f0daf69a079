import type { Json } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { readProperties } from './properties.ts';

const read = (properties: Record<string, Json>) =>
  readProperties({ ledgerId: 'l', technology: 'ethereum', properties, nodes: [] });

test('absent properties have their defaults, and host properties are ignored', () => {
  expect(read({ plugin_tags: ['a'], chain_id: null })).toEqual({
    chainId: undefined,
    confirmations: 1,
    presignedReplacements: false,
    maxBumps: 2,
    maxFeeCap: undefined,
    feeMode: undefined,
    transferGas: 'auto',
    maxTransactionGas: undefined,
    pollingInterval: undefined,
    rpcTimeout: 10_000,
    rpcBatch: 100,
    allowUnencrypted: false,
  });
});

test('numeric properties accept numbers and strings', () => {
  expect(
    read({
      chain_id: '0x7a69',
      confirmations: '12',
      max_fee_cap: '100000000000',
      presigned_replacements: true,
    }),
  ).toMatchObject({
    chainId: 31337n,
    confirmations: 12,
    maxFeeCap: 100_000_000_000n,
    presignedReplacements: true,
  });
});

test('signs no replacements in advance if replacing transactions is disabled', () => {
  const signsBeforehand = (replace_after: number) =>
    read({ presigned_replacements: true, replace_after }).presignedReplacements;
  expect([signsBeforehand(0), signsBeforehand(0.5)]).toEqual([false, true]);
});

test('opens a ledger that sets every property, including a fee mode and ten bumps', () => {
  expect(read({ fee_mode: 'auto', max_bumps: 10 })).toMatchObject({ feeMode: undefined, maxBumps: 10 });
});

test.each([
  ['chain_id', 0],
  ['chain_id', 'one'],
  ['chain_id', 1.5],
  ['confirmations', 0],
  ['confirmations', true],
  ['max_fee_cap', '-1'],
  ['fee_mode', 'cheap'],
  ['replace_after', -1],
  ['presigned_replacements', 'yes'],
  ['max_bumps', 100],
  ['rpc_timeout', 1],
  ['rpc_batch', 0],
])('rejects %s = %s and names the property', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(name),
      problem: expect.objectContaining({
        code: 'invalid-argument',
        phase: 'open',
        issues: [expect.objectContaining({ pointer: `/properties/${name}` })],
      }),
    }),
  );
});
