import { describeDialects } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import {
  addToSummaries,
  durationClass,
  durationOfClass,
  pruneSummaries,
  readSummaries,
  type SummarizedAction,
} from '../src/rows/actions/summaries.ts';

const minute = 60_000;
const finished = (given: Partial<SummarizedAction> = {}): SummarizedAction => ({
  ...{ projectUid: 'mill', ledgerUid: 'ledger', outcome: 'succeeded', durationMs: 1_000, fee: null },
  ...given,
});

test('the duration class in a summary differs from the exact duration by at most 9%', () => {
  for (const duration of [1, 7, 90, 1_234, 60_000, 86_400_000]) {
    const shown = durationOfClass(durationClass(duration));
    // For less than 10 ms, rounding to whole milliseconds causes a larger difference.
    expect(Math.abs(shown - duration)).toBeLessThanOrEqual(Math.max(1, duration * 0.091));
  }
});

describeDialects('summaries of finished actions', (open) => {
  test('summaries count actions by outcome and period, and add up fees beyond 64 bits', async () => {
    const store = await open();
    const now = 100 * minute;
    const fee = 10n ** 24n - 7n;
    await store.transaction(async (tx) => {
      await addToSummaries(
        tx,
        [finished({ fee: String(fee) }), finished({ outcome: 'failed' })],
        now - minute,
      );
      await addToSummaries(tx, [finished({ fee: String(fee) }), finished({ outcome: 'canceled' })], now);
      await addToSummaries(tx, [finished({ projectUid: 'other', durationMs: 90_000 })], now);
    });
    const own = await readSummaries(store.read, 'mill', { level: 0, first: 99 });
    expect(own.spans.map(({ span, outcome, n }) => [Number(span), outcome, n]).toSorted()).toEqual([
      [100, 'canceled', 1],
      [100, 'succeeded', 1],
      [99, 'failed', 1],
      [99, 'succeeded', 1],
    ]);
    expect(own.fees).toEqual([{ ledgerUid: 'ledger', ledgerId: 'ledger', fee: 2n * fee }]);
    expect(own.durations.map(({ n }) => n)).toEqual([2]);
    const later = await readSummaries(store.read, 'mill', { level: 0, first: 100 });
    expect(later.spans.map(({ n }) => n)).toEqual([1, 1]);
    const all = await readSummaries(store.read, null, { level: 0, first: 99 });
    expect(all.durations.map(({ n }) => n)).toEqual([2, 1]);
  });

  test('summaries cap an implausibly large fee that a plugin reports', async () => {
    const store = await open();
    await store.transaction((tx) => addToSummaries(tx, [finished({ fee: '9'.repeat(78) })], minute));
    const { spans, fees } = await readSummaries(store.read, 'mill', { level: 0, first: 0 });
    expect(spans.map(({ n }) => n)).toEqual([1]);
    expect(fees.map(({ fee }) => fee)).toEqual([10n ** 24n]);
  });

  test('removes summaries that no chart shows anymore, and keeps the others', async () => {
    const store = await open();
    const now = 100 * 86_400_000;
    await store.transaction(async (tx) => {
      for (const days of [0, 1, 40]) await addToSummaries(tx, [finished()], now - days * 86_400_000);
    });
    await pruneSummaries(store, now, () => false);
    const counts = await Promise.all(
      [0, 1, 2].map(async (level) => {
        const { spans } = await readSummaries(store.read, 'mill', { level, first: 0 });
        return spans.reduce((sum, { n }) => sum + n, 0);
      }),
    );
    expect(counts).toEqual([1, 2, 2]);
  });
});
