import type { ChainIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { problemFrom, retryAfter } from '../../adapter-problem.ts';
import type { Ledgers, OpenLedger } from '../../open-ledger.ts';
import { keepBytes } from '../../rows/actions/prune.ts';
import type { RegisterDeployed } from '../../rows/actions/register-deployed.ts';
import { readEndedSince, readUnfinished, type Unfinished } from '../../rows/actions/unfinished.ts';
import { chainBase, chainKey, isOfChain } from '../../rows/chains/chain-key.ts';
import {
  readMark,
  readResets,
  readSettledSince,
  readSignedElsewhere,
  storeReset,
} from '../../rows/chains/chains.ts';
import type { EngineContext } from '../context.ts';
import { countByAll, countByOne, readLost, readUnsequenced } from '../tracking/lost-transactions.ts';
import { createTracker } from '../tracking/tracker.ts';
import type { Tracker } from '../tracking/types.ts';
import type { ChainContext } from './chain-context.ts';
import { chainInDoubt, leaveOldChain, lossUnsure, readGivenUp, refuseBehind } from './chain-reset.ts';
import { type ChainWorker, trackerKey } from './chain-worker.ts';
import { createSettlementWriter } from './settlement-writer.ts';
import {
  createUnavailableLedgers,
  type UnavailableLedger,
  type UnavailableLedgers,
} from './unavailable-ledgers.ts';

/** The chain that a ledger is on. */
interface Place {
  identity: ChainIdentity;
  /** Its key. */
  chain: string;
  /** Every node says so. */
  isSure: boolean;
}

/** The tracker of a ledger and plugin. */
interface Opening {
  open: OpenLedger;
  tracker: Promise<Tracker>;
  /** Undefined until it is. */
  opened: Tracker | undefined;
}

/** The trackers of all ledgers: opened when they are needed, replaced when the ledger or its plugin changes. */
export interface Trackers {
  /** The tracker of an open ledger; opened on first use. @throws Problem `ledger-unavailable` */
  of(open: OpenLedger): Promise<Tracker>;
  running(): Iterable<Tracker>;
  /** Ledgers that are needed and cannot be opened at present. */
  unavailable: Pick<UnavailableLedgers, 'all'>;
  /** Sees to it that everything unfinished has a tracker. */
  resume(): Promise<void>;
  /** Changes of plugins and ledgers take effect on trackers that are open; what nobody needs any more is closed. */
  renew(): Promise<void>;
  /** Closes sessions that no tracker uses any more. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export interface TrackersOptions {
  ledgers: Ledgers;
  register: RegisterDeployed;
  workerFor: (chain: string) => Promise<ChainWorker>;
  /** Takes care of work that nobody waits for. */
  own: (work: Promise<unknown>, event: string) => void;
}

export function createTrackers(context: EngineContext, options: TrackersOptions): Trackers {
  const { store, log, now, timing } = context;
  const { ledgers, register, workerFor, own } = options;
  const trackers = new Map<string, Opening>();
  const running = new Set<Tracker>();
  /** Sessions in whose place there is a newer one: what still comes with them goes there. */
  const replaced = new WeakSet<OpenLedger>();
  const renewing = new Set<string>();
  const unavailable = createUnavailableLedgers(now, timing.reopen);
  /** When a ledger that only the past needs may be opened again, after it could not be. */
  const pastDue = new Map<string, number>();
  let stopped = false;

  async function trackerOf(open: OpenLedger): Promise<Tracker> {
    const key = trackerKey(open);
    const known = trackers.get(key);
    if (known !== undefined && (known.open === open || replaced.has(open))) return known.tracker;
    return put(open, openTracker(open, known?.tracker));
  }

  /** The tracker of its ledger and plugin is this one, once it is opened; where it cannot be, the former goes on. */
  function put(open: OpenLedger, tracker: Promise<Tracker>): Promise<Tracker> {
    const key = trackerKey(open);
    const known = trackers.get(key);
    const opening: Opening = { open, tracker, opened: undefined };
    trackers.set(key, opening);
    tracker.then(
      (opened) => {
        opening.opened = opened;
        if (known !== undefined && known.open !== open) replaced.add(known.open);
      },
      () => {
        if (trackers.get(key) !== opening) return;
        if (known?.opened !== undefined && running.has(known.opened)) trackers.set(key, known);
        else trackers.delete(key);
      },
    );
    return tracker;
  }

  async function chainOf(identity: ChainIdentity): Promise<string> {
    return chainKey(identity, await readResets(store.read, chainBase(identity)));
  }

  async function openTracker(open: OpenLedger, former: Promise<Tracker> | undefined): Promise<Tracker> {
    const identity = await open.chain().catch((error: unknown) => {
      throw problemFrom(error);
    });
    const previous = await former?.catch(() => undefined);
    const adopted = previous?.adopted ?? new Set();
    const place = await placeOf(open, identity, adopted);
    if (previous !== undefined) await closeTracker(previous);
    return startTracker(open, place, adopted);
  }

  /**
   * One node may be of another chain by mistake: where actions that are signed would be lost by it, all nodes must say so.
   * @throws Problem `ledger-unavailable`
   */
  async function placeOf(
    open: OpenLedger,
    identity: ChainIdentity,
    adopted: ReadonlySet<string>,
  ): Promise<Place> {
    const chain = await chainOf(identity);
    const plugins = [open.pluginUid, ...adopted];
    const elsewhere = await readSignedElsewhere(store.read, open.record.uid, chain, plugins);
    if (elsewhere.length === 0) return { identity, chain, isSure: false };
    const sure = await open.chain({ everyNode: true });
    return { identity: sure, chain: await chainOf(sure), isSure: true };
  }

  /** Nothing takes its place, or is about to. */
  function isPlaced(tracker: Tracker): boolean {
    return trackers.get(trackerKey(tracker.open))?.opened === tracker;
  }

  async function startTracker(
    open: OpenLedger,
    { chain, isSure }: Place,
    adopted: ReadonlySet<string>,
  ): Promise<Tracker> {
    const { uid, ledgerId } = open.record;
    const worker = await workerFor(chain);
    const left = await leaveOldChain(store, open, chain, [open.pluginUid, ...adopted], isSure, now());
    if (left.ended.length > 0) log('warn', 'chain.reset', { ledgerId, failed: left.ended.length });
    context.settled(left);
    for (const other of running) if (other.open.record.uid === uid) other.adopted.delete(open.pluginUid);
    const mark = await readMark(store.read, uid);
    if (stopped) throw new Problem('ledger-unavailable', 'The server is stopping.', { retryAfter });
    const settlements = createSettlementWriter(worker, register);
    const tracker = createTracker(worker.context, { open, adopted, settlements, restore });
    // From here on nothing can fail: one that could not be started would be signed for, and in the way of the next.
    worker.addTracker(tracker);
    running.add(tracker);
    tracker.doubtHistory(worker.context.leases.held());
    tracker.start(mark !== null && mark.chain === chain ? { height: mark.height, hash: mark.hash } : null);
    return tracker;
  }

  async function closeTracker(tracker: Tracker): Promise<void> {
    await (await workerFor(tracker.chain)).removeTracker(tracker);
    running.delete(tracker);
    await tracker.stop();
  }

  /** The chain lost blocks, or is another one. Everything that it may have lost is sent again, or given up. */
  async function restore(tracker: Tracker, seen: ChainIdentity, isBehind: boolean): Promise<void> {
    const { identity } = await placeOf(tracker.open, seen, tracker.adopted).catch((error: unknown) => {
      tracker.inDoubt = true;
      throw error;
    });
    const base = chainBase(identity);
    if (!isOfChain(tracker.chain, base)) {
      replaceTracker(tracker);
      return;
    }
    const { context: ofChain } = await workerFor(tracker.chain);
    const shards = ofChain.leases.held();
    if (tracker.open.definition.capabilities.sequence === 'none') {
      tracker.resend(await readUnsequenced(store, tracker, shards));
      tracker.doubtHistory(shards);
      return;
    }
    const count = countByOne(tracker);
    const { kept, isBeyondRepair } = await readLost(store, tracker.chain, shards, { ended: false, count });
    if (isBeyondRepair && (await isLostToAll(tracker, ofChain, shards, isBehind))) {
      const resets = Number(tracker.chain.slice(base.length + 1));
      // Once, although each tracker on the chain finds it out.
      await store.transaction((tx) => storeReset(tx, base, resets));
      replaceTracker(tracker);
      return;
    }
    tracker.resend(kept);
    tracker.doubtHistory(shards);
  }

  /**
   * Whether no node counts what one does not count any more, and cannot get again. All that is signed for the chain ends
   * by this, so that one node which has other blocks and counts too little must not be believed.
   * @throws Problem `ledger-unavailable` where it is not sure; then the tracker is in doubt
   */
  async function isLostToAll(
    tracker: Tracker,
    ofChain: ChainContext,
    shards: readonly number[],
    isBehind: boolean,
  ): Promise<boolean> {
    try {
      if (isBehind) refuseBehind(tracker);
      await tracker.open.chain({ everyNode: true });
      const others = [...ofChain.trackers()].filter((other) => other !== tracker);
      const asked = new Set([tracker, ...others].map(({ open }) => open.record.uid));
      const isLeftOut = ({ chain, signed, ledger_uid }: Unfinished) =>
        chain === tracker.chain && signed === 1 && !asked.has(ledger_uid);
      const leftOut = (await readUnfinished(store.read)).filter(isLeftOut);
      // One that was deleted is never reached again.
      const stillThere = await Promise.all(leftOut.map(({ ledger_uid }) => ledgers.isRecorded(ledger_uid)));
      if (stillThere.includes(true)) throw lossUnsure('Another ledger on the chain is not reached.');
      const count = countByAll(tracker, others);
      return (await readLost(store, tracker.chain, shards, { ended: false, count })).isBeyondRepair;
    } catch (error) {
      tracker.inDoubt = true;
      throw error;
    }
  }

  /** The tracker's chain is no more: a new tracker on what the ledger's nodes now serve. @throws Problem `ledger-unavailable` */
  function replaceTracker(tracker: Tracker): void {
    const { open, adopted } = tracker;
    // One that may yet fail is about to take its place: then this one looks again.
    if (!isPlaced(tracker)) throw chainInDoubt(tracker);
    const next = (async () => {
      await closeTracker(tracker);
      return startTracker(open, await placeOf(open, await open.session.chain(), adopted), adopted);
    })();
    own(put(open, next), 'chain.replace');
  }

  /** Sees to it that unfinished actions have the tracker of their plugin, or, where they are signed, of an heir. */
  async function resumeOne({ ledger_uid, plugin, project_id, signed }: Unfinished): Promise<void> {
    const ofProject = () => ledgers.open(ledger_uid, { projectUid: project_id });
    const ofLedger = [...running].filter(({ open }) => open.record.uid === ledger_uid);
    if (plugin === null) {
      if (ofLedger.length === 0) await trackerOf(await ofProject());
      return;
    }
    const followed = [...trackers.values()].some(
      ({ open }) => open.record.uid === ledger_uid && open.pluginUid === plugin,
    );
    if (followed || ofLedger.some(({ adopted }) => adopted.has(plugin))) return;
    const open = await ledgers.reopen(ledger_uid, plugin, { inactive: signed === 1 });
    if (open !== null) {
      const tracker = await trackerOf(open);
      tracker.retired = !(await ledgers.isCurrent(open));
    } else if (signed === 1) {
      const heir = await trackerOf(await ofProject());
      (await workerFor(heir.chain)).adopt(heir, plugin);
    }
  }

  /** Actions that ended of late, on a ledger that nothing else needs, are held against it all the same. */
  async function resumePast(): Promise<void> {
    const at = await store.now();
    const marks = await readSettledSince(store.read, at - keepBytes);
    for (const { ledger_uid, chain } of marks) {
      if ([...trackers.values()].some(({ open }) => open.record.uid === ledger_uid)) continue;
      if ((pastDue.get(ledger_uid) ?? 0) > at) continue;
      pastDue.set(ledger_uid, at + timing.reopenPast);
      const row = await readEndedSince(store.read, ledger_uid, chain, at - keepBytes);
      if (row !== null) own(resumeOne(row), 'ledger.open');
    }
  }

  async function renewTracker(key: string, tracker: Tracker): Promise<void> {
    const { open } = tracker;
    const next = await ledgers.reopen(open.record.uid, open.pluginUid);
    if (next !== null) {
      await trackerOf(next);
    } else if (tracker.live.size === 0 && isPlaced(tracker)) {
      trackers.delete(key);
      await closeTracker(tracker);
    }
  }

  return {
    async of(open) {
      const tracker = await trackerOf(open);
      if (tracker.inDoubt) throw chainInDoubt(tracker);
      return tracker;
    },
    running: () => running,
    unavailable,
    async resume() {
      const rows = await readUnfinished(store.read);
      for (const { chain } of rows) await workerFor(chain);
      const needed = new Set(rows.map(keyOf));
      unavailable.keep((key) => needed.has(key) || trackers.has(key));
      for (const row of rows)
        own(
          unavailable.note(keyOf(row), ofRow(row), () => resumeOne(row)),
          'ledger.open',
        );
      await resumePast();
    },
    async renew() {
      const isGivenUp = await readGivenUp(store);
      for (const tracker of running) {
        const { open } = tracker;
        const key = trackerKey(open);
        if (isGivenUp(tracker.chain) && isPlaced(tracker)) replaceTracker(tracker);
        tracker.retired = !(await ledgers.isCurrent(open));
        if (!tracker.retired || trackers.get(key)?.open !== open) continue;
        if (renewing.has(key) || !unavailable.isDue(key)) continue;
        renewing.add(key);
        own(
          unavailable
            .note(key, ofTracker(open), () => renewTracker(key, tracker))
            .finally(() => renewing.delete(key)),
          'ledger.renew',
        );
      }
    },
    sweep: () => ledgers.sweep((open) => [...running, ...trackers.values()].some((one) => one.open === open)),
    async stop() {
      stopped = true;
      await Promise.allSettled([...trackers.values()].map(({ tracker }) => tracker));
      for (const tracker of running) await tracker.stop();
    },
  };
}

function keyOf({ chain, ledger_uid, plugin }: Unfinished): string {
  return JSON.stringify([chain, ledger_uid, plugin]);
}

function ofRow({ ledger_uid, ledger_id, plugin }: Unfinished): UnavailableLedger {
  return { ledgerUid: ledger_uid, ledgerId: ledger_id, plugin };
}

function ofTracker({ record: { uid, ledgerId }, pluginUid }: OpenLedger): UnavailableLedger {
  return { ledgerUid: uid, ledgerId, plugin: pluginUid };
}
