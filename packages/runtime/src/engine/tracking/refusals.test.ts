import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defaultTiming } from '../../timing.ts';
import { Refusals } from './refusals.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('logs the first refusal immediately, and the number of further refusals in one line after an interval', () => {
  const log = vi.fn();
  const refusals = new Refusals({ log, timing: defaultTiming }, 'ledger');
  for (let n = 0; n < 3_000; n += 1) refusals.add({ actionId: `a${n}`, txId: `t${n}` });
  expect(log.mock.calls).toEqual([
    ['warn', 'submit.refused', { ledgerId: 'ledger', actionId: 'a0', txId: 't0', count: 1 }],
  ]);
  vi.advanceTimersByTime(defaultTiming.tellRefused);
  expect(log).toHaveBeenLastCalledWith('warn', 'submit.refused', {
    ...{ ledgerId: 'ledger', actionId: 'a2999', txId: 't2999', count: 2_999 },
  });
  vi.advanceTimersByTime(10 * defaultTiming.tellRefused);
  expect(log).toHaveBeenCalledTimes(2);
  refusals.add({ actionId: 'b', txId: 'b' });
  expect(log).toHaveBeenCalledTimes(3);
});

test('on stop, logs the refusals that were not logged yet', () => {
  const log = vi.fn();
  const refusals = new Refusals({ log, timing: defaultTiming }, 'ledger');
  for (const id of ['a', 'b', 'c']) refusals.add({ actionId: id, txId: id });
  refusals.stop();
  expect(log).toHaveBeenLastCalledWith('warn', 'submit.refused', expect.objectContaining({ count: 2 }));
  vi.advanceTimersByTime(defaultTiming.tellRefused);
  expect(log).toHaveBeenCalledTimes(2);
});
