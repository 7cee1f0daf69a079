import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOutputLog } from './output-log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const lines: unknown[] = [];
  const log = createOutputLog('mine', {
    log: (level, event, fields) => void lines.push([level, event, fields.detail]),
    redact: (text) => text.replaceAll('hidden', '[secret]'),
    now: Date.now,
  });
  return { log, lines };
}

test('logs plugin output one line per entry, without secrets', () => {
  const { log, lines } = open();
  log.take('the \u001b[2J\r\u202e hidden word');
  expect(lines).toEqual([['info', 'plugin.output', 'the  [2J  [secret] word']]);
});

test('counts plugin output beyond the limit per minute, and logs again in the next minute', () => {
  const { log, lines } = open();
  for (let count = 0; count < 1_000; count += 1) log.take('again');
  expect(lines).toHaveLength(200);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(200)).toEqual([
    ['warn', 'plugin.output', '800 more lines of its output in that minute were omitted'],
  ]);
  log.take('x'.repeat(2_000));
  expect(lines).toHaveLength(202);
  for (let count = 0; count < 100; count += 1) log.take('x'.repeat(2_000));
  expect(lines).toHaveLength(201 + 32);
  log.close();
  expect(lines.at(-1)).toMatchObject(['warn', 'plugin.output', expect.stringMatching(/^69 more lines/)]);
});
