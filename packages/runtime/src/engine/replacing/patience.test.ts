import { expect, test } from 'vitest';
import { defaultTiming } from '../../timing.ts';
import { type Moment, patienceOf } from './patience.ts';

const { patience: patienceTime, patienceBlocks, idlePatience, slowPatience } = defaultTiming;
const moment = (at: number, height: number | null): Moment => ({ at, height });
const start = moment(1_000_000, 100);

function times(replaceAfter: number | undefined, time: number, blocks: number): number | undefined {
  return patienceOf(replaceAfter, defaultTiming)?.times(start, moment(start.at + time, 100 + blocks));
}

test('while the ledger creates blocks, the replacement interval is four blocks, and at least ten seconds', () => {
  expect(times(undefined, patienceTime, patienceBlocks)).toBe(1);
  expect(times(undefined, patienceTime - 1, patienceBlocks)).toBe(0);
  expect(times(undefined, patienceTime, patienceBlocks - 1)).toBe(0);
  expect(times(undefined, 48_000, 4)).toBe(1);
  expect(times(undefined, 96_000, 8)).toBe(2);
  expect(times(undefined, 2 * patienceTime, 20)).toBe(2);
});

test('the replacement interval is 30 seconds if there is no new block, and two minutes if there are too few new blocks', () => {
  expect(times(undefined, idlePatience - 1, 0)).toBe(0);
  expect(times(undefined, idlePatience, 0)).toBe(1);
  expect(times(undefined, slowPatience - 1, 1)).toBe(0);
  expect(times(undefined, slowPatience, 1)).toBe(1);
});

test('an unknown or decreased height counts as no new blocks', () => {
  const patience = patienceOf(undefined, defaultTiming);
  const later = start.at + idlePatience;
  expect(patience?.times(moment(start.at, null), moment(later, 200))).toBe(1);
  expect(patience?.times(start, moment(later, 50))).toBe(1);
  expect(patience?.hadBlocks(moment(start.at, null), moment(later, 200))).toBe(false);
});

test('the property replace_after sets the replacement interval in seconds, and 0 disables replacement', () => {
  expect(times(7.5, 7_499, 100)).toBe(0);
  expect(times(7.5, 7_500, 0)).toBe(1);
  expect(times(7.5, 15_000, 0)).toBe(2);
  expect(patienceOf(0, defaultTiming)).toBeNull();
  expect(patienceOf(null, defaultTiming)).not.toBeNull();
});

test('a failed replacement is retried after two blocks and two seconds, or after ten seconds', () => {
  const again = (time: number, blocks: number) =>
    patienceOf(undefined, defaultTiming)?.again(start, moment(start.at + time, 100 + blocks));
  expect(again(2_000, 2)).toBe(true);
  expect(again(1_999, 9)).toBe(false);
  expect(again(9_999, 1)).toBe(false);
  expect(again(10_000, 0)).toBe(true);
});
