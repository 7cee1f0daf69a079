import { expect, test } from 'vitest';
import { ChainFigureCounter } from './chain-figures.ts';

const block = (height: number) => ({ height, hash: `block ${height}` });
const answer = (height: number, finalHeight = height, gasPrice?: bigint) => ({
  head: block(height),
  cursor: block(finalHeight),
  ...(gasPrice === undefined ? {} : { gasPrice }),
});

test('chain figures are null until the ledger has been read', () => {
  expect(new ChainFigureCounter(true).get()).toBeNull();
});

test('chain figures contain the newest block, the time when it was first seen, and the last final block', () => {
  const figures = new ChainFigureCounter(true);
  figures.note(answer(10, 8, 5n), 1_000);
  figures.note(answer(10, 8), 4_000);
  expect(figures.get()).toEqual({
    ...{ height: 10, newestBlockAt: 1_000, finalHeight: 8, blockTimeMs: null, slotTimeMs: null },
    gasPrice: null,
  });
});

test('chain figures contain the average block time of the last ten minutes', () => {
  const figures = new ChainFigureCounter(true);
  figures.note(answer(1), 0);
  figures.note(answer(2), 3_600_000);
  figures.note(answer(4), 3_624_000);
  figures.note(answer(5, 5, 9n), 3_636_000);
  expect(figures.get()).toMatchObject({ height: 5, blockTimeMs: 12_000, gasPrice: 9n });
});

test('the average slot time in chain figures includes slots without a block', () => {
  const figures = new ChainFigureCounter(true);
  figures.note({ ...answer(10), slot: 100 }, 0);
  figures.note({ ...answer(18), slot: 110 }, 4_000);
  expect(figures.get()).toMatchObject({ blockTimeMs: 500, slotTimeMs: 400 });
});

test('chain figures start over when the chain gets shorter', () => {
  const figures = new ChainFigureCounter(true);
  figures.note(answer(100), 0);
  figures.note(answer(101), 1_000);
  figures.note(answer(50), 9_000);
  expect(figures.get()).toMatchObject({ height: 50, newestBlockAt: 9_000, blockTimeMs: null });
  figures.note(answer(51), 12_000);
  expect(figures.get()).toMatchObject({ height: 51, blockTimeMs: 3_000 });
});

test('chain figures keep a bounded number of blocks', () => {
  const figures = new ChainFigureCounter(true);
  for (let height = 1; height <= 1_000; height += 1) figures.note(answer(height), height < 900 ? 0 : height);
  expect(figures.get()).toMatchObject({ height: 1_000, blockTimeMs: 1 });
});

test('chain figures do not contain blocks if the plugin reports none', () => {
  const figures = new ChainFigureCounter(false);
  figures.note(answer(0), 1_000);
  expect(figures.get()).toEqual({
    ...{ height: null, newestBlockAt: null, finalHeight: null, blockTimeMs: null, slotTimeMs: null },
    gasPrice: null,
  });
});
