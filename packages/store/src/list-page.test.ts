import { eq, getTableColumns, type SQL } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { containsText, forUpdate, listPage } from './index.ts';
import { describeDialects } from './testing/index.ts';
import type { Store } from './types.ts';

/** Name and client of each node; the client is null if the node has none. */
const nodes: readonly [string, string | null][] = [
  ['d', 'geth'],
  ['a', null],
  ['c', 'geth'],
  ['e', 'besu'],
  ['b', null],
  ['f', 'reth'],
];

async function fill(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.db.insert(tx.t.node).values(
      nodes.map(([name, client], id) => ({
        uid: `uid-${name}`,
        id,
        nodeId: name,
        scope: 'p',
        ledgerUid: id % 2 === 0 ? 'even' : 'odd',
        name,
        uri: `http://${name}_100%`,
        client,
        properties: '{}',
        position: 0,
        createdAt: 1,
      })),
    );
  });
}

describeDialects('a paged listing', (open) => {
  it('lists pages in a total order, with the total number of rows', async () => {
    const store = await open();
    await fill(store);
    const { node } = store.read.t;
    const pages = await Promise.all(
      [0, 1, 2, 3].map((page) =>
        listPage(
          store.read,
          { table: node, columns: { position: node.position }, tieBreaker: node.uid },
          { page, size: 2, sort: [{ key: 'position', direction: 'desc' }] },
        ),
      ),
    );
    expect(pages.map(({ items }) => items.map(({ name }) => name))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      [],
    ]);
    expect(pages.map(({ total }) => total)).toEqual([6, 6, 6, 6]);
  });

  it('does not read the long columns that a listing does not show', async () => {
    const store = await open();
    await fill(store);
    const { node } = store.read.t;
    const without = ['properties', 'client'] as const;
    const { items } = await listPage(
      store.read,
      { table: node, without, columns: {}, tieBreaker: node.uid },
      { page: 0, size: 1, sort: [] },
    );
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(
      Object.keys(getTableColumns(node))
        .filter((name) => name !== 'properties' && name !== 'client')
        .sort(),
    );
  });

  it('a page continues after a given row even if rows were deleted, and counts the remaining ones', async () => {
    const store = await open();
    await fill(store);
    const { node } = store.read.t;
    const after = async (number: number | undefined) => {
      const { items, total } = await listPage(
        store.read,
        { table: node, columns: {}, created: node.id, tieBreaker: node.uid },
        { page: 0, size: 2, sort: [], ...(number === undefined ? {} : { after: number }) },
      );
      return [items.map(({ name }) => name).join(''), total];
    };
    expect(await after(undefined)).toEqual(['da', 6]);
    await store.transaction(async (tx) => {
      await tx.db.delete(tx.t.node).where(eq(tx.t.node.name, 'd'));
      await tx.db.delete(tx.t.node).where(eq(tx.t.node.name, 'a'));
    });
    expect(await after(1)).toEqual(['ce', 4]);
    expect(await after(3)).toEqual(['bf', 2]);
    expect(await after(5)).toEqual(['', 0]);
  });

  it('sorts by several keys, with nulls first in ascending and last in descending order', async () => {
    const store = await open();
    await fill(store);
    const { node } = store.read.t;
    const list = async (direction: 'asc' | 'desc') => {
      const { client, name, uid } = node;
      const { items } = await listPage(
        store.read,
        { table: node, columns: { client, name }, tieBreaker: uid },
        {
          page: 0,
          size: 20,
          sort: [
            { key: 'client', direction },
            { key: 'name', direction: 'desc' },
          ],
        },
      );
      return items.map((item) => item.name).join('');
    };
    expect(await list('asc')).toBe('baedcf');
    expect(await list('desc')).toBe('fdceba');
  });

  it('a list is sorted in its own order by default, and rejects unknown sort keys', async () => {
    const store = await open();
    await fill(store);
    const { node } = store.read.t;
    const listing = { table: node, columns: { name: node.name }, created: node.id, tieBreaker: node.uid };
    const paging = { page: 0, size: 20, sort: [] };
    const { items } = await listPage(store.read, listing, paging);
    expect(items.map(({ name }) => name).join('')).toBe('dacebf');
    const sort = [{ key: 'toString', direction: 'asc' as const }];
    await expect(listPage(store.read, listing, { ...paging, sort })).rejects.toMatchObject({
      name: 'Problem',
      errors: [{ pointer: 'sort', detail: 'allows only the keys name' }],
    });
  });

  it('lists only rows that match the condition', async () => {
    const store = await open();
    await fill(store);
    const { node } = store.read.t;
    const total = async (where: SQL | undefined) => {
      const listing = { table: node, where, columns: {}, tieBreaker: node.uid };
      return (await listPage(store.read, listing, { page: 0, size: 20, sort: [] })).total;
    };
    expect(await total(eq(node.ledgerUid, 'odd'))).toBe(3);
    expect(await total(containsText(store.read, node.uri, 'a_100%'))).toBe(1);
    expect(await total(containsText(store.read, node.uri, '_1%'))).toBe(0);
  });
});

describeDialects('rows selected for update', (open) => {
  it('a transaction cannot change rows that another transaction has selected for update', async () => {
    const store = await open();
    await store.transaction((tx) => tx.db.insert(tx.t.counter).values({ name: 'n', value: 0 }));
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.transaction(async (tx) => {
          const { counter } = tx.t;
          const [row] = await forUpdate(tx, tx.db.select().from(counter).where(eq(counter.name, 'n')));
          await tx.db.update(counter).set({ value: (row?.value ?? 0) + 1 });
        }),
      ),
    );
    expect(await store.read.all('select value from counter')).toEqual([{ value: 20 }]);
  });
});
