import type { ChainIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { problemFrom, retryAfter } from '../../adapter-problem.ts';
import type { Ledgers } from '../../ledgers.ts';
import type { OpenLedger } from '../../open-ledger.ts';
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
import { Poller } from '../tracking/poller.ts';
import { Tracker } from '../tracking/tracker.ts';
import type { ChainContext } from './chain-context.ts';
import { chainUncertain, leaveOldChain, lossUnsure, readGivenUp, refuseBehind } from './chain-reset.ts';
import { type ChainWorker, trackerKey } from './chain-worker.ts';
import { SettlementWriter } from './settlement-writer.ts';
import { type UnavailableLedger, UnavailableLedgers } from './unavailable-ledgers.ts';
import { notRunning, unservedReason } from './unserved-plugins.ts';

interface Place {
  identity: ChainIdentity;
  chain: string;
  /** Whether every node reports this chain. */
  isSure: boolean;
}

/** The tracker of a ledger and plugin, possibly still being opened. */
interface Opening {
  open: OpenLedger;
  tracker: Promise<Tracker>;
  /** Undefined until `tracker` resolves. */
  opened: Tracker | undefined;
}

export interface TrackersOptions {
  ledgers: Pick<Ledgers, 'open' | 'reopen' | 'isRecorded' | 'isCurrent' | 'sweep'>;
  register: RegisterDeployed;
  workerFor: (chain: string) => Promise<ChainWorker>;
  /** Runs work in the background and logs its failure as `event`. */
  runInBackground: (work: Promise<unknown>, event: string) => void;
}

/**
 * The trackers of all ledgers: opened on first use, replaced when the ledger or its plugin changes.
 *
 * A tracker is first opening, then running. Finally, it is replaced by the tracker of a newer session or of another
 * chain, or closed when nothing needs it. `#trackers` contains the newest tracker of each ledger and plugin, and
 * `#running` contains the trackers that poll.
 */
export class Trackers {
  /** Ledgers that are needed but could not be opened. */
  readonly unavailable: Pick<UnavailableLedgers, 'all'>;
  readonly #context: EngineContext;
  readonly #options: TrackersOptions;
  readonly #trackers = new Map<string, Opening>();
  readonly #running = new Map<Tracker, Poller>();
  /**
   * Sessions that were replaced by newer sessions. Calls that still arrive with an old session use the newer
   * session's tracker.
   */
  readonly #replaced = new WeakSet<OpenLedger>();
  /** Keys of trackers that are being renewed. */
  readonly #renewing = new Set<string>();
  readonly #unavailable: UnavailableLedgers;
  /** When a ledger may be opened again that is needed only for finished actions, by tracker key. */
  readonly #pastDue = new Map<string, number>();
  #isStopped = false;

  constructor(context: EngineContext, options: TrackersOptions) {
    this.#context = context;
    this.#options = options;
    this.#unavailable = new UnavailableLedgers(context.now, context.timing.reopen);
    this.unavailable = this.#unavailable;
  }

  /** Returns the tracker of an open ledger, opening it on first use. @throws Problem `ledger-unavailable` */
  async of(open: OpenLedger): Promise<Tracker> {
    const tracker = await this.#trackerOf(open);
    if (tracker.isChainUncertain) throw chainUncertain(tracker);
    return tracker;
  }

  running(): Iterable<Tracker> {
    return this.#running.keys();
  }

  /** Ensures that every unfinished action has a tracker. */
  async resume(): Promise<void> {
    const rows = await readUnfinished(this.#context.store.read);
    for (const { chain } of rows) await this.#options.workerFor(chain);
    const needed = new Set(rows.map(keyOf));
    this.#unavailable.keep((key) => needed.has(key) || this.#trackers.has(key));
    this.#context.unserved.keep(rows);
    for (const row of rows)
      this.#options.runInBackground(
        this.#unavailable.note(keyOf(row), ofRow(row), () => this.#resumeOne(row)),
        'ledger.open',
      );
    await this.#resumePast();
  }

  /**
   * Applies changes of plugins and ledgers to open trackers, and closes trackers that are no longer needed.
   */
  async renew(): Promise<void> {
    const isGivenUp = await readGivenUp(this.#context.store);
    for (const tracker of this.#running.keys()) {
      const { open } = tracker;
      const key = trackerKey(open);
      if (isGivenUp(tracker.chain) && this.#isPlaced(tracker)) this.#replaceTracker(tracker);
      tracker.isRetired = !(await this.#options.ledgers.isCurrent(open));
      if (!tracker.isRetired) this.#context.unserved.note(open.record.uid, open.pluginUid, null);
      if (!tracker.isRetired || this.#trackers.get(key)?.open !== open) continue;
      if (this.#renewing.has(key) || !this.#unavailable.isDue(key)) continue;
      this.#renewing.add(key);
      this.#options.runInBackground(
        this.#unavailable
          .note(key, ofTracker(open), () => this.#renewTracker(key, tracker))
          .finally(() => this.#renewing.delete(key)),
        'ledger.renew',
      );
    }
  }

  /** Closes sessions that no tracker uses. */
  sweep(): Promise<void> {
    return this.#options.ledgers.sweep((open) =>
      [...this.#running.keys(), ...this.#trackers.values()].some((one) => one.open === open),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled([...this.#trackers.values()].map(({ tracker }) => tracker));
    for (const poller of this.#running.values()) await poller.stop();
  }

  async #trackerOf(open: OpenLedger): Promise<Tracker> {
    const key = trackerKey(open);
    const known = this.#trackers.get(key);
    if (known !== undefined && (known.open === open || this.#replaced.has(open))) return known.tracker;
    return this.#put(open, this.#openTracker(open, known?.tracker));
  }

  /** Registers the tracker of a ledger and plugin. If it cannot be opened, the previous tracker stays. */
  #put(open: OpenLedger, tracker: Promise<Tracker>): Promise<Tracker> {
    const key = trackerKey(open);
    const known = this.#trackers.get(key);
    const opening: Opening = { open, tracker, opened: undefined };
    this.#trackers.set(key, opening);
    tracker.then(
      (opened) => {
        opening.opened = opened;
        if (known !== undefined && known.open !== open) this.#replaced.add(known.open);
      },
      () => {
        if (this.#trackers.get(key) !== opening) return;
        if (known?.opened !== undefined && this.#running.has(known.opened)) this.#trackers.set(key, known);
        else this.#trackers.delete(key);
      },
    );
    return tracker;
  }

  async #chainOf(identity: ChainIdentity): Promise<string> {
    return chainKey(identity, await readResets(this.#context.store.read, chainBase(identity)));
  }

  async #openTracker(open: OpenLedger, former: Promise<Tracker> | undefined): Promise<Tracker> {
    const identity = await open.chain().catch((error: unknown) => {
      throw problemFrom(error);
    });
    const previous = await former?.catch(() => undefined);
    const adopted = previous?.adopted ?? new Set();
    const place = await this.#placeOf(open, identity, adopted);
    if (previous !== undefined) await this.#closeTracker(previous);
    return this.#startTracker(open, place, adopted);
  }

  /**
   * Determines the chain of a ledger. A single node may be on another chain by mistake. So if signed actions would
   * fail, all nodes must report the same chain.
   * @throws Problem `ledger-unavailable`
   */
  async #placeOf(open: OpenLedger, identity: ChainIdentity, adopted: ReadonlySet<string>): Promise<Place> {
    const chain = await this.#chainOf(identity);
    const plugins = [open.pluginUid, ...adopted];
    const elsewhere = await readSignedElsewhere(this.#context.store.read, open.record.uid, chain, plugins);
    if (elsewhere.length === 0) return { identity, chain, isSure: false };
    const sure = await open.chain({ everyNode: true });
    return { identity: sure, chain: await this.#chainOf(sure), isSure: true };
  }

  /** Whether the tracker is current, and no replacement is being opened. */
  #isPlaced(tracker: Tracker): boolean {
    return this.#trackers.get(trackerKey(tracker.open))?.opened === tracker;
  }

  async #startTracker(
    open: OpenLedger,
    { chain, isSure }: Place,
    adopted: ReadonlySet<string>,
  ): Promise<Tracker> {
    const { uid, ledgerId } = open.record;
    const worker = await this.#options.workerFor(chain);
    const plugins = [open.pluginUid, ...adopted];
    const left = await leaveOldChain(this.#context, open, chain, plugins, isSure);
    if (left.ended.length > 0)
      this.#context.log('warn', 'chain.reset', { ledgerId, failed: left.ended.length });
    this.#context.settled(left);
    for (const other of this.#running.keys())
      if (other.open.record.uid === uid) other.adopted.delete(open.pluginUid);
    const mark = await readMark(this.#context.store.read, uid);
    if (this.#isStopped) throw new Problem('ledger-unavailable', 'The server is stopping.', { retryAfter });
    const settlements = new SettlementWriter(worker, this.#options.register);
    const tracker = new Tracker(worker.context, {
      open,
      chain,
      adopted,
      trackers: worker.context.trackers,
      writes: settlements,
    });
    const poller = new Poller(worker.context, tracker, {
      settlements,
      restore: (tracker, identity, isBehind) => this.#restore(tracker, identity, isBehind),
    });
    // From here on, no statement may throw. Otherwise, the worker would sign for a tracker that never started, and that
    // tracker would block its successor.
    worker.addTracker(tracker);
    this.#running.set(tracker, poller);
    for (const plugin of [null, open.pluginUid]) this.#context.unserved.note(uid, plugin, null);
    tracker.history.recheck(worker.context.leases.held());
    poller.start(mark !== null && mark.chain === chain ? { height: mark.height, hash: mark.hash } : null);
    return tracker;
  }

  async #closeTracker(tracker: Tracker): Promise<void> {
    await (await this.#options.workerFor(tracker.chain)).removeTracker(tracker);
    const poller = this.#running.get(tracker);
    this.#running.delete(tracker);
    await poller?.stop();
  }

  /**
   * Handles a reorg or a replaced chain: resends each transaction that the chain may have lost, or gives up the chain.
   */
  async #restore(tracker: Tracker, seen: ChainIdentity, isBehind: boolean): Promise<void> {
    const { identity } = await this.#placeOf(tracker.open, seen, tracker.adopted).catch((error: unknown) => {
      tracker.isChainUncertain = true;
      throw error;
    });
    const base = chainBase(identity);
    if (!isOfChain(tracker.chain, base)) {
      this.#replaceTracker(tracker);
      return;
    }
    const { context: ofChain } = await this.#options.workerFor(tracker.chain);
    const shards = ofChain.leases.held();
    if (tracker.open.definition.capabilities.sequence === 'none') {
      tracker.resend(await readUnsequenced(this.#context.store, tracker, shards));
      tracker.history.restart(shards);
      return;
    }
    const count = countByOne(tracker);
    const { kept, isBeyondRepair } = await readLost(this.#context.store, tracker.chain, shards, {
      ended: false,
      count,
    });
    if (isBeyondRepair && (await this.#isLostToAll(tracker, ofChain, shards, isBehind))) {
      const resets = Number(tracker.chain.slice(base.length + 1));
      // Every tracker on the chain detects the reset, but only the first call stores it.
      await this.#context.store.transaction((tx) => storeReset(tx, base, resets));
      this.#replaceTracker(tracker);
      return;
    }
    tracker.resend(kept);
    tracker.history.restart(shards);
  }

  /**
   * Whether all nodes lack transactions that cannot be resent. If so, all actions signed for the chain fail, so one
   * node's response is not enough.
   * @throws Problem `ledger-unavailable` if this cannot be determined; it is then not known which chain the
   * ledger is on
   */
  async #isLostToAll(
    tracker: Tracker,
    ofChain: ChainContext,
    shards: readonly number[],
    isBehind: boolean,
  ): Promise<boolean> {
    try {
      if (isBehind) refuseBehind(tracker.open);
      await tracker.open.chain({ everyNode: true });
      const others = [...ofChain.trackers()].filter((other) => other !== tracker);
      const asked = new Set([tracker, ...others].map(({ open }) => open.record.uid));
      const isLeftOut = ({ chain, signed, ledger_uid }: Unfinished) =>
        chain === tracker.chain && signed === 1 && !asked.has(ledger_uid);
      const leftOut = (await readUnfinished(this.#context.store.read)).filter(isLeftOut);
      // A deleted ledger can never be reached, so it does not prevent a decision.
      const stillThere = await Promise.all(
        leftOut.map(({ ledger_uid }) => this.#options.ledgers.isRecorded(ledger_uid)),
      );
      if (stillThere.includes(true)) throw lossUnsure('Another ledger on the same chain cannot be reached.');
      const count = countByAll(tracker, others);
      return (await readLost(this.#context.store, tracker.chain, shards, { ended: false, count }))
        .isBeyondRepair;
    } catch (error) {
      tracker.isChainUncertain = true;
      throw error;
    }
  }

  /**
   * Replaces a tracker whose chain no longer exists with one on the chain that the nodes now serve.
   * @throws Problem `ledger-unavailable`
   */
  #replaceTracker(tracker: Tracker): void {
    const { open, adopted } = tracker;
    // A replacement is already being opened. If opening it fails, this tracker checks again.
    if (!this.#isPlaced(tracker)) throw chainUncertain(tracker);
    const next = (async () => {
      await this.#closeTracker(tracker);
      return this.#startTracker(
        open,
        await this.#placeOf(open, await open.session.chain(), adopted),
        adopted,
      );
    })();
    this.#options.runInBackground(this.#put(open, next), 'chain.replace');
  }

  /**
   * Ensures that the tracker of a ledger and plugin follows their unfinished actions. If the plugin was removed,
   * another plugin's tracker follows its signed actions.
   */
  async #resumeOne({ ledger_uid, plugin, project_id, signed }: Unfinished): Promise<void> {
    const ofProject = () => this.#options.ledgers.open(ledger_uid, { projectUid: project_id });
    const ofLedger = [...this.#running.keys()].filter(({ open }) => open.record.uid === ledger_uid);
    if (plugin === null) {
      if (ofLedger.length === 0)
        await this.#noteFailure(ledger_uid, plugin, async () => this.#trackerOf(await ofProject()));
      return;
    }
    const followed = [...this.#trackers.values()].some(
      ({ open }) => open.record.uid === ledger_uid && open.pluginUid === plugin,
    );
    if (followed || ofLedger.some(({ adopted }) => adopted.has(plugin))) return;
    const tracker = await this.#noteFailure(ledger_uid, plugin, async () => {
      const open = await this.#options.ledgers.reopen(ledger_uid, plugin, { inactive: signed === 1 });
      return open === null ? null : this.#trackerOf(open);
    });
    if (tracker !== null) {
      tracker.isRetired = !(await this.#options.ledgers.isCurrent(tracker.open));
      return;
    }
    this.#context.unserved.note(ledger_uid, plugin, notRunning);
    if (signed === 1) {
      const adopter = await this.#trackerOf(await ofProject());
      (await this.#options.workerFor(adopter.chain)).adopt(adopter, plugin);
    }
  }

  /**
   * Opens a ledger with a plugin. If this fails because of the plugin, stores the reason to show for the plugin's
   * unsigned actions.
   */
  #noteFailure<Result>(
    ledgerUid: string,
    plugin: string | null,
    open: () => Promise<Result>,
  ): Promise<Result> {
    return open().catch((error: unknown) => {
      this.#context.unserved.note(ledgerUid, plugin, unservedReason(error));
      throw error;
    });
  }

  /**
   * Reopens ledgers that are needed only for recently finished actions, so that reorgs of their transactions are
   * detected.
   */
  async #resumePast(): Promise<void> {
    const at = await this.#context.store.now();
    const marks = await readSettledSince(this.#context.store.read, at - keepBytes);
    for (const { ledger_uid, chain } of marks) {
      if ([...this.#trackers.values()].some(({ open }) => open.record.uid === ledger_uid)) continue;
      if ((this.#pastDue.get(ledger_uid) ?? 0) > at) continue;
      this.#pastDue.set(ledger_uid, at + this.#context.timing.reopenPast);
      const row = await readEndedSince(this.#context.store.read, ledger_uid, chain, at - keepBytes);
      if (row !== null) this.#options.runInBackground(this.#resumeOne(row), 'ledger.open');
    }
  }

  async #renewTracker(key: string, tracker: Tracker): Promise<void> {
    const { record, pluginUid } = tracker.open;
    const next = await this.#noteFailure(record.uid, pluginUid, async () => {
      const open = await this.#options.ledgers.reopen(record.uid, pluginUid);
      return open === null ? null : this.#trackerOf(open);
    });
    if (next !== null) return;
    this.#context.unserved.note(record.uid, pluginUid, notRunning);
    if (tracker.live.size > 0 || !this.#isPlaced(tracker)) return;
    this.#trackers.delete(key);
    await this.#closeTracker(tracker);
  }
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
