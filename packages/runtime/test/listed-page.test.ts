import { describeDialects } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { ListedPages } from '../src/actions/listed-page.ts';
import { type ListedRow, listAccepted, listEnded } from '../src/rows/actions/listings.ts';
import { withWork } from './planned-work.ts';

/**
 * Returns the actions of two wallets. They were accepted in bursts over a month; some are pending, the others final.
 */
function generateActions(count: number): ListedRow[] {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let at = 1_780_000_000_000;
  return Array.from({ length: count }, (_, index) => {
    at += next(10) === 0 ? next(200_000_000) : next(3_000);
    return {
      id: `action-${String(index).padStart(5, '0')}`,
      given_id: null,
      project_id: 'project',
      wallet_uid: `wallet-${next(2)}`,
      ledger_uid: 'ledger',
      ledger_id: 'ledger',
      chain: '1/genesis',
      tag: null,
      status: ['PENDING', 'SUCCEEDED', 'FAILED'][next(3)] ?? '',
      locator: null,
      receivers: null,
      created_at: at,
    };
  });
}

describeDialects('lists of actions', (open, { dialect }) => {
  test('pages and totals of action lists equal those computed from all entries', async () => {
    const store = await open();
    const rows = generateActions(3_000);
    const ended = rows.filter(({ status }) => status !== 'PENDING');
    for (let from = 0; from < rows.length; from += 500) {
      const batch = rows.slice(from, from + 500).map((row) => ({ ...row, status: 'PENDING' }));
      await store.transaction((tx) => listAccepted(tx, batch));
    }
    for (let from = 0; from < ended.length; from += 300) {
      await store.transaction((tx) => listEnded(tx, ended.slice(from, from + 300), 1_800_000_000_000));
    }
    const lists = await store.read.all<{ id: string; party: string; status: string }>(
      "SELECT id, party, status FROM action_listing WHERE party LIKE 'w:%'",
    );
    const pages = new ListedPages(store.read);
    const times = rows.map(({ created_at }) => created_at);
    const spans = [undefined, times[400], (times[2_100] ?? 0) + 1];
    for (const wallets of [['wallet-0'], ['wallet-0', 'wallet-1']]) {
      for (const statuses of [['SUCCEEDED'], ['PENDING', 'SUCCEEDED', 'FAILED']]) {
        const listings = lists
          .filter(({ party, status }) => wallets.includes(party.slice(2)) && statuses.includes(status))
          .map(({ id }) => id);
        for (const from of spans) {
          for (const to of spans) {
            const found = rows.filter(
              (row) =>
                wallets.includes(row.wallet_uid) &&
                statuses.includes(row.status) &&
                row.created_at >= (from ?? 0) &&
                row.created_at <= (to ?? Number.MAX_SAFE_INTEGER),
            );
            const ids = found.map(({ id }) => id);
            expect(await pages.total({ listings, from, to })).toBe(ids.length);
            for (const offset of [7, 501, ids.length - 3]) {
              if (offset < 0) continue;
              const query = { listings, from, to, offset, size: 20 };
              expect(await pages.page({ ...query, at: 'ASC', name: 'ASC' })).toEqual(
                ids.slice(offset, offset + 20),
              );
              expect(await pages.page({ ...query, at: 'DESC', name: 'DESC' })).toEqual(
                ids.toReversed().slice(offset, offset + 20),
              );
            }
          }
        }
      }
    }
  });

  test('an action list that becomes empty does not leave tallies', async () => {
    const store = await open();
    const rows = generateActions(50).map((row) => ({ ...row, status: 'FAILED' }));
    await store.transaction((tx) =>
      listAccepted(
        tx,
        rows.map((row) => ({ ...row, status: 'PENDING' })),
      ),
    );
    await store.transaction((tx) => listEnded(tx, rows, 1_800_000_000_000));
    const left = await store.read.all(
      `SELECT listing FROM action_tally JOIN action_listing ON id = listing WHERE status = 'PENDING'
        GROUP BY listing, level, span HAVING SUM(n) <> 0`,
    );
    expect(left).toEqual([]);
  });

  if (dialect === 'sqlite') return;
  test('a list does not read pending entries outside its page and time range', async () => {
    const store = await open();
    const day = 86_400_000;
    const start = 1_780_000_000_000;
    const rows = generateActions(5_600).map((row, index) => {
      const isPending = index < 5_000;
      const at = isPending ? start + index * (day / 250) : start + 20 * day + (index - 5_000) * (day / 600);
      return {
        ...row,
        wallet_uid: 'wallet-0',
        status: isPending ? 'PENDING' : 'SUCCEEDED',
        created_at: at,
      };
    });
    await store.transaction((tx) =>
      listAccepted(
        tx,
        rows.map((row) => ({ ...row, status: 'PENDING' })),
      ),
    );
    const ended = rows.filter(({ status }) => status !== 'PENDING');
    await store.transaction((tx) => listEnded(tx, ended, start + 30 * day));
    const lists = await store.read.all<{ id: string }>(
      "SELECT id FROM action_listing WHERE party LIKE 'w:%'",
    );
    const listings = lists.map(({ id }) => id);
    const { store: noted, work } = withWork(store);
    const pages = new ListedPages(noted.read);
    await pages.total({ listings, from: start + 10 * day, to: start + 11 * day });
    expect(await work()).toBeLessThan(1_500);
    const order = { at: 'DESC', name: 'DESC' } as const;
    expect(await pages.page({ listings, ...order, offset: 501, size: 20 })).toHaveLength(20);
    expect(await work()).toBeLessThan(3_000);
  });
});
