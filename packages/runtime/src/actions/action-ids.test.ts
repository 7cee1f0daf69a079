import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { namedIn } from './action-ids.ts';

describeStores('an action by its id, or by the one that its sender chose', (open) => {
  it('is found by indexes, however many actions there are', async () => {
    const store = await open();
    const { dialect } = store;
    const query = `SELECT * FROM action WHERE ${namedIn(dialect, '$1')}`;
    const plan = await store.transaction(async (tx) => {
      // So few rows as here are read one by one, if that is at all possible.
      if (dialect === 'postgres') await tx.run('SET LOCAL enable_seqscan = off');
      const explain = dialect === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
      return JSON.stringify(await tx.all(`${explain} ${query}`, [JSON.stringify(['one', 'two'])]));
    });
    expect(plan).not.toMatch(/Seq Scan on action|SCAN action/);
  });
});
