import type { Outcome, PendingTransaction, Submission } from '@ledger-ops/adapter';
import { createSleeper } from '../../concurrency/sleeper.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { comparePast, type PastAction, readPast, type Shown } from '../../rows/actions/past.ts';
import type { PastChange } from '../../rows/actions/retract.ts';
import { neededBy, readLostForever } from '../../rows/attempts/claims.ts';
import { readKeptOf } from '../../rows/attempts/kept.ts';
import type { EngineContext } from '../context.ts';
import { describeFailure } from './describe-failure.ts';
import { pendingTransaction } from './followed-actions.ts';
import { countByOne, readLost } from './lost-transactions.ts';
import { UncheckedPast } from './unchecked-past.ts';

/** Number of finished actions that are read per batch, from all shards together. */
const batchSize = 100;
/** Maximum number of finished actions that wait for a result from the ledger. */
const mostOpen = 1_000;

/** A finished action that waits for a result from the ledger. */
interface OpenCheck {
  action: PastAction;
  shown: Map<string, Shown>;
  since: number;
  /**
   * When the action's transactions were last resent because the ledger does not contain them. Not used on
   * ledgers with sequences.
   */
  sentAt: number;
  isLogged: boolean;
}

/** What the history needs from its tracker. */
export interface HistoryOptions {
  readonly open: OpenLedger;
  readonly chain: string;
  /** True while it is uncertain which chain the ledger is on. */
  isPaused(): boolean;
  /** Plugins whose actions other trackers of the ledger follow. */
  otherPlugins(): string[];
  resend(submissions: readonly Submission[]): void;
  /**
   * Starts reading the outcomes of these transactions: in new blocks, and in all blocks of the chain if `isSearched`.
   */
  follow(transactions: ReadonlyMap<string, PendingTransaction>, isSearched: boolean): void;
  unfollow(txIds: readonly string[]): void;
  write(changes: readonly PastChange[]): Promise<void>;
}

/**
 * Compares finished actions with the ledger, because a reorg may have happened while no server followed the ledger.
 * They are read in small batches, independently of the tracker's polling, so that a long history does not delay other
 * work. Each action is handled as soon as its lookup completes, and each result is stored as soon as it is known.
 * `#unchecked` contains the actions to check, the newest of each shard first, because reorgs remove the newest blocks.
 * `#checks` contains the actions that wait for a result from the ledger.
 */
export class History {
  readonly #context: Pick<EngineContext, 'store' | 'log' | 'now' | 'timing'>;
  readonly #options: HistoryOptions;
  readonly #unchecked = new UncheckedPast();
  readonly #checks = new Map<string, OpenCheck>();
  readonly #byTx = new Map<string, OpenCheck>();
  readonly #reading = createSleeper();
  /**
   * First part of the pause after a batch. It always runs to its end, so that reading never takes more than half of the
   * time.
   */
  readonly #pauses = createSleeper();
  /**
   * Rest of the pause. It ends early when another comparison begins, so that the newest actions do not wait for a slow
   * batch.
   */
  readonly #rests = createSleeper();
  /** Whether another comparison began since the last batch. */
  #isRestarted = false;
  readonly #writing = createSleeper();
  /** Sleeps until the time limit of a batch of lookups. The sleep ends early when another comparison begins. */
  readonly #looking = createSleeper();
  #resendAt = Number.POSITIVE_INFINITY;
  readonly #failing = new Set<'read' | 'write'>();
  /** Whether something changed since the last write. */
  #isWriteDue = false;
  #running: Promise<unknown> | null = null;
  #isStopped = false;

  constructor(context: Pick<EngineContext, 'store' | 'log' | 'now' | 'timing'>, options: HistoryOptions) {
    this.#context = context;
    this.#options = options;
  }

  /**
   * Schedules a check of these shards' finished actions after a reorg. Results from before the reorg are
   * discarded.
   */
  restart(shards: readonly number[]): void {
    for (const one of this.#checks.values()) {
      if (!shards.includes(one.action.shard)) continue;
      one.shown.clear();
      one.sentAt = Number.NEGATIVE_INFINITY;
    }
    this.recheck(shards);
  }

  /** Schedules a check of these shards' finished actions. */
  recheck(shards: readonly number[]): void {
    if (shards.length === 0) return;
    this.#unchecked.restart(shards);
    this.#resendAt = Number.NEGATIVE_INFINITY;
    this.#isRestarted = true;
    this.#reading.wake();
    this.#rests.wake();
    // Ends the lookups of the current batch. The rest of its actions is compared again.
    this.#looking.wake();
    this.#wakeWriting();
  }

  /** Drops shards that another server holds now. */
  drop(shards: readonly number[]): void {
    this.#unchecked.drop(shards);
    this.#close([...this.#checks.values()].filter(({ action }) => shards.includes(action.shard)));
  }

  apply(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const one = this.#byTx.get(outcome.txId);
      if (one === undefined) continue;
      const { status } = outcome;
      const { claim, by } = outcome.status === 'superseded' ? outcome : {};
      one.shown.set(outcome.txId, {
        status,
        ...(claim === undefined ? {} : { claim }),
        ...(by === undefined ? {} : { by }),
      });
      this.#wakeWriting();
    }
  }

  start(): void {
    this.#running = Promise.all([this.#readAll(), this.#writeAll()]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#reading.stop();
    this.#pauses.stop();
    this.#rests.stop();
    this.#writing.stop();
    this.#looking.stop();
    await this.#running;
  }

  #wakeWriting(): void {
    this.#isWriteDue = true;
    this.#writing.wake();
  }

  async #readAll(): Promise<void> {
    const { timing } = this.#context;
    while (!this.#isStopped) {
      if (this.#unchecked.ranges.length === 0) {
        await this.#reading.sleep();
        continue;
      }
      this.#isRestarted = false;
      const began = performance.now();
      const isRead = await this.#attempt('read', () => this.#readNext());
      const took = performance.now() - began;
      await this.#pauses.sleep(isRead ? Math.max(timing.historyPause, took) : timing.historyAgain);
      // The first part of the pause was as long as the read, and this part is twice as long, so reading takes a quarter
      // of the time.
      if (isRead && !this.#isRestarted) await this.#rests.sleep(2 * took);
    }
  }

  async #writeAll(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWriteDue = false;
      const isWritten = await this.#attempt('write', () => this.#writeNext());
      const isIdle = this.#checks.size === 0 && this.#unchecked.ranges.length === 0;
      if (!isWritten || !this.#isWriteDue)
        await this.#writing.sleep(isIdle && isWritten ? undefined : this.#context.timing.historyAgain);
    }
  }

  /** Returns whether the work succeeded. Logs the first of several failures. */
  async #attempt(kind: 'read' | 'write', work: () => Promise<void>): Promise<boolean> {
    try {
      if (!this.#options.isPaused()) await work();
      this.#failing.delete(kind);
      return true;
    } catch (error) {
      if (!this.#failing.has(kind))
        this.#context.log('warn', 'history.failed', { ...this.#place(), detail: describeFailure(error) });
      this.#failing.add(kind);
      return false;
    }
  }

  async #writeNext(): Promise<void> {
    await this.#write();
    const lost = await this.#readLost();
    if (lost.length > 0) this.#options.resend(lost);
  }

  /** Compares the next batch of actions. */
  async #readNext(): Promise<void> {
    const { ranges } = this.#unchecked;
    // Retracted actions do not count: they only wait until the ledger contains their transactions again.
    const open = [...this.#checks.values()].filter(({ action }) => !action.isRetracted);
    if (open.length >= mostOpen) return;
    const { actions, rest } = await readPast(
      this.#context.store,
      this.#options,
      ranges,
      this.#options.otherPlugins(),
      Math.ceil(batchSize / ranges.length),
    );
    await this.#lookUpAll(
      actions.filter(({ id }) => !this.#checks.has(id)),
      // Whether the action's range is still the one that was read. It is not if a reorg happened or another server
      // holds the shard.
      ({ shard }) => this.#unchecked.ranges.some((one) => one.shard === shard && ranges.includes(one)),
    );
    for (const [range, left] of rest) this.#unchecked.advance(range, left);
  }

  /**
   * Looks up actions, and follows those whose stored outcome may no longer be on the ledger. If a lookup fails or times
   * out, its transactions are searched for in the blocks.
   * @throws if all lookups fail, for example because no node responds
   */
  async #lookUpAll(
    actions: readonly PastAction[],
    isCurrent: (action: PastAction) => boolean,
  ): Promise<void> {
    const { lookup } = this.#options.open.definition.capabilities;
    const late = this.#looking.sleep(this.#context.timing.historyLookup);
    const failed: { action: PastAction; error: unknown }[] = [];
    await Promise.all(
      actions.map(async (action) => {
        const shown = new Map<string, Shown>();
        try {
          const answered = lookup === true ? this.#lookUp(action, shown).then(() => true) : false;
          const isAnswered = (await Promise.race([answered, late])) === true;
          if (isCurrent(action)) this.#compare(action, new Map(shown), isAnswered);
        } catch (error) {
          failed.push({ action, error });
        }
      }),
    );
    this.#looking.wake();
    const [first] = failed;
    if (first !== undefined && failed.length === actions.length) throw first.error;
    for (const { action } of failed) if (isCurrent(action)) this.#compare(action, new Map(), false);
  }

  /**
   * Returns the transactions of finished actions that must be resent because the ledger does not contain
   * them.
   */
  async #readLost(): Promise<Submission[]> {
    const { chain, open } = this.#options;
    const { store, timing } = this.#context;
    const now = this.#context.now();
    if (open.definition.capabilities.sequence === 'account') {
      if (now < this.#resendAt) return [];
      this.#resendAt = now + timing.historyResend;
      const shards = new Set([
        ...this.#unchecked.shards,
        ...[...this.#checks.values()].map((one) => one.action.shard),
      ]);
      const count = countByOne(this.#options);
      return (await readLost(store, chain, [...shards], { ended: true, count })).kept;
    }
    // Transactions are resent repeatedly, because a node may be down, or may refuse a transaction that arrives before
    // those that it needs.
    const due = [...this.#checks.values()].filter(({ sentAt }) => now - sentAt >= timing.historyResend);
    const txIds = due.flatMap(({ action: { attempts }, shown }) =>
      attempts.filter(({ txId }) => !shown.has(txId)).map(({ txId }) => txId),
    );
    const rows = await readKeptOf(store.read, chain, txIds);
    for (const one of due) one.sentAt = now;
    return rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes }));
  }

  /** Looks up the transactions of an action by id. @param shown filled with the results */
  async #lookUp({ address, attempts, locator }: PastAction, shown: Map<string, Shown>): Promise<void> {
    const { session } = this.#options.open;
    const signed = new Map(
      attempts.map((one) => [one.txId, pendingTransaction(address, one.sequence, one)] as const),
    );
    const ids = locator === null ? [...signed.keys()] : [locator];
    await Promise.all(
      ids.map(async (txId) => {
        const status = (await session.lookup(txId, signed.get(txId)))?.status;
        if (status === 'SUCCEEDED') shown.set(txId, { status: 'succeeded' });
        if (status === 'FAILED') shown.set(txId, { status: 'failed' });
      }),
    );
  }

  /**
   * Compares an action with the result of its lookup. If the ledger contains the stored outcome, the check is done.
   * Otherwise, the action is followed until its outcome is known.
   * @param isAnswered false if a transaction that was not found may still be in any block
   */
  #compare(action: PastAction, shown: Map<string, Shown>, isAnswered: boolean): void {
    const retracted = comparePast(action, shown, this.#context.now());
    if (!action.isRetracted) {
      // The ledger never contained a transaction of this action, so it is right that it has none.
      if (retracted === null || (retracted === undefined && action.locator === null)) return;
    }
    this.#open(action, retracted === null ? shown : new Map());
    const { address, attempts } = action;
    // An action that was already retracted, and whose transaction is still missing, can only be in a new block.
    const isSearched = !action.isRetracted || retracted !== undefined || !isAnswered;
    this.#options.follow(
      new Map(attempts.map((one) => [one.txId, pendingTransaction(address, one.sequence, one)])),
      isSearched,
    );
  }

  #open(action: PastAction, shown: Map<string, Shown>): void {
    const now = this.#context.now();
    const one = { action, shown, since: now, sentAt: Number.NEGATIVE_INFINITY, isLogged: false };
    this.#checks.set(action.id, one);
    for (const { txId } of action.attempts) this.#byTx.set(txId, one);
    this.#wakeWriting();
  }

  #close(gone: readonly OpenCheck[]): void {
    for (const { action } of gone) {
      this.#checks.delete(action.id);
      for (const { txId } of action.attempts) this.#byTx.delete(txId);
    }
    this.#options.unfollow(gone.flatMap(({ action }) => action.attempts.map(({ txId }) => txId)));
  }

  /**
   * Stores the changes of checked actions whose state is now known. The other checks stay open, but not longer than
   * `historyLongest`.
   */
  async #write(): Promise<void> {
    await this.#passOnLosses();
    const clear: OpenCheck[] = [];
    const changes: PastChange[] = [];
    let unclear = 0;
    for (const one of this.#checks.values()) {
      const { action, shown, since, isLogged } = one;
      const retracted = comparePast(action, shown, this.#context.now());
      if (retracted === undefined) {
        if (this.#context.now() - since >= this.#context.timing.historyLongest) clear.push(one);
        if (isLogged || this.#context.now() - since < this.#context.timing.historyUnclear) continue;
        one.isLogged = true;
        unclear += 1;
        continue;
      }
      // The transaction may be executed again, together with the one that it needs.
      const isInferred = [...shown.values()].some(({ needs }) => needs !== undefined);
      if (!isInferred || this.#context.now() - since >= this.#context.timing.historyLongest) clear.push(one);
      if (action.isRetracted !== (retracted !== null)) changes.push({ action, retracted });
    }
    if (unclear > 0) this.#context.log('warn', 'history.unclear', { ...this.#place(), count: unclear });
    if (changes.length > 0) await this.#options.write(changes);
    for (const { action, retracted } of changes) action.isRetracted = retracted !== null;
    if (clear.length > 0) this.#close(clear);
  }

  /**
   * Marks transactions as superseded that the ledger does not contain and that need a transaction that can no longer be
   * executed.
   */
  async #passOnLosses(): Promise<void> {
    const needing = [...this.#checks.values()].flatMap(({ action: { attempts }, shown }) =>
      attempts
        .filter(({ txId, needs }) => needs !== null && !shown.has(txId))
        .map(({ txId, needs }) => ({ txId, needs: needs ?? [], shown })),
    );
    const { store } = this.#context;
    const lost = await readLostForever(store.read, this.#options.chain, neededBy(needing));
    for (const { txId, needs, shown } of needing) {
      const needed = needs.find((one) => lost.has(one.txId));
      // A lookup may have found the transaction in the meantime.
      if (needed !== undefined && !shown.has(txId))
        shown.set(txId, { status: 'superseded', needs: needed.txId });
    }
  }

  #place() {
    const { open, chain } = this.#options;
    return { ledgerId: open.record.ledgerId, chain };
  }
}
