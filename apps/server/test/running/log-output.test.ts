import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogOutput } from '../../src/logging/log-output.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const refusal = (code: string) => Object.assign(new Error(code), { code });

test('when a full disk has space again, the log completes the interrupted line and then writes the buffered lines', () => {
  let room = 5;
  let text = '';
  const onLost = vi.fn();
  const output = createLogOutput(1, onLost, (_fd, bytes) => {
    if (room === 0) throw refusal('ENOSPC');
    const part = Buffer.from(bytes).subarray(0, room);
    room -= part.length;
    text += part.toString();
    return part.length;
  });
  output.write('first\n');
  vi.advanceTimersByTime(1_000);
  expect(text).toBe('first');
  output.write('second\n');
  vi.advanceTimersByTime(60_000);
  expect(text).toBe('first');
  room = 1_000;
  vi.advanceTimersByTime(100);
  expect(text).toBe('first\nsecond\n');
  expect(onLost).not.toHaveBeenCalled();
});

test('the log reports how many lines were dropped, at the place where they are missing', () => {
  let refused = true;
  let text = '';
  const output = createLogOutput(
    1,
    (count) => output.write(`${count} lost\n`),
    (_fd, bytes) => {
      if (refused) throw refusal('EAGAIN');
      text += Buffer.from(bytes).toString();
      return bytes.length;
    },
  );
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 5_000; count += 1) output.write(line);
  refused = false;
  vi.advanceTimersByTime(100);
  output.write('after\n');
  vi.advanceTimersByTime(1_000);
  expect(text.replaceAll(line, '-')).toBe(`${'-'.repeat(4_096)}904 lost\nafter\n`);
});
