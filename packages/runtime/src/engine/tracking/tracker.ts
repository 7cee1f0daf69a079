import type { PendingTransaction, Submission } from '@ledger-ops/adapter';
import { createSleeper } from '../../concurrency/sleeper.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import type { PastChange } from '../../rows/actions/retract.ts';
import type { Attempt, LiveAction, Settlement } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import { type Moment, type Patience, patienceOf } from '../replacing/patience.ts';
import { Broadcaster } from './broadcaster.ts';
import { ChainFigureCounter } from './chain-figures.ts';
import { FollowedActions, type FollowedAttempt } from './followed-actions.ts';
import { History } from './history.ts';
import { type PendingReasonChange, PendingReasons } from './pending-reasons.ts';

/** The writes that a tracker needs; `SettlementWriter` implements them. */
export interface TrackerWrites {
  /** Fails actions whose transactions the ledger rejected and that are not sent again. */
  reject(tracker: Tracker, settlements: readonly Settlement[]): Promise<void>;
  /** Stores the ledger's own id of a transaction. */
  note(action: LiveAction, txId: string, note: string): Promise<void>;
  /** Stores the reasons why signed actions are still pending. */
  pendingReasons(changes: readonly PendingReasonChange[]): Promise<void>;
  /** Marks finished actions as retracted, or reinstates them. */
  past(tracker: Tracker, changes: readonly PastChange[]): Promise<void>;
}

export interface TrackerOptions {
  open: OpenLedger;
  chain: string;
  /** Removed plugins whose actions the previous tracker of this ledger also followed. */
  adopted: ReadonlySet<string>;
  /** All trackers of the chain. */
  trackers: () => Iterable<Tracker>;
  writes: TrackerWrites;
}

/**
 * Follows the signed actions of one ledger for a plugin: sends their transactions, while a `Poller` reads the blocks.
 *
 * `canSign` is false if the plugin or ledger changed (`isRetired`), or if it is not known which chain the ledger is on
 * (`isChainUncertain`). Signed actions are followed in any case. `#isWoken` and `#unsearched` tell the poller what to
 * do next.
 */
export class Tracker {
  readonly open: OpenLedger;
  readonly chain: string;
  /** Ids of removed plugins. This tracker also follows their signed actions on the ledger. */
  readonly adopted: Set<string>;
  readonly actions = new FollowedActions();
  readonly broadcaster: Broadcaster;
  readonly reasons: PendingReasons;
  readonly history: History;
  /** Decides when a transaction is late; null if transactions are replaced only on request. */
  readonly patience: Patience | null;
  /** Whether replacements are signed on demand, not in advance. */
  readonly replaces: boolean;
  /** Set when the plugin or ledger has changed since the tracker was opened. Nothing more is signed. */
  isRetired = false;
  /**
   * Set if a node reports another chain and not all nodes respond. Nothing is signed or sent until the chain is known.
   */
  isChainUncertain = false;
  /** Whether the plugin reports the ledger's blocks. Remote plugins do not. */
  readonly hasBlocks: boolean;
  /** Height of the ledger's newest block, if known. */
  height: number | null = null;
  readonly figures: ChainFigureCounter;
  /** Why the ledger cannot be followed; null if it can. */
  lastError: string | null = null;
  /** Faults of single nodes that do not prevent serving the ledger. */
  warnings: readonly string[] = [];
  readonly #sleeper = createSleeper();
  #isWoken = false;
  /**
   * Ids of pending transactions that may be in blocks that were already read, so the whole chain must be
   * searched for them.
   */
  readonly #unsearched = new Set<string>();

  constructor(context: EngineContext, { open, chain, adopted, trackers, writes }: TrackerOptions) {
    const { capabilities, keyType } = open.definition;
    this.open = open;
    this.hasBlocks = keyType !== null;
    this.figures = new ChainFigureCounter(this.hasBlocks);
    this.chain = chain;
    this.adopted = new Set(adopted);
    const patience = patienceOf(open.record.properties.replace_after, context.timing);
    this.patience = capabilities.sequence === 'none' ? null : patience;
    this.replaces = patience !== null && capabilities.onDemandReplacement === true;
    this.broadcaster = new Broadcaster(context, open, this.actions, {
      reject: (settlements) => writes.reject(this, settlements),
      note: async (action, attempt, note) => {
        await writes.note(action, attempt.txId, note);
        // The chain is searched, because the transaction's block may already have been read.
        if (this.actions.recordNote(action, attempt, note)) this.wake();
      },
    });
    this.reasons = new PendingReasons(
      this.actions,
      () => this.height,
      (changes) => writes.pendingReasons(changes),
    );
    const otherPlugins = () =>
      [...trackers()].flatMap((other) =>
        other === this || other.open.record.uid !== open.record.uid
          ? []
          : [other.open.pluginUid, ...other.adopted],
      );
    this.history = new History(context, {
      open,
      chain,
      isPaused: () => this.isChainUncertain,
      otherPlugins,
      resend: (submissions) => this.broadcaster.resend(submissions),
      follow: (transactions, isSearched) => this.#follow(transactions, isSearched),
      unfollow: (txIds) => this.actions.unfollow(txIds),
      write: (changes) => writes.past(this, changes),
    });
  }

  get live(): ReadonlyMap<string, LiveAction> {
    return this.actions.live;
  }

  get canSign(): boolean {
    return !this.isRetired && !this.isChainUncertain;
  }

  actionOf(txId: string): FollowedAttempt | undefined {
    return this.actions.actionOf(txId);
  }

  /**
   * Starts to follow signed actions.
   * @param isFresh whether they were never sent; otherwise, their blocks may already have been read
   */
  add(actions: readonly LiveAction[], isFresh: boolean): void {
    for (const action of actions) {
      this.actions.add(action);
      this.broadcaster.release(action);
    }
    this.reasons.add(actions);
    if (!isFresh && actions.length > 0)
      this.#search(actions.flatMap(({ attempts }) => attempts.map(({ txId }) => txId)));
  }

  /** Adds another stored transaction to a live action, and sends it. */
  addAttempt(action: LiveAction, attempt: Attempt, signed: Moment): void {
    if (!this.actions.addAttempt(action, attempt)) return;
    action.released = action.attempts.length - 1;
    action.releasedAt = signed.at;
    action.releasedHeight = signed.height;
    this.broadcaster.release(action);
  }

  /**
   * Sends the attempts of an action that were signed in advance and may now be sent (up to
   * `action.released`).
   */
  release(action: LiveAction): void {
    this.broadcaster.release(action);
  }

  /** Resends transactions that the chain may have lost. */
  resend(submissions: readonly Submission[]): void {
    this.broadcaster.resend(submissions);
  }

  /** Stores the changed pending reasons of these actions. Durable once the promise resolves. */
  storeReasons(actions: readonly LiveAction[]): Promise<void> {
    return this.reasons.store(actions);
  }

  remove(actionIds: readonly string[]): void {
    for (const id of actionIds) {
      const action = this.actions.remove(id);
      if (action === undefined) continue;
      this.broadcaster.forget(action);
      this.reasons.remove(action);
    }
  }

  /** Wakes the poller. */
  wake(): void {
    this.#isWoken = true;
    this.#sleeper.wake();
  }

  /** Resolves when the poller is woken, at the latest after `limit` milliseconds. */
  async waitUntilWoken(limit: number): Promise<void> {
    if (!this.#isWoken) await this.#sleeper.sleep(limit);
    this.#isWoken = false;
  }

  /** Resolves after `limit` milliseconds, or when the poller is woken after this call. */
  async pause(limit: number): Promise<void> {
    this.#isWoken = false;
    await this.#sleeper.sleep(limit);
  }

  /** Returns the pending transactions for which the whole chain must be searched, and empties the list of these. */
  takeSearch(): Map<string, PendingTransaction> {
    const all = new Map<string, PendingTransaction>();
    for (const txId of this.#unsearched) {
      const transaction = this.actions.pending.get(txId);
      if (transaction !== undefined) all.set(txId, transaction);
    }
    this.#unsearched.clear();
    return all;
  }

  /** Puts transactions back into the list, because their search failed. */
  repeatSearch(txIds: Iterable<string>): void {
    for (const txId of txIds) this.#unsearched.add(txId);
  }

  /** Ends the poller's current wait and all later waits. */
  endWaiting(): void {
    this.#sleeper.stop();
  }

  #search(txIds: Iterable<string>): void {
    this.repeatSearch(txIds);
    this.wake();
  }

  #follow(transactions: ReadonlyMap<string, PendingTransaction>, isSearched: boolean): void {
    this.actions.follow(transactions);
    if (isSearched) this.#search(transactions.keys());
  }
}
