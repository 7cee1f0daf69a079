import { describeDialects } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { namedIn } from './action-ids.ts';

describeDialects('action lookup by id', (open) => {
  it('looking up actions by their ids, or by ids that the callers chose, uses indexes', async () => {
    const store = await open();
    const { dialect } = store;
    const query = `SELECT * FROM action WHERE ${namedIn(dialect, '$1')}`;
    const plan = await store.transaction(async (tx) => {
      // PostgreSQL prefers a sequential scan for a table this small.
      if (dialect === 'postgres') await tx.run('SET LOCAL enable_seqscan = off');
      const explain = dialect === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
      return JSON.stringify(await tx.all(`${explain} ${query}`, [JSON.stringify(['one', 'two'])]));
    });
    expect(plan).not.toMatch(/Seq Scan on action|SCAN action/);
  });
});
