import { expect, it } from 'vitest';
import { openStore } from './open-store.ts';
import { describeDialects } from './testing/index.ts';

describeDialects('the store meter', (_open, { locate }) => {
  it('the meter counts reads, writes and whole transactions, including failed ones', async () => {
    const told: string[] = [];
    const took = (what: string, milliseconds: number, isDone: boolean) => {
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      told.push(`${what} ${isDone ? 'ok' : 'error'}`);
    };
    const store = await openStore({ ...(await locate()), meter: { took } });
    try {
      told.length = 0;
      await store.read.all('select key from idempotency');
      await store.transaction((tx) => tx.run('delete from idempotency'));
      await expect(store.transaction((tx) => tx.run('delete from nothing'))).rejects.toThrow();
      await expect(store.read.all('select key from nothing')).rejects.toThrow();
      expect(told).toEqual([
        'read ok',
        'write ok',
        'transaction ok',
        'write error',
        'transaction error',
        'read error',
      ]);
    } finally {
      await store.close();
    }
  });
});
