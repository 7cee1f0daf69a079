import { createMutex } from '../../concurrency/mutex.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { readExpired } from '../../rows/actions/deadlines.ts';
import { settle } from '../../rows/actions/settle.ts';
import { readInflight } from '../../rows/attempts/inflight.ts';
import { createLeases } from '../../rows/chains/shard-leases.ts';
import { isCommitUnknown } from '../../rows/commit-unknown.ts';
import type { LiveAction, Settlement } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import { createChangeRequests } from '../replacing/change-requests.ts';
import { type Acceptance, createAcceptor } from '../signing/accept.ts';
import { createAccounts } from '../signing/accounts.ts';
import { createSequenced } from '../signing/sequenced.ts';
import { createUnsequenced, type Unsequenced } from '../signing/unsequenced.ts';
import type { Tracker } from '../tracking/types.ts';
import type { ChainContext, FencedStep } from './chain-context.ts';

/** Signs for the accounts of one chain: what is accepted now, and what waited in the table. */
export interface ChainWorker {
  readonly context: ChainContext;
  /** Stores an accepted action, signed when nothing must be waited for. Destroys the key. @throws Problem */
  accept(acceptance: Acceptance, tracker: Tracker): Promise<void>;
  /** Read again when it is old or does not cover `cost`. */
  balance(tracker: Tracker, address: string, shard: number, cost: bigint): Promise<bigint>;
  /** Something may have become ready. */
  wake(): void;
  /** Something may be asked of signed actions. */
  applyRequests(): void;
  /** An action ended, or its transaction: its account has room again. */
  ended(action: LiveAction): void;
  /** Ready again, for another transaction, after so many milliseconds. */
  again(tracker: Tracker, action: LiveAction, delay: number): void;
  addTracker(tracker: Tracker): void;
  /** The tracker follows what a plugin that is no more has signed. */
  adopt(tracker: Tracker, plugin: string): void;
  /** Resolves when nothing is being signed for the tracker any more. */
  removeTracker(tracker: Tracker): Promise<void>;
  /** Renews the leases, takes over what was gained, drops what was lost. */
  renew(): Promise<void>;
  /** Fails what was not signed in time. */
  expire(now: number): Promise<void>;
  stop(): Promise<void>;
}

/** Writes that are tried again as they are, by whoever wants them. */
const repeatable: ReadonlySet<FencedStep | null> = new Set(['reject', 'note', null]);

/** @param owner unique for this run of this server */
export function createChainWorker(engine: EngineContext, chain: string, owner: string): ChainWorker {
  const { store, log, now, faults, timing } = engine;
  const leases = createLeases({
    ...{ store, chain, owner, duration: timing.lease, alone: store.dialect === 'sqlite' },
  });
  const accounts = createAccounts(engine, chain);
  const mutex = createMutex();
  const trackers = new Map<string, Tracker>();
  /** Schedulers of ledgers without sequences; actions of all others are signed in turn. */
  const unsequenced = new Map<Tracker, Unsequenced>();
  /** Times that rows came to differ from what is in memory, as far as is known, since all of them were last read. */
  let unread = 0;
  /** The leases are renewed once at a time, however long that takes. */
  let renewing: Promise<void> | undefined;
  let stopped = false;

  const context: ChainContext = {
    ...engine,
    ...{ chain, leases, accounts, mutex, trackers: () => trackers.values() },
    signs: (shard) => !stopped && unread === 0 && leases.holds(shard),
    async fenced(step, shards, write) {
      if (step !== null) faults(`${step}:before-commit`);
      const result = await store
        .transaction(async (tx) => {
          await leases.check(tx, shards);
          return write(tx);
        })
        .catch((error: unknown) => {
          if (isCommitUnknown(error) && !repeatable.has(step)) unread += 1;
          throw error;
        });
      if (step !== null) faults(`${step}:after-commit`);
      return result;
    },
  };
  const acceptor = createAcceptor(context);
  const sequenced = createSequenced(context, fail);
  const schedulers = () => [sequenced, ...unsequenced.values()];
  const requests = createChangeRequests(context);

  function wake(): void {
    for (const scheduler of schedulers()) scheduler.wake();
  }

  async function fail(settlements: readonly Settlement[]): Promise<void> {
    engine.settled(await store.transaction((tx) => settle(tx, settlements, now())));
  }

  async function takeOver(shards: readonly number[]): Promise<void> {
    for (const action of await readInflight(store, chain, shards))
      accounts.get(action.address, action.shard).live.set(action.id, action);
    for (const tracker of trackers.values()) handOver(tracker);
  }

  /** The tracker follows what is its ledger's and its plugins', and no tracker's yet. */
  function handOver(tracker: Tracker): void {
    const { record, pluginUid } = tracker.open;
    const all = [tracker, ...trackers.values()];
    const signed = [...accounts.all()].flatMap((account) => [...account.live.values()]);
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

  async function renew(): Promise<void> {
    if (stopped) return;
    const { gained, lost } = await leases.renew();
    if (lost.length > 0) log('warn', 'lanes.lost', { chain, count: lost.length });
    accounts.forgetIdle();
    await mutex.run(async () => {
      const before = unread;
      const stale = before > 0 ? [...lost, ...leases.held()] : lost;
      accounts.forget(stale);
      for (const tracker of trackers.values()) {
        const gone = [...tracker.live.values()].filter(({ shard }) => stale.includes(shard));
        tracker.remove(gone.map(({ id }) => id));
        tracker.forgetHistory(lost);
        tracker.doubtHistory(gained);
      }
      const fresh = before > 0 ? leases.held() : gained;
      if (fresh.length > 0)
        await takeOver(fresh).catch((error: unknown) => {
          unread += 1;
          throw error;
        });
      unread -= before;
      if (fresh.length > 0) wake();
    });
  }

  return {
    context,
    accept: (acceptance, tracker) => acceptor.accept(acceptance, tracker, unsequenced.get(tracker)),
    async balance(tracker, address, shard, cost) {
      const account = accounts.get(address, shard);
      await accounts.refresh(account, tracker.open.session, { sequence: false, cost });
      return account.balance ?? 0n;
    },
    wake,
    applyRequests: requests.wake,
    ended(action) {
      const account = accounts.known(action.address);
      account?.live.delete(action.id);
      // The ledger has come further.
      if (account !== undefined) account.gap = null;
      for (const scheduler of schedulers()) scheduler.roomFor(action.address);
    },
    again(tracker, action, delay) {
      unsequenced.get(tracker)?.again(action.id, action.address, delay);
      wake();
    },
    addTracker(tracker) {
      trackers.set(trackerKey(tracker.open), tracker);
      if (tracker.open.definition.capabilities.sequence === 'none') {
        unsequenced.set(tracker, createUnsequenced(context, tracker, fail));
      }
      handOver(tracker);
      wake();
    },
    adopt(tracker, plugin) {
      tracker.adopted.add(plugin);
      handOver(tracker);
    },
    async removeTracker(tracker) {
      if (trackers.get(trackerKey(tracker.open)) === tracker) trackers.delete(trackerKey(tracker.open));
      const scheduler = unsequenced.get(tracker);
      unsequenced.delete(tracker);
      await scheduler?.stop();
    },
    renew() {
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    async expire(at) {
      const expired = await readExpired(store.read, chain, leases.held(), at);
      if (expired.length > 0) await fail(expired);
    },
    async stop() {
      stopped = true;
      await requests.stop();
      for (const scheduler of schedulers()) await scheduler.stop();
      await acceptor.idle();
      await leases.release();
    },
  };
}

/** A ledger has one tracker for each plugin that serves it. */
export function trackerKey({ record, pluginUid }: Pick<OpenLedger, 'record' | 'pluginUid'>): string {
  return `${record.uid} ${pluginUid}`;
}
