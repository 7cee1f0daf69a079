import { expect, it } from 'vitest';
import { once, recordAnswer, type Store, type Tx } from './index.ts';
import { describeDialects } from './testing/index.ts';

describeDialects('the response stored for an Idempotency-Key', (open, { dialect, locate }) => {
  const claim = { scope: 'app/identity', key: 'k1', fingerprint: 'f' };
  const kept = async ({ read }: Store) =>
    (await read.db.select().from(read.t.idempotency)).map(({ scope, status, body }) => [scope, status, body]);
  const count = async (tx: Tx, name: string) => {
    await tx.db.insert(tx.t.counter).values({ name, value: 1 });
    return { name };
  };
  const counted = async ({ read }: Store) =>
    (await read.db.select().from(read.t.counter)).map(({ name }) => name);

  it('stores an idempotent response once per scope and key, and rolls back the transaction of a second claim', async () => {
    const store = await open();
    await store.transaction((tx) => recordAnswer(tx, claim, 201, '{"a":1}'));
    const second = store.transaction(async (tx) => {
      await tx.db.insert(tx.t.counter).values({ name: 'made by the second', value: 1 });
      await recordAnswer(tx, claim, 201, null);
    });
    await expect(second).rejects.toMatchObject({ problem: 'conflict' });
    expect(await counted(store)).toEqual([]);
    await store.transaction((tx) => recordAnswer(tx, { ...claim, scope: 'other' }, 201, null));
    expect(await kept(store)).toEqual([
      ['app/identity', 201, '{"a":1}'],
      ['other', 201, null],
    ]);
  });

  it('an idempotent response and its work are either both committed or both rolled back', async () => {
    const store = await open();
    const broken = once(store, { claim, status: 201 }, async (tx) => {
      await count(tx, 'broken');
      throw new TypeError('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect([await counted(store), await kept(store)]).toEqual([[], []]);
    expect(await once(store, { claim, status: 200 }, (tx) => count(tx, 'whole'))).toEqual({ name: 'whole' });
    expect([await counted(store), await kept(store)]).toEqual([
      ['whole'],
      [['app/identity', 200, '{"name":"whole"}']],
    ]);
  });

  it('does not store a response that contains a secret, and handles a request without a key', async () => {
    const store = await open();
    await once(store, { claim, status: 201, secret: true }, (tx) => count(tx, 'secret'));
    await once(store, { claim: undefined, status: 201 }, (tx) => count(tx, 'without a key'));
    expect(await kept(store)).toEqual([['app/identity', 201, null]]);
    expect((await counted(store)).toSorted()).toEqual(['secret', 'without a key']);
  });

  it('concurrent requests with one Idempotency-Key do the work once, even on several servers', async () => {
    const place = await locate();
    const first = await open(place);
    // A SQLite file can be open in only one process at a time.
    const second = dialect === 'postgres' ? await open(place) : first;
    let works = 0;
    const requests = Array.from({ length: 10 }, (_, nth) =>
      once(nth % 2 === 0 ? first : second, { claim, status: 201 }, async (tx) => {
        works += 1;
        return await count(tx, `request ${nth}`);
      }),
    );
    const settled = await Promise.allSettled(requests);
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(9);
    for (const reason of refused) expect(reason).toMatchObject({ problem: 'conflict' });
    expect(works).toBe(1);
    const [name] = await counted(first);
    expect(await kept(first)).toEqual([['app/identity', 201, JSON.stringify({ name })]]);
  });

  it("an idempotent response is stored with the time of the database's clock", async () => {
    const store = await open();
    const before = await store.now();
    await once(store, { claim, status: 201 }, (tx) => count(tx, 'dated'));
    const [row] = await store.read.all<{ created_at: number }>('SELECT created_at FROM idempotency');
    expect(row?.created_at).toBeGreaterThanOrEqual(before);
    expect(row?.created_at).toBeLessThanOrEqual(await store.now());
  });
});
