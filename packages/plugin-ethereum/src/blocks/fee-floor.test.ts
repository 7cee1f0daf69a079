import { expect, test } from 'vitest';
import type { Fee } from '../transactions/fee.ts';
import { FeeFloor } from './fee-floor.ts';

const gwei = 1_000_000_000n;
const dynamic: Fee = { type: 'eip1559', maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: (3n * gwei) / 2n };
const legacy: Fee = { type: 'legacy', gasPrice: 3n * gwei };

function floorWith(fee: Fee, message: string) {
  const clock = { at: 1_000 };
  const floor = new FeeFloor(() => clock.at, { named: 600, guessed: 100 });
  floor.refuse('0x1', fee, message);
  return { clock, floor };
}

const named: readonly (readonly [message: string, fee: Fee, least: bigint])[] = [
  ['transaction underpriced: gas tip cap 1500000000, minimum needed 25000000000', dynamic, 25n * gwei],
  [
    'transaction gas price below minimum: gas tip cap 1500000000, minimum needed 3000000000',
    dynamic,
    3n * gwei,
  ],
  ['transaction underpriced: tip needed 3000000000, tip permitted 1500000000', dynamic, 3n * gwei],
  ['transaction underpriced: tip needed 5000000000, tip permitted 3000000000', legacy, 5n * gwei],
  ['FeeTooLow, EffectivePriorityFeePerGas too low 1500000000 < 5000000000', dynamic, 5n * gwei],
  ['transaction priority fee below minimum required priority fee 2000000000', dynamic, 2n * gwei],
  ['max priority fee per gas must be at least 2.5 gwei', dynamic, (5n * gwei) / 2n],
  // The expected tip is the minimum price minus the base fee of 1 gwei.
  ["Gas price '3000000000' is below configured minimum gas price '1140000000000'", dynamic, 1_139n * gwei],
  ['[Request ID: e4d09e44-1234-4eb7] gas price too low, minimum 25 Gwei.', legacy, 24n * gwei],
];

test.each(named)('learns the mempool’s minimum fee from a refusal: %s', (message, fee, least) => {
  expect(floorWith(fee, message).floor.least(gwei)).toBe(least);
});

test.each([
  ['transaction underpriced', dynamic, 3n * gwei],
  ['insufficient fees; got: 9000000000aevmos required: 20000000000aevmos', dynamic, 3n * gwei],
  ['transaction underpriced', { ...dynamic, maxPriorityFeePerGas: 0n }, gwei],
  ['Gas price below configured minimum gas price', legacy, 6n * gwei],
] as const)(
  'if a refusal names no minimum, assumes twice the offered fee as the minimum: %s',
  (message, fee, least) => {
    expect(floorWith(fee, message).floor.least(0n)).toBe(least);
  },
);

test('does not learn a minimum fee from a refusal that the base fee caused', () => {
  const message =
    'max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7000000000';
  expect(floorWith(dynamic, message).floor.least(0n)).toBe(0n);
});

test('forgets a minimum fee when it expires, or when a mempool accepts a transaction that was refused before', () => {
  const { clock, floor } = floorWith(dynamic, 'minimum tip needed 25000000000');
  floor.accept('0x2');
  clock.at += 599;
  expect(floor.least(0n)).toBe(25n * gwei);
  clock.at += 1;
  expect(floor.least(0n)).toBe(0n);
  floor.refuse('0x3', dynamic, 'minimum tip needed 25000000000');
  floor.accept('0x3');
  expect(floor.least(0n)).toBe(0n);
});

test('prefers the minimum fee in the latest refusal to a higher guess', () => {
  const { floor } = floorWith(dynamic, 'minimum tip needed 25000000000');
  floor.refuse('0x2', dynamic, 'minimum tip needed 20000000000');
  expect(floor.least(0n)).toBe(20n * gwei);
  floor.refuse('0x3', dynamic, 'transaction underpriced');
  expect(floor.least(0n)).toBe(20n * gwei);
});
