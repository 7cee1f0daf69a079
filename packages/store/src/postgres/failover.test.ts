import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoreError } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { ReplicatedPostgres } from '../testing/index.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

let postgres: ReplicatedPostgres;
let store: Store;

beforeAll(async () => {
  postgres = await ReplicatedPostgres.start(true);
  const timing = { connect: 1_000, listenAgain: { first: 10, longest: 100 } };
  store = await openPostgresStore({
    url: `${postgres.url}?target_session_attrs=read-write`,
    logger: silentLogger,
    timing,
    maxConnections: 4,
  });
});
afterAll(async () => {
  await store?.close();
  await postgres?.stop();
});

const insert = (name: string) =>
  store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', [name]));

it('rejects writes while the server is configured as read-only, and accepts them afterwards', async () => {
  await insert('earlier');
  await postgres.setReadOnly(true);
  const stored = () =>
    insert(`during ${performance.now()}`).then(
      () => 'stored',
      (error: StoreError) => error.native,
    );
  // An open session reads the changed configuration shortly afterwards.
  await expect.poll(stored).toBe('25006');
  expect([await stored(), await stored()]).toEqual(['25006', '25006']);
  await postgres.setReadOnly(false);
  await expect.poll(stored).toBe('stored');
});

it('continues on the promoted standby with all committed data', async () => {
  const other = await openPostgresStore({ url: postgres.url, logger: silentLogger });
  try {
    await insert('before');
    await postgres.failOver();
    await expect
      .poll(() =>
        insert('after').then(
          () => 'stored',
          () => 'unavailable',
        ),
      )
      .toBe('stored');
    const rows = await store.read.all(
      "select name from counter where name in ('before', 'after') order by name",
    );
    expect(rows).toEqual([{ name: 'after' }, { name: 'before' }]);

    const heard: string[] = [];
    store.listen('topic', (payload) => heard.push(payload));
    await expect
      .poll(() => {
        other.notify('topic', 'hint');
        return heard;
      })
      .toContain('hint');
  } finally {
    await other.close();
  }
});
