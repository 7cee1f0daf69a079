import { expect, test } from 'vitest';
import { withoutFigures } from './nothing-told.ts';

/** Returns a summary of two spans of half an hour. */
function summaryOf(from: string, succeeded: readonly [number, number]): string {
  const at = (span: number) => new Date(Date.parse(from) + span * 1_800_000).toISOString();
  const spans = succeeded.map((count, span) => ({
    ...{ at: at(span), succeeded: count, failed: 0, canceled: 0 },
  }));
  return JSON.stringify({ from, spanSeconds: 1_800, spans, duration: null, fees: [] });
}

test('two summaries read in different half hours are equal, unless an action finished in between', () => {
  const before = withoutFigures(summaryOf('2026-01-01T00:00:00.000Z', [0, 3]));
  expect(withoutFigures(summaryOf('2026-01-01T00:30:00.000Z', [3, 0]))).toBe(before);
  expect(withoutFigures(summaryOf('2026-01-01T00:30:00.000Z', [3, 1]))).not.toBe(before);
});
