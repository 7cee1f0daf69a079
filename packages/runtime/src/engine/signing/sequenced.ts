import { createRunner } from '../../concurrency/runner.ts';
import { linesOf, type ReadyRow, readReady, walletOf } from '../../rows/actions/ready.ts';
import { openGrant } from '../../rows/attempts/signing-grant.ts';
import { BatchRefused, failure, type Settlement } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/types.ts';
import { type Account, type Reservation, roomOf } from './accounts.ts';
import { type Opened, type Prepared, prepareActions, type Ready } from './prepare.ts';
import { createRetrySchedule } from './retry-schedule.ts';
import { signAndStore, storeSigned } from './signer.ts';

/** Actions that are looked at in one turn. */
const turnLimit = 200;

/** Signs what waits in the table, in the order of acceptance, as far as room, funds and fees allow. */
export interface Sequenced {
  wake(): void;
  /** A transaction of the account ended: what waited for it may go. */
  roomFor(address: string): void;
  stop(): Promise<void>;
}

export function createSequenced(
  context: ChainContext,
  fail: (settlements: readonly Settlement[]) => Promise<void>,
): Sequenced {
  const { store, vault, chain, leases, accounts, log, now, timing } = context;
  const { wake, stop } = createRunner({ run: turn, failed, retryAfter: timing.storeAgain });
  const retries = createRetrySchedule(context, wake);
  /** Accounts without room, and the tracker that has none for them. */
  const full = new Map<string, Tracker>();
  /** Accounts of which something was left in this look through the table: what comes after it waits for its turn. */
  const left = new Set<string>();
  /** The last row of this look that was read; null at its start. */
  let last: ReadyRow | null = null;
  /** Something was signed or failed in this look. */
  let moved = false;

  function failed(error: unknown): void {
    last = null;
    log('error', 'ready.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
  }

  /** A part of a look through the table. True when there may be more to do at once. */
  async function turn(): Promise<boolean> {
    if (last === null) {
      moved = false;
      left.clear();
      // Room comes not only when transactions end: what was to become one may have failed, or have to wait.
      for (const [address, tracker] of full) {
        const account = accounts.known(address);
        if (account === undefined || roomOf(account, tracker.open) > 0) full.delete(address);
      }
    }
    const rows: ReadyRow[] = await readReady(store, {
      chain,
      shards: leases.held(),
      withoutIds: retries.late(),
      withoutAddresses: [...full.keys(), ...left],
      lines: { without: signing().filter(isUnsequenced).flatMap(linesOf) },
      after: last,
      limit: turnLimit,
    });
    const isEnd = rows.length < turnLimit;
    last = isEnd ? null : (rows.at(-1) ?? null);
    const ready = rows.flatMap(readyOf);
    // Side by side, so that a plugin that is slow delays the others no longer than it may take.
    const turns = await Promise.allSettled(
      [...Map.groupBy(ready, ({ tracker }) => tracker)].map(([tracker, items]) => signFor(tracker, items)),
    );
    for (const one of turns) if (one.status === 'rejected') throw one.reason;
    moved ||= turns.some((one) => one.status === 'fulfilled' && one.value);
    if (!isEnd) return true;
    for (const account of accounts.all())
      account.backlog = full.has(account.address) || left.has(account.address);
    return moved;
  }

  function signing(): Tracker[] {
    return [...context.trackers()].filter(({ retired, inDoubt }) => !retired && !inDoubt);
  }

  function readyOf(row: ReadyRow): Ready[] {
    const tracker = signing().find(
      ({ open: { record, pluginUid } }) =>
        record.uid === row.ledger_uid && (row.plugin === null || row.plugin === pluginUid),
    );
    if (tracker !== undefined)
      return [{ row, tracker, account: accounts.get(row.address, row.shard), wallet: walletOf(row) }];
    retries.defer(row, { code: 'plugin-unavailable', reason: notRunning });
    return [];
  }

  /** True when something was signed or failed. */
  async function signFor(tracker: Tracker, items: readonly Ready[]): Promise<boolean> {
    const { taken, rest } = takeRoom(items);
    for (const { account } of rest) {
      left.add(account.address);
      if (roomOf(account, tracker.open) <= 0) full.set(account.address, tracker);
      account.backlog = true;
    }
    const opened: Opened[] = [];
    const reserved: Reservation[] = [];
    try {
      for (const ready of taken)
        opened.push({ ...ready, grant: openGrant(vault, ready.row, ready.row.key_type) });
      const preparations = await prepareActions(context, tracker, opened);
      const prepared: Prepared[] = [];
      const settlements: Settlement[] = [];
      for (const [index, { row }] of opened.entries()) {
        const one = preparations[index];
        if (one?.status === 'wait') retries.defer(row, one);
        if (one?.status === 'failed') settlements.push(failure(row.id, false, one.problem.toDocument()));
        if (one?.status !== 'prepared') continue;
        prepared.push(one.action);
        reserved.push(one.reservation);
      }
      if (prepared.length > 0) settlements.push(...(await sign(prepared)));
      if (settlements.length > 0) await fail(settlements);
      for (const { actionId } of settlements) retries.forget(actionId);
      return prepared.length > 0 || settlements.length > 0;
    } finally {
      for (const reservation of reserved) reservation.release();
      for (const { grant } of opened) grant?.key.destroy();
    }
  }

  /** Answers the ends of those that cannot be signed. */
  async function sign(prepared: readonly Prepared[]): Promise<Settlement[]> {
    const refused = await signAndStore(context, prepared, 'sign', async (tx, signed) => {
      const stored = new Set(await storeSigned(tx, signed, now()));
      const gone = signed.filter((action) => !stored.has(action));
      if (gone.length > 0) throw new BatchRefused(new Map(gone.map(({ row }) => [row.id, null])));
    });
    return prepared.flatMap(({ row }) => {
      const refusal = refused.get(row.id);
      if (refusal?.status === 'failed') return [failure(row.id, false, refusal.problem.toDocument())];
      if (refusal?.status === 'wait') retries.defer(row, refusal);
      else retries.forget(row.id);
      return [];
    });
  }

  return {
    wake,
    roomFor(address) {
      const wasFull = full.delete(address);
      if (retries.hasten(address) || wasFull) wake();
    },
    async stop() {
      retries.stop();
      await stop();
    },
  };
}

function isUnsequenced({ open }: Tracker): boolean {
  return open.definition.capabilities.sequence === 'none';
}

const notRunning =
  'The plugin that planned this action does not run on this server: it was deactivated, changed or deleted, or cannot be loaded.';

/** As many actions of each account as it has room for, in their order. */
export function takeRoom<Item extends { account: Account; tracker: Pick<Tracker, 'open'> }>(
  items: readonly Item[],
): { taken: Item[]; rest: Item[] } {
  const counts = new Map<Account, number>();
  const taken: Item[] = [];
  const rest: Item[] = [];
  for (const item of items) {
    const count = counts.get(item.account) ?? 0;
    const hasRoom = count < roomOf(item.account, item.tracker.open);
    (hasRoom ? taken : rest).push(item);
    if (hasRoom) counts.set(item.account, count + 1);
  }
  return { taken, rest };
}
