import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallError, type Caller } from '../src/caller.ts';
import { DemoActivity } from '../src/demo/activity.ts';

const minute = 60_000;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the demo sends an operation every 5 seconds for ten minutes, then every 30 seconds', async () => {
  const sent: (string | undefined)[] = [];
  const caller: Caller = { call: async () => ({ actionId: `action ${sent.length}` }) };
  const next = (_: number, last: string | undefined) => {
    sent.push(last);
    return {};
  };
  using activity = new DemoActivity(caller, next, () => undefined);
  await vi.advanceTimersByTimeAsync(10 * minute);
  expect(sent.length).toBe(120);
  expect(sent.slice(0, 3)).toEqual([undefined, 'action 1', 'action 2']);
  await vi.advanceTimersByTimeAsync(10 * minute);
  expect(sent.length).toBe(140);
  activity[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(10 * minute);
  expect(sent.length).toBe(140);
});

test('the demo continues after a refused operation, and shows a repeated refusal only once', async () => {
  let tries = 0;
  const caller: Caller = {
    async call() {
      tries += 1;
      throw new CallError('POST /v1/ledger-ops/send', 403, { detail: 'Not permitted.' });
    },
  };
  const lines: string[] = [];
  using _ = new DemoActivity(
    caller,
    () => ({}),
    (line) => void lines.push(line),
  );
  await vi.advanceTimersByTimeAsync(minute);
  expect(tries).toBe(12);
  expect(lines).toEqual(['Demo: an operation was refused: Not permitted.']);
});
