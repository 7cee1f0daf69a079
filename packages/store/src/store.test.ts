import { count, eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { isUniqueViolation, nextId, StoreError, together, uuidv7 } from './index.ts';
import { describeDialects } from './testing/index.ts';
import type { Store, Tx } from './types.ts';

const columns = ['scope', 'key', 'fingerprint', 'status', 'body', 'created_at'];
const rowOf = (key: string, scope = 'test') => [scope, key, 'f', 201, null, 1];

const add = (tx: Tx, key: string) =>
  tx.run(
    'insert into idempotency (scope, key, fingerprint, status, body, created_at) values ($1, $2, $3, $4, null, $4)',
    ['test', key, 'f', 201],
  );

async function keys(store: Pick<Store, 'read'> | { read: Tx }): Promise<string[]> {
  const rows = await store.read.all<{ key: string }>('select key from idempotency order by key');
  return rows.map(({ key }) => key);
}

describeDialects('a store', (open) => {
  it('readers see committed data immediately', async () => {
    const store = await open();
    await store.transaction((tx) => add(tx, 'a'));
    expect(await keys(store)).toEqual(['a']);
  });

  it('a transaction sees its own writes, and readers see them only after the commit', async () => {
    const store = await open();
    const seen = await store.transaction(async (tx) => {
      await add(tx, 'a');
      return [await tx.all('select key from idempotency'), await keys(store)];
    });
    expect(seen).toEqual([[{ key: 'a' }], []]);
    expect(await keys(store)).toEqual(['a']);
  });

  it('a transaction returns the result of its work', async () => {
    const store = await open();
    expect(await store.transaction(async () => 'answer')).toBe('answer');
  });

  it('if the work of one caller throws, rolls back only that work', async () => {
    const store = await open();
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((key) =>
        store.transaction(async (tx) => {
          await add(tx, key);
          if (key === 'b') throw new RangeError('no b');
          return key;
        }),
      ),
    );
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(results[1]).toMatchObject({ reason: new RangeError('no b') });
    expect(await keys(store)).toEqual(['a', 'c', 'd']);
  });

  it('runs the statements of a transaction in order', async () => {
    const store = await open();
    await store.transaction(async (tx) => {
      await Promise.all([
        add(tx, 'a'),
        tx.run('update idempotency set fingerprint = $1', ['second']),
        tx.run("update idempotency set fingerprint = fingerprint || '!'"),
      ]);
    });
    expect(await store.read.all('select fingerprint from idempotency')).toEqual([{ fingerprint: 'second!' }]);
  });

  it('the error for a duplicate row names the violated unique index identically in both dialects', async () => {
    const store = await open();
    const organization = (uid: string, organizationId = 'org') => ({
      uid,
      id: 1,
      organizationId,
      name: 'n',
      createdAt: 1,
    });
    await store.transaction((tx) => tx.db.insert(tx.t.organization).values(organization('1')));
    const byIndex = await store
      .transaction((tx) => tx.db.insert(tx.t.organization).values(organization('2')))
      .catch((error: unknown) => error);
    expect(isUniqueViolation(byIndex, 'organization_organization_id')).toBe(true);
    expect(isUniqueViolation(byIndex, 'role_name')).toBe(false);
    const byKey = await store
      .transaction((tx) => tx.db.insert(tx.t.organization).values(organization('1', 'other')))
      .catch((error: unknown) => error);
    expect(isUniqueViolation(byKey, 'organization_pkey')).toBe(true);
    await store.transaction((tx) => tx.insertMany('idempotency', columns, [rowOf('a')]));
    const byCompositeKey = await store
      .transaction((tx) => tx.insertMany('idempotency', columns, [rowOf('a')]))
      .catch((error: unknown) => error);
    expect(isUniqueViolation(byCompositeKey, 'idempotency_scope_key_pk')).toBe(true);
  });

  it('the error for a missing value names the column that must not be null', async () => {
    const store = await open();
    await expect(
      store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, $2)', ['x', null])),
    ).rejects.toMatchObject({
      code: 'constraint',
      constraintKind: 'not-null',
      table: 'counter',
      column: 'value',
    });
  });

  it('errors never include parameter values', async () => {
    const store = await open();
    const secret = 'S3CRET-VALUE';
    await store.transaction((tx) => nextId(tx, secret));
    const attempts = [
      store.transaction((tx) => tx.db.insert(tx.t.counter).values({ name: secret, value: 1 })),
      store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', [secret])),
      store.transaction((tx) => tx.insertMany('counter', ['name', 'value'], [[secret, 1]])),
      store.transaction((tx) => tx.run('insert into counter (name, value) values ($1, null)', [secret])),
      store.transaction((tx) => tx.run('insert into counter (name) values ($1) oops', [secret])),
      store.transaction((tx) => tx.run('select abs($1, $2, $3)', [secret, secret, secret])),
      store.read.db
        .select({ x: sql`nothing` })
        .from(store.read.t.counter)
        .where(eq(store.read.t.counter.name, secret)),
      store.read.all('select nothing from nowhere where name = $1', [secret]),
    ];
    for (const result of await Promise.allSettled(attempts)) {
      expect(result.status).toBe('rejected');
      if (result.status !== 'rejected') continue;
      expect(result.reason).toBeInstanceOf(StoreError);
      const { reason } = result;
      const printed = [String(reason), reason.stack, JSON.stringify(reason), String(reason.cause)].join('\n');
      expect(printed).not.toContain(secret);
    }
  });

  it('concurrent transactions get ids without gaps or duplicates', async () => {
    const store = await open();
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, i) => store.transaction((tx) => nextId(tx, 'ids', (i % 3) + 1))),
    );
    const all = taken.flatMap((first, i) => Array.from({ length: (i % 3) + 1 }, (_, n) => first + n));
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: all.length }, (_, i) => i + 1));
  });

  it('inserts 5,000 rows in one statement', async () => {
    const store = await open();
    const rows = Array.from({ length: 5_000 }, () => rowOf(uuidv7()));
    await store.transaction((tx) => tx.insertMany('idempotency', columns, rows));
    const [row] = await store.read.db.select({ n: count() }).from(store.read.t.idempotency);
    expect(row).toEqual({ n: 5_000 });
  });

  it('bulk inserts keep bytes, nulls, quotes and braces unchanged', async () => {
    const store = await open();
    const texts = [
      'plain',
      '',
      'null',
      'NULL',
      '{a,b}',
      '"q"',
      "'s'",
      'back\\slash',
      'two\nlines\tand "q" \\ \u0085',
      'ümlaut ☃',
      'a,b',
      '$1',
    ];
    await store.transaction(async (tx) => {
      await tx.insertMany(
        'action_grant',
        ['action_id', 'sealed'],
        texts.map((text) => [text, new Uint8Array([0, 255, text.length])]),
      );
      await tx.insertMany(
        'wallet_throttle',
        ['key', 'points', 'blocked_until', 'right_at', 'expires_at'],
        [['max', Number.MAX_SAFE_INTEGER, 0, null, -1]],
      );
    });
    const rows = await store.read.all<{ action_id: string; sealed: Uint8Array }>(
      'select * from action_grant',
    );
    expect(new Map(rows.map((row) => [row.action_id, row.sealed]))).toEqual(
      new Map(texts.map((text) => [text, new Uint8Array([0, 255, text.length])])),
    );
    expect(await store.read.db.select().from(store.read.t.walletThrottle)).toEqual([
      { key: 'max', points: Number.MAX_SAFE_INTEGER, blockedUntil: 0, rightAt: null, expiresAt: -1 },
    ]);
    const [byDrizzle] = await store.read.db.select().from(store.read.t.grant).limit(1);
    expect(byDrizzle?.sealed.constructor).toBe(Uint8Array);
  });

  it('runs prepared statements repeatedly, with parameters in any order', async () => {
    const store = await open();
    await store.transaction(async (tx) => {
      await tx.insertMany('idempotency', columns, [rowOf('a'), rowOf('b'), rowOf('c', 'other')]);
      expect(
        await tx.all(
          "select key, '$1' as text, created_at from idempotency where scope = $2 and key >= $1 and $1 <> $2 order by key",
          ['a', 'test'],
        ),
      ).toEqual([
        { key: 'a', text: '$1', created_at: 1 },
        { key: 'b', text: '$1', created_at: 1 },
      ]);
      expect(await tx.run('update idempotency set status = $2 where scope = $1', ['test', 202])).toBe(2);
      expect(await tx.run('delete from idempotency where scope = $1', ['nobody'])).toBe(0);
      expect(
        await tx.all('update idempotency set status = $1 where key = $2 returning key, status', [204, 'c']),
      ).toEqual([{ key: 'c', status: 204 }]);
    });
  });

  it('integer division returns an integer', async () => {
    const store = await open();
    await store.transaction((tx) =>
      tx.run('insert into counter (name, value) values ($1, $2)', ['seven', 7]),
    );
    expect(await store.read.all('select value / $1 as half from counter', [2])).toEqual([{ half: 3 }]);
  });

  it('sorts strings by their bytes and compares LIKE case-sensitively', async () => {
    const store = await open();
    await store.transaction((tx) =>
      tx.insertMany(
        'idempotency',
        columns,
        ['b', 'A', 'ä', 'a', 'B', '_', 'Z'].map((key) => rowOf(key)),
      ),
    );
    expect(await keys(store)).toEqual(['A', 'B', 'Z', '_', 'a', 'b', 'ä']);
    expect(await store.read.all("select key from idempotency where key like 'a%'")).toEqual([{ key: 'a' }]);
  });

  it('a failed statement fails its transaction even if the work catches the error', async () => {
    const store = await open();
    const failing = store.transaction(async (tx) => {
      await add(tx, 'a');
      await add(tx, 'a').catch(() => undefined);
      return 'done';
    });
    await expect(failing).rejects.toMatchObject({ code: 'constraint' });
    expect(await keys(store)).toEqual([]);
    await expect(
      store.transaction(async (tx) => {
        await add(tx, 'a');
        await add(tx, 'a').catch(() => undefined);
        await add(tx, 'b');
      }),
    ).rejects.toMatchObject({ code: 'misuse' });
  });

  it('statements that are started at the same time run in order', async () => {
    const store = await open();
    const found = await store.transaction(async (tx) => {
      const [, before, , after] = await together(
        add(tx, 'a'),
        keys({ read: tx }),
        add(tx, 'b'),
        keys({ read: tx }),
      );
      return { before, after };
    });
    expect(found).toEqual({ before: ['a'], after: ['a', 'b'] });
  });

  it('if statements started at the same time fail, throws the first error and stores nothing', async () => {
    const store = await open();
    const failing = store.transaction((tx) =>
      together(add(tx, 'a'), add(tx, 'a'), add(tx, 'b'), tx.run('select nothing from nowhere')),
    );
    await expect(failing).rejects.toMatchObject({ code: 'constraint', constraintKind: 'unique' });
    expect(await keys(store)).toEqual([]);
    await store.transaction((tx) => together(add(tx, 'a'), add(tx, 'b')));
    expect(await keys(store)).toEqual(['a', 'b']);
  });

  it('a counter returns the last committed value, or 0 before the first commit', async () => {
    const store = await open();
    expect(await Promise.all([store.counter('a'), store.counter('b')])).toEqual([0, 0]);
    await store.transaction((tx) => nextId(tx, 'a', 3));
    const first = store.counter('a');
    // From here on, a shared read may already have started when this counter is requested for the first time.
    await Promise.resolve();
    await store.transaction((tx) => nextId(tx, 'c'));
    expect(await Promise.all([first, store.counter('a'), store.counter('c')])).toEqual([3, 3, 1]);
  });

  it('rejects a nested transaction', async () => {
    const store = await open();
    const nested = store.transaction(async () => await store.transaction(async () => 1));
    await expect(nested).rejects.toMatchObject({ code: 'misuse' });
    const later = await store.transaction(async (tx) => {
      const started: Promise<number>[] = [];
      tx.afterCommit(() => started.push(store.transaction((inner) => nextId(inner, 'later'))));
      return started;
    });
    expect(await Promise.all(later)).toEqual([1]);
  });

  it('rejects statements after their transaction has ended', async () => {
    const store = await open();
    const kept = await store.transaction(async (tx) => [tx]);
    const other = store.transaction(async (tx) => {
      await add(tx, 'a');
      for (const old of kept) await expect(add(old, 'b')).rejects.toMatchObject({ code: 'misuse' });
    });
    await other;
    expect(await keys(store)).toEqual(['a']);
  });

  it('runs afterCommit callbacks after the commit, but not after a rollback', async () => {
    const store = await open();
    const events: string[] = [];
    await store.transaction(async (tx) => {
      tx.afterCommit(() => events.push('first'));
      tx.afterCommit(() => {
        throw new Error('ignored');
      });
      tx.afterCommit(() => events.push('second'));
      events.push('work');
    });
    const failed = store.transaction(async (tx) => {
      tx.afterCommit(() => events.push('never'));
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(events).toEqual(['work', 'first', 'second']);
  });

  it('notifies listeners of this process immediately, until they unsubscribe', async () => {
    const store = await open();
    const heard: string[] = [];
    const leave = store.listen('topic', (payload) => heard.push(payload));
    store.notify('topic', 'one');
    store.notify('other', 'two');
    expect(heard).toEqual(['one']);
    leave();
    store.notify('topic', 'three');
    expect(heard).toEqual(['one']);
  });

  it('rejects notifications that are too long', async () => {
    const store = await open();
    expect(() => store.notify('topic', 'x'.repeat(7_900))).toThrow(StoreError);
    expect(() => store.notify('two\nlines')).toThrow(StoreError);
    store.notify('topic', 'x'.repeat(7_895));
  });

  it('now() returns the time in milliseconds', async () => {
    const store = await open();
    const before = Date.now();
    const now = await store.now();
    expect(Number.isSafeInteger(now)).toBe(true);
    expect(now).toBeGreaterThan(before - 5_000);
    expect(now).toBeLessThan(Date.now() + 5_000);
  });

  it('close() finishes queued transactions and rejects new ones', async () => {
    const store = await open();
    const waiting = store.transaction((tx) => add(tx, 'a'));
    await Promise.all([waiting, store.close(), store.close()]);
    await expect(store.transaction(async () => 1)).rejects.toMatchObject({ code: 'misuse' });
    await expect(store.read.all('select 1 as one')).rejects.toMatchObject({ code: 'misuse' });
  });

  it('rejects a bulk insert whose rows do not match its columns', async () => {
    const store = await open();
    for (const row of [['a'], ['a', 1, 2]]) {
      const failing = store.transaction((tx) => tx.insertMany('counter', ['name', 'value'], [['b', 1], row]));
      await expect(failing).rejects.toMatchObject({ code: 'statement' });
    }
    const unknown = store.transaction((tx) => tx.insertMany('counter', ['name', 'nothing'], [['b', 1]]));
    await expect(unknown).rejects.toMatchObject({ code: 'statement' });
    expect(await store.read.all('select name from counter')).toEqual([]);
  });
});
