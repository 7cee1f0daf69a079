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
    least: 0n,
    transferGas: 'fixed',
  };
}

test('the fee is twice the base fee plus the suggested tip', () => {
  expect(chooseFee(view(10n * gwei), {}, undefined, 'check')).toEqual({
    fee: { type: 'eip1559', maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei },
  });
});

test("the ledger's cap limits the fee, and an operation waits while the current fee is above the cap", () => {
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

test('pays the mempools’ minimum fee if nodes suggest less, but without a fee cap only up to a fixed bound', () => {
  const least = 25n * gwei;
  expect(chooseFee({ ...view(10n * gwei), least }, {}, undefined, 'check')).toEqual({
    fee: { type: 'eip1559', maxFeePerGas: 45n * gwei, maxPriorityFeePerGas: least },
  });
  expect(chooseFee({ ...view(undefined), least }, {}, undefined, 'check')).toEqual({
    fee: { type: 'legacy', gasPrice: least },
  });
  const lie = { ...view(10n * gwei), least: 10n ** 30n };
  expect(chooseFee(lie, {}, undefined, 'check')).toHaveProperty('fee.maxPriorityFeePerGas', 100n * gwei);
  expect(chooseFee(lie, {}, 300n * gwei, 'estimate')).toHaveProperty('problem.code', 'fee-above-cap');
});

test("uses the user's maximum fee unchanged, and waits while the base fee is higher", () => {
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

test('uses legacy fees on chains without a base fee, and for operations with a gas price', () => {
  expect(chooseFee(view(undefined), {}, undefined, 'check')).toEqual({
    fee: { type: 'legacy', gasPrice: 5n * gwei },
  });
  expect(chooseFee(view(undefined), {}, gwei, 'check')).toHaveProperty('problem');
  expect(chooseFee(view(gwei), { gasPrice: 2n * gwei }, undefined, 'check')).toEqual({
    fee: { type: 'legacy', gasPrice: 2n * gwei },
  });
  expect(chooseFee(view(3n * gwei), { gasPrice: 2n * gwei }, undefined, 'check')).toHaveProperty('problem');
});

test('a raised fee is high enough for a replacement and stays below the fee cap', () => {
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
      } else expect.unreachable('A raised fee must have the same type.');
    }),
  );
});
