import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askedOf, feeAt, highestOffer, replacementPrices, suffices } from './replacement-fee.ts';

const gwei = 1_000_000_000n;
const head = {
  ...{ height: 1, hash: '', parentHash: '', timestamp: 0, gasLimit: 30_000_000n, transactions: undefined },
  baseFee: 8n * gwei,
};
const dynamic = { chainId: 1n, head, mode: 'eip1559', priorityFee: gwei, gasPrice: 0n } as const;

test('what is asked is the going fee, with one rise of the base fee, and with room to spare', () => {
  expect(askedOf(dynamic, 'eip1559')).toEqual({
    going: 9n * gwei,
    nextBlocks: 10n * gwei,
    roomy: 17n * gwei,
    tip: gwei,
  });
  expect(askedOf(dynamic, 'legacy')).toMatchObject({ going: 9n * gwei, roomy: 11n * gwei, tip: 0n });
  const legacy = { ...dynamic, mode: 'legacy', gasPrice: 5n * gwei } as const;
  expect(askedOf({ ...legacy, head: { ...head, baseFee: undefined } }, 'legacy')).toEqual({
    going: 5n * gwei,
    nextBlocks: 5n * gwei,
    roomy: 5n * gwei,
    tip: 0n,
  });
});

test('of several offers the highest price and the highest tip count', () => {
  expect(
    highestOffer([
      { type: 'eip1559', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
      { type: 'eip1559', maxFeePerGas: 8n, maxPriorityFeePerGas: 3n },
      { type: 'legacy', gasPrice: 2n },
    ]),
  ).toEqual({ price: 10n, tip: 3n });
});

test('each step is one that nodes take as a replacement, and is enough afterwards', () => {
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
    { numRuns: 500 },
  );
});
