import { type Tx, together } from '@ledger-ops/store';
import { Mutex } from '../../concurrency/mutex.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { readExpired } from '../../rows/actions/deadlines.ts';
import { settle } from '../../rows/actions/settle.ts';
import { readInflight } from '../../rows/attempts/inflight.ts';
import { Leases } from '../../rows/chains/shard-leases.ts';
import { isCommitUnknown } from '../../rows/commit-unknown.ts';
import type { LiveAction, Settlement } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import { ChangeRequests } from '../replacing/change-requests.ts';
import { type Acceptance, Acceptor } from '../signing/accept.ts';
import { Accounts } from '../signing/accounts.ts';
import { Comparisons } from '../signing/comparisons.ts';
import { Sequenced } from '../signing/sequenced.ts';
import { UnknownTransactions } from '../signing/unknown-transactions.ts';
import { Unsequenced } from '../signing/unsequenced.ts';
import type { Tracker } from '../tracking/tracker.ts';
import type { ChainContext, FencedStep } from './chain-context.ts';
import { readDoubtful } from './unexecuted.ts';

/** Steps of writes that are idempotent and that their callers retry unchanged. */
const repeatable: ReadonlySet<FencedStep | null> = new Set(['reject', 'note', null]);

/**
 * Signs for the accounts of one chain: newly accepted actions, and actions that wait in the table. `context.leases`
 * contains the shards that this server holds. `#unreadCommits` counts the commits with an unknown outcome since the
 * database was last read; while it is above 0, memory may differ from the database, and nothing is signed. `#doubtful`
 * contains the accounts whose overdue actions may have been executed, and when each is compared next.
 */
export class ChainWorker {
  readonly context: ChainContext;
  readonly #trackers = new Map<string, Tracker>();
  readonly #acceptor: Acceptor;
  /** Signs all actions except those of `#unsequenced`. */
  readonly #sequenced: Sequenced;
  /** Schedulers of ledgers without sequences. */
  readonly #unsequenced = new Map<Tracker, Unsequenced>();
  readonly #requests: ChangeRequests;
  readonly #doubtful = new Map<string, number>();
  #unreadCommits = 0;
  /** The lease renewal in progress. Renewals never overlap, even if one takes long. */
  #renewing: Promise<void> | undefined;
  #isStopped = false;
  #expiring: Promise<void> | undefined;

  /** @param owner unique per server process */
  constructor(engine: EngineContext, chain: string, owner: string) {
    const { store, timing } = engine;
    const leases = new Leases({
      store,
      chain,
      owner,
      duration: timing.lease,
      alone: store.dialect === 'sqlite',
    });
    const unknown = new UnknownTransactions(engine, chain);
    this.context = {
      ...engine,
      unknown,
      comparisons: new Comparisons(engine, chain, unknown),
      chain,
      leases,
      accounts: new Accounts(engine, chain, unknown),
      mutex: new Mutex(),
      trackers: () => this.#trackers.values(),
      signs: (shard) => !this.#isStopped && this.#unreadCommits === 0 && leases.holds(shard),
      fenced: (step, shards, write) => this.#fenced(step, shards, write),
    };
    this.#acceptor = new Acceptor(this.context);
    this.#sequenced = new Sequenced(this.context, (settlements) => this.#fail(settlements));
    this.#requests = new ChangeRequests(this.context);
  }

  /** Stores an accepted action, signed if it need not wait. Destroys the signer. @throws Problem */
  accept(acceptance: Acceptance, tracker: Tracker): Promise<void> {
    return this.#acceptor.accept(acceptance, tracker, this.#unsequenced.get(tracker));
  }

  /**
   * Returns an account's balance. Reads the balance again if the cached one is old or does not cover `cost`.
   */
  async balance(tracker: Tracker, address: string, shard: number, cost: bigint): Promise<bigint> {
    const account = this.context.accounts.get(address, shard);
    await this.context.accounts.refresh(account, tracker.open.session, { sequence: false, cost });
    return account.balance ?? 0n;
  }

  /** Called when an action may have become ready. */
  wake(): void {
    for (const scheduler of this.#schedulers()) scheduler.wake();
  }

  /** Called when there may be change requests for signed actions. */
  applyRequests(): void {
    this.#requests.wake();
  }

  /** Called when an action or its transaction completes. Frees the capacity that it used in its account. */
  ended(action: LiveAction): void {
    const account = this.context.accounts.loaded(action.address);
    account?.live.delete(action.id);
    // A completed transaction closes the gap, or shows that there was none.
    if (account !== undefined) account.gap = null;
    for (const scheduler of this.#schedulers()) scheduler.capacityFreed(action.address);
  }

  /** Called when an action needs another transaction. It is prepared after `delay` milliseconds. */
  again(tracker: Tracker, action: LiveAction, delay: number): void {
    this.#unsequenced.get(tracker)?.again(action.id, action.address, delay);
    this.wake();
  }

  addTracker(tracker: Tracker): void {
    this.#trackers.set(trackerKey(tracker.open), tracker);
    if (tracker.open.definition.capabilities.sequence === 'none') {
      this.#unsequenced.set(
        tracker,
        new Unsequenced(this.context, tracker, (settlements) => this.#fail(settlements)),
      );
    }
    this.#handOver(tracker);
    this.wake();
  }

  /** Makes the tracker also follow transactions of a plugin that no longer exists. */
  adopt(tracker: Tracker, plugin: string): void {
    tracker.adopted.add(plugin);
    this.#handOver(tracker);
  }

  /** Resolves when nothing is being signed for the tracker. */
  async removeTracker(tracker: Tracker): Promise<void> {
    if (this.#trackers.get(trackerKey(tracker.open)) === tracker)
      this.#trackers.delete(trackerKey(tracker.open));
    const scheduler = this.#unsequenced.get(tracker);
    this.#unsequenced.delete(tracker);
    await scheduler?.stop();
  }

  /** Renews the leases, loads the accounts of gained shards, and evicts those of lost shards. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * Fails the unsigned actions whose deadline has passed, except those that may have been executed.
   * @param at current time of the database's clock
   */
  expire(at: number): Promise<void> {
    this.#expiring ??= this.#expireOnce(at).finally(() => {
      this.#expiring = undefined;
    });
    return this.#expiring;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#requests.stop();
    for (const scheduler of this.#schedulers()) await scheduler.stop();
    await this.#acceptor.idle();
    await this.#expiring?.catch(() => {});
    await this.context.leases.release();
  }

  #schedulers(): (Sequenced | Unsequenced)[] {
    return [this.#sequenced, ...this.#unsequenced.values()];
  }

  async #expireOnce(at: number): Promise<void> {
    const { store, chain, leases, timing, now } = this.context;
    for (const [address, until] of this.#doubtful)
      if (until <= now() || until > now() + timing.signAgain.longest) this.#doubtful.delete(address);
    const expired = await readExpired(store.read, chain, leases.held(), at, [...this.#doubtful.keys()]);
    const doubtful = await readDoubtful(this.context, [...this.#trackers.values()], expired);
    for (const address of doubtful) this.#doubtful.set(address, now() + timing.signAgain.longest);
    const failed = expired.filter((one) => one.isEndedByPerson || !doubtful.has(one.address));
    if (failed.length > 0) await this.#fail(failed.map(({ settlement }) => settlement));
  }

  async #fail(settlements: readonly Settlement[]): Promise<void> {
    const { store, now, dependents, settled } = this.context;
    const compared = await dependents.compareOf(settlements.map(({ actionId }) => actionId));
    settled(await store.transaction((tx) => settle(tx, settlements, now(), compared)));
  }

  async #takeOver(shards: readonly number[]): Promise<void> {
    for (const action of await readInflight(this.context.store, this.context.chain, shards))
      this.context.accounts.get(action.address, action.shard).live.set(action.id, action);
    for (const tracker of this.#trackers.values()) this.#handOver(tracker);
  }

  /** Hands over to the tracker the signed actions of its ledger and plugins that no tracker follows yet. */
  #handOver(tracker: Tracker): void {
    const { record, pluginUid } = tracker.open;
    const all = [tracker, ...this.#trackers.values()];
    const signed = [...this.context.accounts.all()].flatMap((account) => [...account.live.values()]);
    tracker.add(
      signed.filter(
        ({ id, ledgerUid, plugin }) =>
          ledgerUid === record.uid &&
          (plugin === null || plugin === pluginUid || tracker.adopted.has(plugin)) &&
          !all.some(({ live }) => live.has(id)),
      ),
      false,
    );
  }

  async #renewOnce(): Promise<void> {
    if (this.#isStopped) return;
    const { gained, lost } = await this.context.leases.renew();
    if (lost.length > 0)
      this.context.log('warn', 'lanes.lost', { chain: this.context.chain, count: lost.length });
    this.context.accounts.evictIdle();
    // This does not wait for signatures in progress, because the leases could expire before the next renewal.
    if (gained.length === 0 && lost.length === 0 && this.#unreadCommits === 0) return;
    await this.context.mutex.run(async () => {
      const before = this.#unreadCommits;
      const stale = before > 0 ? [...lost, ...this.context.leases.held()] : lost;
      this.context.accounts.evict(stale);
      this.context.comparisons.evict(stale);
      for (const tracker of this.#trackers.values()) {
        const gone = [...tracker.live.values()].filter(({ shard }) => stale.includes(shard));
        tracker.remove(gone.map(({ id }) => id));
        tracker.history.drop(lost);
        tracker.history.recheck(gained);
      }
      const fresh = before > 0 ? this.context.leases.held() : gained;
      if (fresh.length > 0)
        await this.#takeOver(fresh).catch((error: unknown) => {
          this.#unreadCommits += 1;
          throw error;
        });
      this.#unreadCommits -= before;
      if (fresh.length > 0) this.wake();
    });
  }

  async #fenced<Result>(
    step: FencedStep | null,
    shards: Iterable<number>,
    write: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    const { store, leases, faults } = this.context;
    if (step !== null) faults(`${step}:before-commit`);
    const result = await store
      .transaction(async (tx) => {
        const [, written] = await together(leases.check(tx, shards), write(tx));
        return written;
      })
      .catch((error: unknown) => {
        if (isCommitUnknown(error) && !repeatable.has(step)) this.#unreadCommits += 1;
        throw error;
      });
    if (step !== null) faults(`${step}:after-commit`);
    return result;
  }
}

/** Returns the key of a tracker: a ledger has one tracker for each plugin that serves it. */
export function trackerKey({ record, pluginUid }: Pick<OpenLedger, 'record' | 'pluginUid'>): string {
  return `${record.uid} ${pluginUid}`;
}
