import { describeDialects } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { prune } from './prune.ts';

const hour = 3_600_000;

describeDialects('data with a retention time', (open, { dialect }) => {
  afterEach(() => void vi.useRealTimers());

  async function keys(ages: Record<string, number>) {
    const store = await open();
    const rows = Object.entries(ages).map(([key, age]) => [
      'scope',
      key,
      'print',
      201,
      '{}',
      Date.now() - age,
    ]);
    const columns = ['scope', 'key', 'fingerprint', 'status', 'body', 'created_at'];
    await store.transaction((tx) => tx.insertMany('idempotency', columns, rows));
    const left = async () => (await store.read.all('SELECT key FROM idempotency')).map(({ key }) => key);
    return { store, left };
  }

  test('stored responses for idempotency keys are deleted after a day', async () => {
    const { store, left } = await keys({ old: 25 * hour, recent: 23 * hour });
    await prune(store);
    expect(await left()).toEqual(['recent']);
  });

  // On SQLite, the server's clock is also the database's clock.
  if (dialect === 'sqlite') return;
  test('a server whose clock is days ahead does not delete stored responses too early', async () => {
    const { store, left } = await keys({ recent: hour });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 48 * hour });
    await prune(store);
    expect(await left()).toEqual(['recent']);
  });
});
