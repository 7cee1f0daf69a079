import type { Json } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { readProperties } from './properties.ts';

const read = (properties: Record<string, Json>) =>
  readProperties({ ledgerId: 'l', technology: 'solana', properties, nodes: [] });

test('absent properties have their defaults, and host properties are ignored', () => {
  expect(read({ plugin_tags: ['a'], genesis_hash: null })).toEqual({
    genesisHash: undefined,
    commitment: 'finalized',
    confirmations: 1,
    computeUnitPrice: undefined,
    priorityFeeCap: 100_000n,
    pollingInterval: undefined,
    rpcTimeout: 10_000,
    allowUnencrypted: false,
  });
});

test.each([
  ['commitment', 'processed'],
  ['confirmations', 0],
  ['compute_unit_price', '-1'],
  ['priority_fee_cap', 1.5],
  ['genesis_hash', '0x12'],
  ['allow_unencrypted', 'yes'],
])('rejects the property %s = %j', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      problem: expect.objectContaining({
        phase: 'open',
        issues: [expect.objectContaining({ pointer: `/properties/${name}` })],
      }),
    }),
  );
});
