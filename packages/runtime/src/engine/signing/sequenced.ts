import { createRunner, type Runner } from '../../concurrency/runner.ts';
import { keyTypeOf } from '../../keys/plugin-key.ts';
import { linesOf, type ReadyRow, readReady, walletOf } from '../../rows/actions/ready.ts';
import { openGrant } from '../../rows/attempts/signing-grant.ts';
import { BatchRefused, failure, type Settlement } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { type Account, capacityOf, type Reservation } from './accounts.ts';
import { type Opened, type Prepared, prepareActions, type Ready } from './prepare.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { signAndStore, storeSigned } from './signer.ts';

/** Maximum number of actions read per batch. */
const turnLimit = 200;
/** Maximum total size of the contents of one batch, in bytes. */
const turnBytes = 32 * 1_048_576;

/**
 * Signs the actions that wait in the table, in the order of acceptance, if capacity, funds and fees allow it.
 *
 * A scan reads the table page by page. `#lastRow` is the last row that the scan read; null at the start. `#hasMoved` is
 * true if the scan signed or failed an action; another scan then follows.
 */
export class Sequenced {
  readonly #context: ChainContext;
  readonly #fail: (settlements: readonly Settlement[]) => Promise<void>;
  readonly #runner: Runner;
  readonly #retries: RetrySchedule;
  /** Accounts that have as many transactions in flight as a tracker allows, with that tracker. */
  readonly #withoutCapacity = new Map<string, Tracker>();
  /** Accounts with an action that this scan left unsigned. Their later actions must wait for that action. */
  readonly #skipped = new Set<string>();
  #lastRow: ReadyRow | null = null;
  #hasMoved = false;

  constructor(context: ChainContext, fail: (settlements: readonly Settlement[]) => Promise<void>) {
    this.#context = context;
    this.#fail = fail;
    this.#runner = createRunner({
      run: () => this.#turn(),
      failed: (error) => this.#failed(error),
      retryAfter: context.timing.storeAgain,
    });
    this.#retries = new RetrySchedule(context, () => this.wake());
  }

  wake(): void {
    this.#runner.wake();
  }

  /** Called when a transaction of the account completes, because waiting actions may now be signed. */
  capacityFreed(address: string): void {
    const wasFull = this.#withoutCapacity.delete(address);
    if (this.#retries.hasten(address) || wasFull) this.wake();
  }

  async stop(): Promise<void> {
    this.#retries.stop();
    await this.#runner.stop();
  }

  #failed(error: unknown): void {
    this.#lastRow = null;
    this.#context.log('error', 'ready.failed', {
      chain: this.#context.chain,
      detail: error instanceof Error ? error.message : 'unknown',
    });
  }

  /** Processes one page of a scan of the table. Returns true if there may be more to do immediately. */
  async #turn(): Promise<boolean> {
    if (this.#lastRow === null) {
      this.#hasMoved = false;
      this.#skipped.clear();
      // Capacity can become free even if no transaction completes: an action with a reservation may have failed or been
      // deferred.
      for (const [address, tracker] of this.#withoutCapacity) {
        const account = this.#context.accounts.loaded(address);
        if (account === undefined || capacityOf(account, tracker.open) > 0)
          this.#withoutCapacity.delete(address);
      }
    }
    const { rows, more } = await readReady(this.#context.store, {
      chain: this.#context.chain,
      shards: this.#context.leases.held(),
      withoutIds: this.#retries.notDue(),
      withoutAddresses: [...this.#withoutCapacity.keys(), ...this.#skipped],
      lines: { without: this.#signing().filter(isUnsequenced).flatMap(linesOf) },
      after: this.#lastRow,
      ...{ limit: turnLimit, mostBytes: turnBytes },
    });
    this.#lastRow = more ? (rows.at(-1) ?? null) : null;
    const ready = rows.flatMap((row) => this.#readyOf(row));
    // Processes trackers concurrently, so that a slow plugin delays the others by at most its timeout.
    const turns = await Promise.allSettled(
      [...Map.groupBy(ready, ({ tracker }) => tracker)].map(([tracker, items]) =>
        this.#signFor(tracker, items),
      ),
    );
    for (const one of turns) if (one.status === 'rejected') throw one.reason;
    this.#hasMoved ||= turns.some((one) => one.status === 'fulfilled' && one.value);
    if (more) return true;
    for (const account of this.#context.accounts.all())
      account.backlog = this.#withoutCapacity.has(account.address) || this.#skipped.has(account.address);
    return this.#hasMoved;
  }

  #signing(): Tracker[] {
    return [...this.#context.trackers()].filter(({ canSign }) => canSign);
  }

  #readyOf(row: ReadyRow): Ready[] {
    const ofPlugin = [...this.#context.trackers()].filter(
      ({ open: { record, pluginUid } }) =>
        record.uid === row.ledger_uid && (row.plugin === null || row.plugin === pluginUid),
    );
    const tracker = ofPlugin.find(({ canSign }) => canSign);
    if (tracker !== undefined)
      return [
        { row, tracker, account: this.#context.accounts.get(row.address, row.shard), wallet: walletOf(row) },
      ];
    // The plugin does not run, the ledger is being opened, or its chain is not known. The engine reports which of these
    // is the cause, so the stored reason is not changed.
    const { unserved, timing } = this.#context;
    if (unserved.reasonOf(row.ledger_uid, row.plugin) !== null) this.#retries.backOff(row.id, row.address);
    else this.#retries.hold(row.id, row.address, timing.signAgain.first);
    return [];
  }

  /** Signs the actions of a page. Returns true if an action was signed or failed. */
  async #signFor(tracker: Tracker, items: readonly Ready[]): Promise<boolean> {
    const { taken, rest } = takeCapacity(items);
    for (const { account } of rest) {
      this.#skipped.add(account.address);
      if (capacityOf(account, tracker.open) <= 0) this.#withoutCapacity.set(account.address, tracker);
      account.backlog = true;
    }
    const opened: Opened[] = [];
    const reserved: Reservation[] = [];
    try {
      for (const ready of taken)
        opened.push({
          ...ready,
          grant: openGrant(this.#context.vault, ready.row, keyTypeOf(ready.row.key_type)),
        });
      const preparations = await prepareActions(this.#context, tracker, opened);
      const prepared: Prepared[] = [];
      const settlements: Settlement[] = [];
      for (const [index, { row }] of opened.entries()) {
        const one = preparations[index];
        if (one?.status === 'wait') this.#retries.defer(row, one);
        if (one?.status === 'failed') settlements.push(failure(row.id, false, one.problem.toDocument()));
        if (one?.status !== 'prepared') continue;
        prepared.push(one.action);
        reserved.push(one.reservation);
      }
      if (prepared.length > 0) settlements.push(...(await this.#sign(prepared)));
      if (settlements.length > 0) await this.#fail(settlements);
      for (const { actionId } of settlements) this.#retries.forget(actionId);
      return prepared.length > 0 || settlements.length > 0;
    } finally {
      for (const reservation of reserved) reservation.release();
      for (const { grant } of opened) grant?.signer.destroy();
    }
  }

  /** Signs and stores actions. Returns the settlements of those that can never be signed. */
  async #sign(prepared: readonly Prepared[]): Promise<Settlement[]> {
    const refused = await signAndStore(this.#context, prepared, 'sign', async (tx, signed) => {
      const stored = new Set(await storeSigned(tx, signed, this.#context.now()));
      const gone = signed.filter((action) => !stored.has(action));
      if (gone.length > 0) throw new BatchRefused(new Map(gone.map(({ row }) => [row.id, null])));
    });
    return prepared.flatMap(({ row }) => {
      const refusal = refused.get(row.id);
      if (refusal?.status === 'failed') return [failure(row.id, false, refusal.problem.toDocument())];
      if (refusal?.status === 'wait') this.#retries.defer(row, refusal);
      else this.#retries.forget(row.id);
      return [];
    });
  }
}

function isUnsequenced({ open }: Tracker): boolean {
  return open.definition.capabilities.sequence === 'none';
}

/** Takes as many actions of each account, in order, as the account has capacity for. */
export function takeCapacity<Item extends { account: Account; tracker: Pick<Tracker, 'open'> }>(
  items: readonly Item[],
): { taken: Item[]; rest: Item[] } {
  const counts = new Map<Account, number>();
  const taken: Item[] = [];
  const rest: Item[] = [];
  for (const item of items) {
    const count = counts.get(item.account) ?? 0;
    const hasCapacity = count < capacityOf(item.account, item.tracker.open);
    (hasCapacity ? taken : rest).push(item);
    if (hasCapacity) counts.set(item.account, count + 1);
  }
  return { taken, rest };
}
