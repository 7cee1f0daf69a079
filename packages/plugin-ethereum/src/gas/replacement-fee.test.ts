import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askedOf, feeAt, highestOffer, replacementPrices, suffices } from './replacement-fee.ts';

const gwei = 1_000_000_000n;
const head = {
  ...{ height: 1, hash: '', parentHash: '', timestamp: 0, gasLimit: 30_000_000n, transactions: undefined },
  baseFee: 8n * gwei,
};
const dynamic = { chainId: 1n, head, mode: 'eip1559', priorityFee: gwei, gasPrice: 0n, least: 0n } as const;

test('computes the current fee, the fee after one base-fee increase, and a fee with headroom', () => {
  expect(askedOf(dynamic, 'eip1559')).toEqual({
    going: 9n * gwei,
    nextBlocks: 10n * gwei,
    roomy: 17n * gwei,
    tip: gwei,
    least: 0n,
  });
  expect(askedOf(dynamic, 'legacy')).toMatchObject({ going: 9n * gwei, roomy: 11n * gwei, tip: 0n });
  const legacy = { ...dynamic, mode: 'legacy', gasPrice: 5n * gwei } as const;
  expect(askedOf({ ...legacy, head: { ...head, baseFee: undefined } }, 'legacy')).toEqual({
    going: 5n * gwei,
    nextBlocks: 5n * gwei,
    roomy: 5n * gwei,
    least: 0n,
    tip: 0n,
  });
});

test('combines the highest price and the highest tip of several offers', () => {
  expect(
    highestOffer([
      { type: 'eip1559', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
      { type: 'eip1559', maxFeePerGas: 8n, maxPriorityFeePerGas: 3n },
      { type: 'legacy', gasPrice: 2n },
    ]),
  ).toEqual({ price: 10n, tip: 3n });
});

test('nodes accept each raised fee as a replacement, and it needs no further raise', () => {
  const price = fc.bigInt(0n, 1n << 80n);
  fc.assert(
    fc.property(price, price, price, price, fc.constantFrom('legacy', 'eip1559'), (a, b, base, tip, type) => {
      const highest = { price: a + b, tip: type === 'legacy' ? a + b : b };
      const asked = askedOf({ ...dynamic, head: { ...head, baseFee: base }, priorityFee: tip }, type);
      const { least, wanted } = replacementPrices(highest, asked, type);
      const isTaken = (before: bigint, after: bigint) => after > before && after * 8n >= before * 9n;
      for (const at of [least.price, wanted.price]) {
        const next = highestOffer([feeAt(type, at, wanted.tip)]);
        expect(isTaken(highest.price, next.price) && isTaken(highest.tip, next.tip)).toBe(true);
        expect(next.price >= asked.going && next.tip <= next.price).toBe(true);
      }
      expect(suffices(highestOffer([feeAt(type, wanted.price, wanted.tip)]), asked)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('a replacement need not outbid a transaction below the mempools’ minimum fee', () => {
  const asked = askedOf({ ...dynamic, least: 25n * gwei }, 'eip1559');
  expect(asked).toMatchObject({ going: 33n * gwei, tip: 25n * gwei });
  expect(replacementPrices({ price: 40n * gwei, tip: gwei }, asked, 'eip1559')).toEqual({
    least: { price: 33n * gwei, tip: 25n * gwei },
    wanted: { price: 41n * gwei, tip: 25n * gwei },
  });
  // An offer that meets the minimum may already be in a mempool, so it must be outbid.
  const { least } = replacementPrices({ price: 40n * gwei, tip: 25n * gwei }, asked, 'eip1559');
  expect(least).toEqual({ price: 45n * gwei, tip: (225n * gwei + 7n) / 8n });
});
