import type { Store } from '@ledger-ops/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defaultTiming } from '../../timing.ts';
import { RetrySchedule } from './retry-schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const due = vi.fn();
  const transaction: Store['transaction'] = () => Promise.reject(new Error('Nothing is stored here.'));
  const store: Pick<Store, 'transaction'> = { transaction };
  const context = { store: store as Store, now: Date.now, log: () => {}, timing: defaultTiming };
  return { due, retries: new RetrySchedule(context, due) };
}

test('an action that is held longer than the maximum timer delay does not make timers fire continuously', () => {
  const { due, retries } = start();
  retries.hold('action', 'a', 90 * 86_400_000);
  vi.advanceTimersByTime(120_000);
  expect(due.mock.calls.length).toBeLessThan(5);
  expect(retries.notDue()).toEqual(['action']);
  vi.advanceTimersByTime(90 * 86_400_000);
  expect(retries.notDue()).toEqual([]);
  expect(due).toHaveBeenCalled();
  retries.stop();
});

test('forgets an action that became due long ago but was not retried', () => {
  const { retries } = start();
  retries.hold('gone', 'a', 100);
  retries.hold('other', 'b', 600_000);
  vi.advanceTimersByTime(300_000);
  expect(retries.size).toBe(1);
  retries.stop();
});

test('an action does not wait longer if the clock is moved back', () => {
  const { retries } = start();
  retries.hold('action', 'a', 5_000);
  expect(retries.notDue()).toEqual(['action']);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(retries.notDue()).toEqual([]);
  retries.stop();
});
