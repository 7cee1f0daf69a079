import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LedgerView } from '../blocks/ledger-view.ts';
import type { Fee } from '../transactions/fee.ts';
import { chooseFee, raiseFee } from './fees.ts';

const gwei = 1_000_000_000n;

function view(baseFee: bigint | undefined, priorityFee = gwei): LedgerView {
  const head = {
    height: 1,
    hash: '',
    parentHash: '',
    timestamp: 0,
    gasLimit: 30_000_000n,
    transactions: undefined,
  };
  return {
    chainId: 1n,
    head: { ...head, baseFee },
    mode: baseFee === undefined ? 'legacy' : 'eip1559',
    priorityFee,
    gasPrice: 5n * gwei,
  };
}

test('the fee is twice the base fee and the suggested tip', () => {
  expect(chooseFee(view(10n * gwei), {}, undefined, 'check')).toEqual({
    fee: { type: 'eip1559', maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei },
  });
});

test("the ledger's cap bounds the fee, and a going fee above it waits", () => {
  expect(chooseFee(view(10n * gwei), {}, 15n * gwei, 'check')).toEqual({
    fee: { type: 'eip1559', maxFeePerGas: 15n * gwei, maxPriorityFeePerGas: gwei },
  });
  expect(chooseFee(view(10n * gwei), {}, 10n * gwei, 'estimate')).toMatchObject({
    problem: {
      code: 'fee-above-cap',
      phase: 'estimate',
      data: { goingFee: String(11n * gwei), cap: String(10n * gwei) },
    },
  });
});

test("the user's maximum is taken as it is, waits below the base fee, and bounds the tip", () => {
  expect(chooseFee(view(10n * gwei), { maxFeePerGas: 10n * gwei }, undefined, 'check')).toMatchObject({
    fee: { maxFeePerGas: 10n * gwei },
  });
  expect(chooseFee(view(10n * gwei), { maxFeePerGas: 9n * gwei }, undefined, 'check')).toHaveProperty(
    'problem',
  );
  expect(chooseFee(view(1n), { maxFeePerGas: 5n }, undefined, 'check')).toMatchObject({
    fee: { maxFeePerGas: 5n, maxPriorityFeePerGas: 5n },
  });
  expect(chooseFee(view(10n), { maxPriorityFeePerGas: 3n }, undefined, 'check')).toMatchObject({
    fee: { maxFeePerGas: 23n, maxPriorityFeePerGas: 3n },
  });
});

test('a chain without a base fee, and a given gas price, make legacy fees', () => {
  expect(chooseFee(view(undefined), {}, undefined, 'check')).toEqual({
    fee: { type: 'legacy', gasPrice: 5n * gwei },
  });
  expect(chooseFee(view(undefined), {}, gwei, 'check')).toHaveProperty('problem');
  expect(chooseFee(view(gwei), { gasPrice: 2n * gwei }, undefined, 'check')).toEqual({
    fee: { type: 'legacy', gasPrice: 2n * gwei },
  });
  expect(chooseFee(view(3n * gwei), { gasPrice: 2n * gwei }, undefined, 'check')).toHaveProperty('problem');
});

test('a raised fee is one that nodes take as a replacement, or there is none below the cap', () => {
  const price = fc.bigInt(0n, 1n << 100n);
  const fees: fc.Arbitrary<Fee> = fc.oneof(
    price.map((gasPrice) => ({ type: 'legacy' as const, gasPrice })),
    fc.tuple(price, price).map(([a, b]) => {
      const [maxPriorityFeePerGas, maxFeePerGas] = a < b ? [a, b] : [b, a];
      return { type: 'eip1559' as const, maxFeePerGas, maxPriorityFeePerGas };
    }),
  );
  const enough = (before: bigint, after: bigint) => after > before && after * 1000n >= before * 1125n;
  fc.assert(
    fc.property(fees, fc.option(price, { nil: undefined }), (fee, cap) => {
      const raised = raiseFee(fee, cap);
      if (raised === undefined) {
        expect(cap).toBeDefined();
        return;
      }
      if (fee.type === 'legacy' && raised.type === 'legacy') {
        expect(enough(fee.gasPrice, raised.gasPrice)).toBe(true);
        expect(cap === undefined || raised.gasPrice <= cap).toBe(true);
      } else if (fee.type === 'eip1559' && raised.type === 'eip1559') {
        expect(enough(fee.maxFeePerGas, raised.maxFeePerGas)).toBe(true);
        expect(enough(fee.maxPriorityFeePerGas, raised.maxPriorityFeePerGas)).toBe(true);
        expect(raised.maxPriorityFeePerGas <= raised.maxFeePerGas).toBe(true);
        expect(cap === undefined || raised.maxFeePerGas <= cap).toBe(true);
      } else expect.unreachable('the type stays');
    }),
  );
});
