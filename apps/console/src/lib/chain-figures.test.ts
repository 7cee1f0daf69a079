import { expect, test } from 'vitest';
import { chainFigures } from './chain-figures.ts';

const none = {
  height: 7,
  finalHeight: 7,
  blockTimeMs: null,
  slotTimeMs: null,
  gasPrice: null,
  nodeLatencyMs: null,
};

test('shows only the figures that the server knows', () => {
  expect(chainFigures(none)).toEqual([]);
});

test('shows times with a unit, and the gas price rounded in gwei', () => {
  expect(
    chainFigures({
      ...{ height: 1_234, finalHeight: 1_222, blockTimeMs: 12_040, slotTimeMs: null },
      ...{ gasPrice: '1875234567', nodeLatencyMs: 24 },
    }),
  ).toEqual([
    `final up to ${(1_222).toLocaleString()}`,
    'a block every 12 s',
    'gas 1.875 gwei',
    'node responds in 24 ms',
  ]);
  expect(chainFigures({ ...none, blockTimeMs: 430, slotTimeMs: 402 })).toEqual(['a slot every 402 ms']);
  expect(chainFigures({ ...none, gasPrice: '7' })).toEqual(['gas 0.000000007 gwei']);
});
