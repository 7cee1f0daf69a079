import { expect, it } from 'vitest';
import { recordAnswer } from './index.ts';
import { describeStores } from './testing/index.ts';

describeStores('the answer kept for an Idempotency-Key', (open) => {
  const claim = { scope: 'app/identity', key: 'k1', fingerprint: 'f' };

  it('is written once per scope and key, and a second claim undoes its transaction', async () => {
    const store = await open();
    await store.transaction((tx) => recordAnswer(tx, claim, 201, '{"a":1}', 5));
    const second = store.transaction(async (tx) => {
      await tx.db.insert(tx.t.counter).values({ name: 'made by the second', value: 1 });
      await recordAnswer(tx, claim, 201, null, 6);
    });
    await expect(second).rejects.toMatchObject({ problem: 'conflict' });
    expect(await store.read.db.select().from(store.read.t.counter)).toEqual([]);
    await store.transaction((tx) => recordAnswer(tx, { ...claim, scope: 'other' }, 201, null, 7));
    const rows = await store.read.db.select().from(store.read.t.idempotency);
    expect(rows.map(({ scope, body }) => [scope, body])).toEqual([
      ['app/identity', '{"a":1}'],
      ['other', null],
    ]);
  });
});
