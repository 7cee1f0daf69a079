import { expect, test } from 'vitest';
import type { PastPlace, PastRange } from '../../rows/actions/past.ts';
import { UncheckedPast } from './unchecked-past.ts';

/** The actions of one shard were settled at the times 1, 2, 3 and so on up to `count`. */
const count = 50;
const pageSize = 5;
const place = (settledAt: number): PastPlace => ({ settledAt, id: `action-${settledAt}` });

/** Compares the next page of each range, and records the turn in which each action was compared. */
function compare(unchecked: UncheckedPast, comparedAt: Map<number, number>, turn: number) {
  for (const range of unchecked.ranges) {
    const newest = (range.before?.settledAt ?? count + 1) - 1;
    const oldest = Math.max(range.until?.settledAt ?? 1, newest - pageSize + 1);
    for (let at = newest; at >= oldest; at -= 1) comparedAt.set(at, turn);
    const isPageFull = newest - oldest + 1 === pageSize;
    unchecked.advance(range, isPageFull ? { ...range, before: place(oldest) } : null);
  }
}

test('if the comparison with the ledger restarts, it reads every action again, newest first', () => {
  for (let first = 0; first <= 12; first += 1) {
    for (let second = 0; second <= 12; second += 1) {
      const unchecked = new UncheckedPast();
      const comparedAt = new Map<number, number>();
      let turn = 0;
      const run = (turns: number) => {
        for (let n = 0; n < turns && unchecked.ranges.length > 0; n += 1) {
          turn += 1;
          compare(unchecked, comparedAt, turn);
        }
      };
      unchecked.restart([1]);
      run(first);
      unchecked.restart([1]);
      run(second);
      unchecked.restart([1]);
      const restarted = turn;
      run(count);
      expect(unchecked.ranges).toEqual([]);
      expect([...comparedAt.values()].filter((at) => at <= restarted)).toEqual([]);
      expect(comparedAt.size).toBe(count);
      expect(comparedAt.get(count)).toBe(restarted + 1);
    }
  }
});

test('a comparison that restarts repeatedly still reaches the oldest action', () => {
  const unchecked = new UncheckedPast();
  const comparedAt = new Map<number, number>();
  for (let turn = 1; turn <= count / pageSize + 1; turn += 1) {
    unchecked.restart([1]);
    compare(unchecked, comparedAt, turn);
  }
  expect(comparedAt.has(1)).toBe(true);
});

test('compares a page again if its range was restarted during the comparison, but not if the range was dropped', () => {
  const unchecked = new UncheckedPast();
  unchecked.restart([1, 2]);
  const [first, second] = unchecked.ranges as [PastRange, PastRange];
  unchecked.restart([1]);
  unchecked.drop([2]);
  unchecked.advance(first, { ...first, before: place(3) });
  unchecked.advance(second, { ...second, before: place(3) });
  expect(unchecked.ranges).toEqual([{ shard: 1, before: null, until: null }]);
});
