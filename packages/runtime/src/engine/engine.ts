import { randomUUID } from 'node:crypto';
import { unpackActivities } from '@ledger-ops/auth';
import type { Store, Tx } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { endsWithin } from '../concurrency/ends-within.ts';
import type { Vault } from '../keys/types.ts';
import type { Log } from '../log.ts';
import { deafMeter, type Meter } from '../meter.ts';
import type { Ledgers, OpenLedger } from '../open-ledger.ts';
import type { PendingCode } from '../pending-codes.ts';
import { type Retention, removeOld } from '../retention.ts';
import {
  type ChangeRequest,
  type ChangeResult,
  Moved,
  recordChangeRequest,
} from '../rows/actions/change-requests.ts';
import { prune } from '../rows/actions/prune.ts';
import type { RegisterDeployed } from '../rows/actions/register-deployed.ts';
import type { Settled } from '../rows/actions/settle.ts';
import { readSuspended, subjectsOf, suspensionsTopic } from '../rows/actions/suspensions.ts';
import { codeOfStage, type KnownReasons } from '../rows/actions/waiting.ts';
import { shardOf } from '../rows/chains/chain-key.ts';
import type { Faults } from '../rows/faults.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { createTraces, type Traces } from '../traces/traces.ts';
import { type ChainWorker, createChainWorker } from './chains/chain-worker.ts';
import { createTrackers } from './chains/trackers.ts';
import type { EngineContext } from './context.ts';
import { type EngineState, readEngineState } from './engine-state.ts';
import { type LedgerHealth, type LedgerReach, ledgerHealth, ledgerReaches } from './ledger-health.ts';
import { type Acceptance, acceptTogether } from './signing/accept.ts';
import { unminedCode, unminedReasons } from './tracking/unmined-reason.ts';

/** Executes accepted actions: signs, sends, confirms, and goes on from the rows after any crash. */
export interface Engine {
  /** The chain of an open ledger. Opens the ledger's tracker on first use. @throws Problem `ledger-unavailable` */
  open(ledger: OpenLedger): Promise<OpenChain>;
  /**
   * Cancels what is not signed, at once; of what is signed it keeps the request, which the server that has its shard does.
   * Durable once it resolves.
   */
  change(
    request: ChangeRequest,
    answer: (tx: Tx, made: ChangeResult) => Promise<void>,
  ): Promise<ChangeResult>;
  /** Stores actions of any chains unsigned, all or none of them; durable once it resolves. Destroys the keys. @throws Problem */
  acceptTogether(acceptances: readonly Acceptance[]): Promise<void>;
  onChange(listener: (actionIds: readonly string[]) => void): () => void;
  /** All that this server's memory knows of a signed action; of one that it does not follow nothing. */
  signed(actionId: string): SignedKnown;
  /** All that this server's memory knows of why actions are pending: lists and counts heed what is shown of each. */
  knownReasons(): KnownReasons;
  /** Why a ledger cannot be followed at present, with the plugin of an action; null when it can. */
  trouble(ledgerUid: string, plugin: string | null): string | null;
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): LedgerHealth[];
  state(): Promise<EngineState>;
}

/** Known of a signed action beside its row. */
export interface SignedKnown {
  /** Why it is not on its ledger, in sentences, and for programs. */
  readonly reasons: readonly string[];
  readonly code: PendingCode;
  /** When a node took it first; null: not yet, or not known, as it was followed only later. */
  readonly sentAt: number | null;
}

/** The chain that a ledger is on, to accept actions for it. */
export interface OpenChain {
  /** Its key. */
  readonly chain: string;
  /** Read again when it is old or does not cover `cost`. @throws Problem */
  balance(address: string, cost: bigint): Promise<bigint>;
  /** Durable once it resolves. Destroys the key. @throws Problem */
  accept(acceptance: Acceptance): Promise<void>;
}

export interface EngineOptions {
  store: Store;
  vault: Vault;
  ledgers: Ledgers;
  register: RegisterDeployed;
  log: Log;
  /** Default: nobody counts. */
  meter?: Meter;
  /** Default: nobody records traces. */
  traces?: Traces;
  now: () => number;
  /** Default: everything is kept. */
  retention?: Retention;
  faults?: Faults;
  /** Default: `defaultTiming`. */
  timing?: Partial<Timing>;
}

export function createEngine(options: EngineOptions): Engine {
  const { store, vault, ledgers, register, log, now, meter = deafMeter } = options;
  const faults = options.faults ?? (() => {});
  const traces = options.traces ?? createTraces();
  const timing: Timing = { ...defaultTiming, ...options.timing };
  const owner = randomUUID();
  const workers = new Map<string, Promise<ChainWorker>>();
  const closers: (() => void)[] = [];
  const timers: NodeJS.Timeout[] = [];
  const background = new Set<Promise<unknown>>();
  /** Uids of what is suspended, as it was read last. */
  let suspended: ReadonlySet<string> = new Set();
  let stopped = false;

  const announce = (ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += 200) store.notify('actions', ids.slice(at, at + 200).join(','));
  };
  const wake = (chain: string) => store.notify('lanes', chain);
  const settled = ({ ended, ends, wake: chains }: Settled) => {
    announce(ended);
    for (const chain of chains) wake(chain);
    traces.ended(ends);
    for (const { ledgerId, status, acceptedAt, endedAt, fee } of ends) {
      meter.action(ledgerId, status);
      meter.step(ledgerId, 'ended', endedAt - acceptedAt);
      if (fee !== null) meter.fee(ledgerId, fee);
    }
  };
  const context: EngineContext = {
    ...{ store, vault, log, meter, traces, now, timing, faults },
    ...{ announce, wake, settled },
    isSuspended: (action) => suspended.size > 0 && subjectsOf(action).some((uid) => suspended.has(uid)),
  };

  function own(work: Promise<unknown>, event: string): void {
    const owned: Promise<unknown> = work
      .catch((error: unknown) => log('warn', event, { detail: problemFrom(error).message }))
      .finally(() => background.delete(owned));
    background.add(owned);
  }

  /**
   * Waits for work, which goes on behind when it takes long: where others are busy with what it needs, requests do not
   * wait for it. @throws as the work, where it fails before that
   */
  async function briefly(work: Promise<void>, event: string): Promise<void> {
    if (!(await endsWithin(work, timing.start))) own(work, event);
  }

  const trackers = createTrackers(context, { ledgers, register, workerFor, own });

  function workerFor(chain: string): Promise<ChainWorker> {
    let worker = workers.get(chain);
    if (worker === undefined) {
      worker = openWorker(chain);
      workers.set(chain, worker);
      worker.catch(() => workers.delete(chain));
    }
    return worker;
  }

  async function openWorker(chain: string): Promise<ChainWorker> {
    const worker = createChainWorker(context, chain, owner);
    await briefly(worker.renew(), 'lanes.renew');
    return worker;
  }

  async function openWorkers(): Promise<ChainWorker[]> {
    const all = await Promise.allSettled(workers.values());
    return all.flatMap((worker) => (worker.status === 'fulfilled' ? [worker.value] : []));
  }

  function tell(chain: string, what: (worker: ChainWorker) => void): void {
    const worker = workers.get(chain);
    if (worker !== undefined) own(worker.then(what), 'lanes.wake');
  }

  /** The ledger's tracker as it is now: while a wallet is unlocked it may have been replaced. */
  async function trackerAndWorker(open: OpenLedger) {
    const tracker = await trackers.of(open);
    return { tracker, worker: await workerFor(tracker.chain) };
  }

  function troubleOf(ledgerUid: string, plugin: string | null): string | null {
    const serves = (one: LedgerReach) => one.ledgerUid === ledgerUid && one.plugins.includes(plugin);
    return ledgerReaches(trackers).find(serves)?.trouble ?? null;
  }

  /** Ledgers with plugins of actions that they cannot be followed by. */
  function troubled(): KnownReasons['troubled'] {
    return ledgerReaches(trackers)
      .flatMap(({ ledgerUid, plugins }) => plugins.map((plugin) => ({ ledgerUid, plugin })))
      .filter(({ ledgerUid, plugin }) => troubleOf(ledgerUid, plugin) !== null);
  }

  async function change(
    request: ChangeRequest,
    answer: (tx: Tx, made: ChangeResult) => Promise<void>,
  ): Promise<ChangeResult> {
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
      settled(result.settled);
    } else if (result.status === 'stored') {
      announce([request.actionId]);
      store.notify('changes', result.chain);
    }
    return result;
  }

  async function readAllSuspended(): Promise<void> {
    suspended = await readSuspended(store.read);
  }

  /** So that resumed actions are signed at once. */
  async function suspensionsChanged(): Promise<void> {
    await readAllSuspended();
    for (const worker of await openWorkers()) worker.wake();
  }

  async function tick(): Promise<void> {
    await readAllSuspended();
    const at = await store.now();
    const all = await openWorkers();
    for (const worker of all) {
      worker.wake();
      worker.applyRequests();
    }
    for (const worker of all) await worker.expire(at);
  }

  async function forget(): Promise<void> {
    // So that whoever reads the timeline next need not wait for it.
    await unpackActivities(store);
    await prune(store);
  }

  /** Runs again and again, never twice at once. */
  function every(milliseconds: number, work: () => Promise<void>, event: string): void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy || stopped) return;
      busy = true;
      own(
        work().finally(() => {
          busy = false;
        }),
        event,
      );
    }, milliseconds);
    timers.push(timer);
  }

  return {
    async open(ledger) {
      const { chain } = await trackers.of(ledger);
      return {
        chain,
        async balance(address, cost) {
          const { tracker, worker } = await trackerAndWorker(ledger);
          return worker.balance(tracker, address, shardOf(address), cost).catch((error: unknown) => {
            throw problemFrom(error);
          });
        },
        async accept(acceptance) {
          const { tracker, worker } = await trackerAndWorker(ledger).catch((error: unknown) => {
            acceptance.key.destroy();
            throw error;
          });
          await worker.accept(acceptance, tracker);
        },
      };
    },
    change,
    acceptTogether: (acceptances) => acceptTogether(context, acceptances),
    onChange(listener) {
      return store.listen('actions', (payload) => listener(payload.split(',')));
    },
    signed(actionId) {
      for (const { live } of trackers.running()) {
        const action = live.get(actionId);
        if (action === undefined) continue;
        const reasons = unminedReasons(action, live.values());
        return { reasons, code: unminedCode(action), sentAt: action.takenAt ?? null };
      }
      return { reasons: [], code: codeOfStage.signed, sentAt: null };
    },
    trouble: troubleOf,
    knownReasons() {
      const live = [...trackers.running()].flatMap((tracker) => [...tracker.live.values()]);
      const unmined = Map.groupBy(live, unminedCode);
      unmined.delete(codeOfStage.signed);
      return {
        troubled: troubled(),
        unmined: new Map([...unmined].map(([code, actions]) => [code, actions.map(({ id }) => id)])),
      };
    },
    async start() {
      closers.push(
        store.listen('lanes', (chain) => tell(chain, (worker) => worker.wake())),
        store.listen(suspensionsTopic, () => own(suspensionsChanged(), 'suspensions.read')),
        store.listen('changes', (chain) => tell(chain, (worker) => worker.applyRequests())),
      );
      await readAllSuspended();
      await briefly(trackers.resume(), 'engine.resume');
      every(timing.tick, tick, 'engine.tick');
      every(timing.renewLedgers, trackers.renew, 'engine.renew');
      every(timing.renewLedgers, trackers.sweep, 'ledger.sweep');
      every(
        timing.lease / 3,
        async () => {
          // One of which they cannot be renewed keeps no other from it.
          for (const worker of await openWorkers()) own(worker.renew(), 'lanes.renew');
          await trackers.resume();
        },
        'lanes.renew',
      );
      every(timing.prune, forget, 'engine.prune');
      every(timing.retain, () => removeOld(store, options.retention ?? {}, () => stopped), 'engine.retain');
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      for (const close of closers) close();
      // Work that ends may have begun more of it.
      while (background.size > 0) await Promise.all([...background]);
      // All of it ends, also where a part cannot: without a database no lease is given back.
      const parts = new AsyncDisposableStack();
      parts.defer(() => trackers.stop());
      for (const worker of await openWorkers()) parts.defer(() => worker.stop());
      await parts.disposeAsync();
    },
    async state() {
      return readEngineState(
        store.read,
        await openWorkers(),
        [...trackers.running()],
        [...trackers.unavailable.all()],
        troubled(),
      );
    },
    health: () => ledgerHealth(ledgerReaches(trackers)),
  };
}
