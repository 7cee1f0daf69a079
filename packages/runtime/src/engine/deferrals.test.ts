import type { Store } from '@ledger-ops/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeferrals } from './deferrals.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const due = vi.fn();
  const transaction: Store['transaction'] = () => Promise.reject(new Error('Nothing is stored here.'));
  const store: Pick<Store, 'transaction'> = { transaction };
  return { due, deferrals: createDeferrals({ store: store as Store, now: Date.now, log: () => {}, due }) };
}

test('what is held longer than a timer can run does not keep the server busy', () => {
  const { due, deferrals } = start();
  deferrals.hold('action', 'a', 90 * 86_400_000);
  vi.advanceTimersByTime(120_000);
  expect(due.mock.calls.length).toBeLessThan(5);
  expect(deferrals.late()).toEqual(['action']);
  vi.advanceTimersByTime(90 * 86_400_000);
  expect(deferrals.late()).toEqual([]);
  expect(due).toHaveBeenCalled();
  deferrals.stop();
});

test('what nobody asks for any more is forgotten', () => {
  const { deferrals } = start();
  deferrals.hold('gone', 'a', 100);
  deferrals.hold('other', 'b', 600_000);
  vi.advanceTimersByTime(300_000);
  expect(deferrals.size).toBe(1);
  deferrals.stop();
});

test('a clock that is set back makes nothing wait longer', () => {
  const { deferrals } = start();
  deferrals.hold('action', 'a', 5_000);
  expect(deferrals.late()).toEqual(['action']);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(deferrals.late()).toEqual([]);
  deferrals.stop();
});
