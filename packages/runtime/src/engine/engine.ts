import { randomUUID } from 'node:crypto';
import { unpackActivities } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { endsWithin } from '../concurrency/ends-within.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Log } from '../log.ts';
import { type Meter, noMeter } from '../meter.ts';
import type { OpenLedger } from '../open-ledger.ts';
import type { PendingCode, PendingReason } from '../pending-codes.ts';
import { type Retention, removeOld } from '../retention.ts';
import { releasePrivateBytes } from '../rows/actions/action-bytes.ts';
import {
  type ChangeRequest,
  type ChangeResult,
  Moved,
  recordChangeRequest,
} from '../rows/actions/change-requests.ts';
import type { Compared } from '../rows/actions/dependents.ts';
import { prune } from '../rows/actions/prune.ts';
import { type RegisterDeployed, registerDeployed } from '../rows/actions/register-deployed.ts';
import { type Settled, settle } from '../rows/actions/settle.ts';
import { SmallActionBytes } from '../rows/actions/small-action-bytes.ts';
import {
  readSuspended,
  type SuspendedBy,
  subjectsOf,
  suspensionsTopic,
} from '../rows/actions/suspensions.ts';
import { codeOfStage, type KnownReasons } from '../rows/actions/waiting.ts';
import { shardOf } from '../rows/chains/chain-key.ts';
import type { Faults } from '../rows/faults.ts';
import type { Settlement } from '../rows/model.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { createTraces, type Traces } from '../traces/traces.ts';
import { ChainWorker } from './chains/chain-worker.ts';
import { DependentAccounts } from './chains/dependent-accounts.ts';
import { IdleAccounts } from './chains/idle-accounts.ts';
import { Trackers } from './chains/trackers.ts';
import { UnservedPlugins } from './chains/unserved-plugins.ts';
import type { EngineContext } from './context.ts';
import { type EngineState, readEngineState } from './engine-state.ts';
import {
  type FollowedLedger,
  followedLedgers,
  type LedgerHealth,
  type LedgerReach,
  ledgerHealth,
  ledgerReaches,
} from './ledger-health.ts';
import { Promotions } from './promotions.ts';
import { type Acceptance, acceptBatch } from './signing/accept.ts';
import type { Tracker } from './tracking/tracker.ts';
import { unminedCode, unminedReasons } from './tracking/unmined-reason.ts';

/** What this server knows about a signed action in addition to its row. */
export interface SignedKnown {
  /** Why the ledger has not executed the action yet: `reasons` for users, `code` for programs. */
  readonly reasons: readonly string[];
  readonly code: PendingCode;
  /**
   * When a node first accepted the action's transaction. Null if no node has accepted one, or if this server started to
   * follow the action later.
   */
  readonly sentAt: number | null;
}

export interface EngineOptions {
  store: Store;
  vault: EngineContext['vault'];
  ledgers: Pick<Ledgers, 'open' | 'reopen' | 'isRecorded' | 'isCurrent' | 'sweep'>;
  register: RegisterDeployed;
  log: Log;
  /** Default: no metrics. */
  meter?: Meter;
  /** Default: no traces. */
  traces?: Traces;
  now: () => number;
  /** Whether the database certainly contains all signed transactions; see `EngineContext`. Default: true. */
  isCurrent?: boolean;
  /** Default: keep everything. */
  retention?: Retention;
  faults?: Faults;
  /** Default: `defaultTiming`. */
  timing?: Partial<Timing>;
}

/**
 * Executes accepted actions: signs, sends and confirms them, and resumes from the database after a crash.
 *
 * An engine is new, then started, then stopped. While it is started, timers renew leases and trackers, and read tables.
 * Each background task is in `#background` until it completes. All other state is in the chain workers and trackers.
 */
export class Engine {
  readonly #context: EngineContext;
  readonly #retention: Retention;
  readonly #promotions: Promotions;
  readonly #register: RegisterDeployed;
  /** Name of this process in the leases. */
  readonly #owner = randomUUID();
  readonly #trackers: Trackers;
  readonly #idleAccounts: IdleAccounts;
  readonly #dependents: DependentAccounts;
  /** Workers by chain, possibly still being opened. */
  readonly #workers = new Map<string, Promise<ChainWorker>>();
  readonly #subscriptions: (() => void)[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #background = new Set<Promise<unknown>>();
  /** Uids of suspended resources, as of the last read. */
  #suspended: ReadonlySet<string> = new Set();
  #isStopped = false;

  constructor(options: EngineOptions) {
    const { store, vault, ledgers, register, log, now, meter = noMeter, faults = () => {} } = options;
    this.#retention = options.retention ?? {};
    this.#register = register;
    this.#promotions = new Promotions({ store, log, now });
    const timing = { ...defaultTiming, ...options.timing };
    const isCurrent = options.isCurrent ?? true;
    this.#dependents = new DependentAccounts({ store, log, meter, now, timing, isCurrent }, ledgers);
    this.#context = {
      store,
      vault,
      log,
      meter,
      now,
      faults,
      timing,
      isCurrent,
      dependents: this.#dependents,
      traces: options.traces ?? createTraces(),
      unserved: new UnservedPlugins(),
      actionBytes: new SmallActionBytes(store, now),
      announce: (ids) => this.#announce(ids),
      promotions: this.#promotions,
      wake: (chain) => store.notify('lanes', chain),
      settled: (settled) => this.#reportSettled(settled),
      isSuspended: (action) => this.#isSuspended(action),
    };
    this.#trackers = new Trackers(this.#context, {
      ledgers,
      register,
      workerFor: (chain) => this.#workerFor(chain),
      runInBackground: (work, event) => this.#runInBackground(work, event),
    });
    this.#idleAccounts = new IdleAccounts(this.#context, ledgers);
  }

  /** Number of bytes that each organization stores in small actions. */
  get actionBytes(): SmallActionBytes {
    return this.#context.actionBytes;
  }

  /** Returns the tracker of an open ledger, opening it on first use. @throws Problem `ledger-unavailable` */
  track(ledger: OpenLedger): Promise<Tracker> {
    return this.#trackers.of(ledger);
  }

  /** Returns the key of the chain that a ledger is on. @throws Problem `ledger-unavailable` */
  async chainOf(ledger: OpenLedger): Promise<string> {
    return (await this.track(ledger)).chain;
  }

  /**
   * Returns an account's balance. Reads the balance again if the cached one is old or does not cover `cost`.
   * @throws Problem
   */
  async balance(tracker: Tracker, address: string, cost: bigint): Promise<bigint> {
    const worker = await this.#workerFor(tracker.chain);
    return worker.balance(tracker, address, shardOf(address), cost).catch((error: unknown) => {
      throw problemFrom(error);
    });
  }

  /**
   * Stores an action: signed if it need not wait, otherwise unsigned. Durable once the promise resolves.
   * Destroys the signer.
   * @throws Problem
   */
  async accept(tracker: Tracker, acceptance: Acceptance): Promise<void> {
    try {
      // The tracker may have been replaced while the wallet was being unlocked.
      const current = await this.#trackers.of(tracker.open);
      const worker = await this.#workerFor(current.chain);
      await worker.accept(acceptance, current);
    } finally {
      acceptance.signer.destroy();
    }
  }

  /**
   * Stores either all actions, unsigned, or none. They may be on several chains. Durable once the promise resolves.
   * Destroys the signers.
   * @throws Problem
   */
  acceptBatch(acceptances: readonly Acceptance[]): Promise<void> {
    return acceptBatch(this.#context, acceptances);
  }

  /**
   * Compares the account of an unsigned action with its ledger, and suspends its wallets if the database was restored
   * to an earlier state. Returns false if the ledger cannot be read in time.
   */
  compare(open: OpenLedger, chain: string, address: string): Promise<boolean> {
    return this.#dependents.compare(open, chain, address);
  }

  /**
   * Compares the accounts of all actions that depend on an action. Returns the compared accounts.
   * @throws StoreError
   */
  compareDependents(actionId: string): Promise<Compared> {
    return this.#dependents.compareOf([actionId]);
  }

  /**
   * Cancels an unsigned action immediately. For a signed action, stores the request, which the server that
   * holds the action's shard carries out. Durable once the promise resolves.
   */
  async change(
    request: ChangeRequest,
    answer: (tx: Tx, made: ChangeResult) => Promise<void>,
  ): Promise<ChangeResult> {
    const { store, faults } = this.#context;
    faults('change:before-commit');
    const result = await store
      .transaction(async (tx) => {
        const made = await recordChangeRequest(tx, request);
        if (made.status !== 'moved') await answer(tx, made);
        return made;
      })
      .catch((error: unknown): ChangeResult => {
        if (error instanceof Moved) return { status: 'moved' };
        throw error;
      });
    faults('change:after-commit');
    if (result.status === 'ended') {
      this.#reportSettled(result.settled);
    } else if (result.status === 'stored') {
      this.#announce([request.actionId]);
      store.notify('changes', result.chain);
    }
    return result;
  }

  /**
   * Completes an unsigned action with the result of a transaction that another program sent, in the same
   * database transaction as `write`.
   *
   * @throws Problem `conflict` if the action was signed or completed in the meantime
   */
  async markExecuted(settlement: Settlement, write: (tx: Tx) => Promise<void>): Promise<void> {
    const { store, now } = this.#context;
    const settled = await store.transaction(async (tx) => {
      const ends = await settle(tx, [settlement], now());
      if (!ends.ended.includes(settlement.actionId)) {
        const detail = `The action ${settlement.actionId} was signed or completed in the meantime. Read it again.`;
        throw new Problem('conflict', detail);
      }
      await write(tx);
      await registerDeployed(tx, [settlement], ends.ended, this.#register);
      return ends;
    });
    this.#reportSettled(settled);
  }

  /** Calls the listener after each committed change of an action, on every server. */
  onChange(listener: (actionIds: readonly string[]) => void): () => void {
    return this.#context.store.listen('actions', (payload) => listener(payload.split(',')));
  }

  /** Returns what this server knows about a signed action; defaults if the server does not follow it. */
  signed(actionId: string): SignedKnown {
    for (const { live } of this.#trackers.running()) {
      const action = live.get(actionId);
      if (action === undefined) continue;
      const reasons = unminedReasons(action, live.values());
      return { reasons, code: unminedCode(action), sentAt: action.takenAt ?? null };
    }
    return { reasons: [], code: codeOfStage.signed, sentAt: null };
  }

  /**
   * Pending reasons that are only in this server's memory. Lists and counts include them, so that they show the same
   * reasons as a single action.
   */
  knownReasons(): KnownReasons {
    const live = [...this.#trackers.running()].flatMap((tracker) => [...tracker.live.values()]);
    const unmined = Map.groupBy(live, unminedCode);
    unmined.delete(codeOfStage.signed);
    return {
      unavailable: this.#unavailable(),
      unmined: new Map([...unmined].map(([code, actions]) => [code, actions.map(({ id }) => id)])),
    };
  }

  /**
   * Returns why an action cannot proceed because of its ledger or its plugin; null if it can. A signed action needs
   * only a tracker, even of another plugin.
   */
  unavailableReason(
    ledgerUid: string,
    plugin: string | null,
    { isSigned }: { isSigned: boolean },
  ): PendingReason | null {
    const serves = (one: LedgerReach) => one.ledgerUid === ledgerUid && one.plugins.includes(plugin);
    const reach = ledgerReaches(this.#trackers).find(serves);
    if (typeof reach?.lastError === 'string') return { code: 'ledger-unavailable', reason: reach.lastError };
    if (reach !== undefined && isSigned) return null;
    return this.#context.unserved.reasonOf(ledgerUid, plugin);
  }

  async start(): Promise<void> {
    const { store, timing } = this.#context;
    const trackers = this.#trackers;
    this.#subscriptions.push(
      store.listen('lanes', (chain) => this.#callWorker(chain, (worker) => worker.wake())),
      store.listen(suspensionsTopic, () =>
        this.#runInBackground(this.#applySuspensions(), 'suspensions.read'),
      ),
      store.listen('changes', (chain) => this.#callWorker(chain, (worker) => worker.applyRequests())),
    );
    await this.#promotions.start();
    await this.#readSuspended();
    await this.#waitBriefly(trackers.resume(), 'engine.resume');
    this.#runInBackground(this.#idleAccounts.compare(), 'accounts.compare');
    this.#every(timing.tick, () => this.#tick(), 'engine.tick');
    this.#every(timing.renewLedgers, () => trackers.renew(), 'engine.renew');
    this.#every(timing.renewLedgers, () => trackers.sweep(), 'ledger.sweep');
    this.#every(timing.lease / 3, () => this.#renewLeases(), 'lanes.renew');
    this.#every(timing.writeActionBytes, () => this.actionBytes.write(), 'action-bytes.write');
    this.#every(timing.tick, () => this.#promotions.refresh(), 'replication.read');
    this.#every(timing.prune, () => this.#prune(), 'engine.prune');
    this.#every(
      timing.retain,
      () => removeOld(store, this.#retention, () => this.#isStopped),
      'engine.retain',
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#idleAccounts.stop();
    // Completed work may have started more background work.
    while (this.#background.size > 0) await Promise.all([...this.#background]);
    // Stops every part even if stopping one fails. Without a database, for example, leases cannot be
    // released.
    const parts = new AsyncDisposableStack();
    parts.defer(() => this.#writeLastBytes());
    parts.defer(() => this.#trackers.stop());
    for (const worker of await this.#openWorkers()) parts.defer(() => worker.stop());
    await parts.disposeAsync();
  }

  /** Writes the byte counts that are still in memory. Without a database, they are lost, as after a crash. */
  async #writeLastBytes(): Promise<void> {
    await this.actionBytes.write().catch((error: unknown) => {
      this.#context.log('warn', 'action-bytes.write', { detail: problemFrom(error).message });
    });
  }

  async state(): Promise<EngineState> {
    return readEngineState(
      this.#context.store.read,
      await this.#openWorkers(),
      [...this.#trackers.running()],
      [...this.#trackers.unavailable.all()],
      this.#unavailable(),
    );
  }

  health(): LedgerHealth[] {
    return ledgerHealth(ledgerReaches(this.#trackers));
  }

  followed(): FollowedLedger[] {
    return followedLedgers(this.#trackers);
  }

  #announce(ids: readonly string[]): void {
    for (let at = 0; at < ids.length; at += 200)
      this.#context.store.notify('actions', ids.slice(at, at + 200).join(','));
  }

  #reportSettled({ ended, ends, wake: chains }: Settled): void {
    const { meter, traces, wake } = this.#context;
    this.#announce(ended);
    for (const chain of chains) wake(chain);
    traces.ended(ends);
    for (const { ledgerId, status, acceptedAt, endedAt, fee } of ends) {
      meter.action(ledgerId, status);
      meter.step(ledgerId, 'ended', endedAt - acceptedAt);
      if (fee !== null) meter.fee(ledgerId, fee);
    }
  }

  #isSuspended(action: SuspendedBy): boolean {
    return this.#suspended.size > 0 && subjectsOf(action).some((uid) => this.#suspended.has(uid));
  }

  #unavailable(): KnownReasons['unavailable'] {
    const ofReaches = ledgerReaches(this.#trackers).flatMap(({ ledgerUid, plugins }) =>
      plugins.map((plugin) => ({ ledgerUid, plugin })),
    );
    return [...ofReaches, ...this.#context.unserved.all()].flatMap(({ ledgerUid, plugin }) => {
      const unsigned = this.unavailableReason(ledgerUid, plugin, { isSigned: false });
      if (unsigned === null) return [];
      const signed = this.unavailableReason(ledgerUid, plugin, { isSigned: true });
      return [{ ledgerUid, plugin, code: unsigned.code, isUnsignedOnly: signed === null }];
    });
  }

  #workerFor(chain: string): Promise<ChainWorker> {
    let worker = this.#workers.get(chain);
    if (worker === undefined) {
      worker = this.#openWorker(chain);
      this.#workers.set(chain, worker);
      worker.catch(() => this.#workers.delete(chain));
    }
    return worker;
  }

  async #openWorker(chain: string): Promise<ChainWorker> {
    const worker = new ChainWorker(this.#context, chain, this.#owner);
    await this.#waitBriefly(worker.renew(), 'lanes.renew');
    return worker;
  }

  async #openWorkers(): Promise<ChainWorker[]> {
    const all = await Promise.allSettled(this.#workers.values());
    return all.flatMap((worker) => (worker.status === 'fulfilled' ? [worker.value] : []));
  }

  #callWorker(chain: string, call: (worker: ChainWorker) => void): void {
    const worker = this.#workers.get(chain);
    if (worker !== undefined) this.#runInBackground(worker.then(call), 'lanes.wake');
  }

  /** Lets work continue in the background and logs its failure. `stop()` waits for the work. */
  #runInBackground(work: Promise<unknown>, event: string): void {
    const running: Promise<unknown> = work
      .catch((error: unknown) => this.#context.log('warn', event, { detail: problemFrom(error).message }))
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }

  /**
   * Waits for `work` for at most `timing.start` ms. After that, the work continues in the background, so that a request
   * does not wait for it. @throws the error of `work` if it fails within that time
   */
  async #waitBriefly(work: Promise<void>, event: string): Promise<void> {
    if (!(await endsWithin(work, this.#context.timing.start))) this.#runInBackground(work, event);
  }

  async #readSuspended(): Promise<void> {
    this.#suspended = await readSuspended(this.#context.store.read);
  }

  /** Wakes all workers, so that resumed actions are signed immediately. */
  async #applySuspensions(): Promise<void> {
    await this.#readSuspended();
    for (const worker of await this.#openWorkers()) worker.wake();
  }

  async #tick(): Promise<void> {
    await this.#readSuspended();
    const at = await this.#context.store.now();
    for (const worker of await this.#openWorkers()) {
      worker.wake();
      worker.applyRequests();
      // This work is not awaited: a comparison with one ledger must not delay the actions of other ledgers.
      this.#runInBackground(worker.expire(at), 'deadlines.apply');
    }
  }

  async #renewLeases(): Promise<void> {
    // Renews concurrently, so that a worker whose leases cannot be renewed does not block the others.
    for (const worker of await this.#openWorkers()) this.#runInBackground(worker.renew(), 'lanes.renew');
    await this.#trackers.resume();
  }

  async #prune(): Promise<void> {
    const { store } = this.#context;
    // Unpacks records in advance, so that the next reader of the timeline does not have to wait.
    await unpackActivities(store);
    await prune(store);
    await releasePrivateBytes(store);
  }

  /** Runs `work` periodically; runs never overlap. */
  #every(milliseconds: number, work: () => Promise<void>, event: string): void {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning || this.#isStopped) return;
      isRunning = true;
      const run = work().finally(() => {
        isRunning = false;
      });
      this.#runInBackground(run, event);
    }, milliseconds);
    this.#timers.push(timer);
  }
}
