import { afterEach, expect, test, vi } from 'vitest';
import type { Caller } from '../src/caller.ts';
import { follow } from '../src/follow.ts';
import { waitingText } from '../src/plugin/waiting-text.ts';

afterEach(() => vi.useRealTimers());

/** Returns a caller whose service returns an action of this status. */
const callerOf = (status: string): Caller => ({
  call: async () => ({ status, locator: null }),
});

test('following an action returns its final status', async () => {
  const lines: string[] = [];
  expect(await follow(callerOf('SUCCEEDED'), 'id', (line) => lines.push(line))).toBe('SUCCEEDED');
  expect(await follow(callerOf('FAILED'), 'id', (line) => lines.push(line))).toBe('FAILED');
  expect(lines).toEqual(['  SUCCEEDED', '  FAILED']);
});

test('following an action ends after a minute, and reports that it is pending', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const lines: string[] = [];
  const show = (line: string) => {
    lines.push(line);
    vi.setSystemTime(Date.now() + 60_000);
  };
  expect(await follow(callerOf('PENDING'), 'id', show)).toBe('PENDING');
  expect(lines).toEqual(['  PENDING', '  still pending after 60 seconds']);
});

test('a pending operation is not reported as one that did not succeed', () => {
  const next = 'for changes in /plugin, or for Enter';
  expect(waitingText('SUCCEEDED', next)).toBe(`Waiting ${next}.`);
  expect(waitingText('PENDING', next)).toBe(
    `The operation is still pending, and the server continues with it. To send another one, it waits ${next}.`,
  );
  expect(waitingText('FAILED', next)).toBe(
    `The operation did not succeed. The server keeps running. Before it tries again, it waits ${next}.`,
  );
});
