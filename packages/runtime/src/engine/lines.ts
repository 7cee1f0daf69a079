import type { ChainIdentity } from '@ledger-ops/adapter';
import type { SqlValue, Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Ledgers, Log, OpenLedger } from '../types.ts';
import { chainBase, chainKey } from './chain-key.ts';
import { type ChainWorker, lineKey } from './chain-worker.ts';
import type { Faults } from './faults.ts';
import { missingOf } from './fillers.ts';
import type { PastOwner } from './history.ts';
import { createLedgerLine, type LedgerLine, type LineOwner } from './ledger-line.ts';
import { readBetween, readLost } from './lost-history.ts';
import {
  chainInDoubt,
  giveUpChain,
  hasSignedElsewhere,
  leaveOldChain,
  readGivenUp,
  refuseBehind,
  resetsOf,
} from './old-chain.ts';
import { readPast } from './past-actions.ts';
import { keepBytes } from './prune.ts';
import type { Settling } from './settling.ts';
import { createUnreached, type Unreached, type UnreachedLedger } from './unreached.ts';

/** Milliseconds between two tries to open a ledger that only the past needs. */
const pastPause = 30_000;

/** Actions of one plugin on one ledger that have not ended. */
interface Unfinished extends Record<string, SqlValue> {
  chain: string;
  ledger_uid: string;
  plugin: string | null;
  project_id: string;
  ledger_id: string;
  /** 1 when some are signed. */
  signed: number;
}

/** The chain that a ledger is on. */
interface Place {
  identity: ChainIdentity;
  /** Its key. */
  chain: string;
  /** Every node says so. */
  isSure: boolean;
}

/** The lines of all ledgers: opened when they are needed, replaced when the ledger or its plugin changes. */
export interface Lines {
  /** The line of an open ledger; opened on first use. @throws Problem `ledger-unavailable` */
  of(open: OpenLedger): Promise<LedgerLine>;
  running(): Iterable<LedgerLine>;
  /** Ledgers that are needed and cannot be opened at present. */
  unreached: Pick<Unreached, 'all'>;
  /** Sees to it that everything unfinished has a line. */
  resume(): Promise<void>;
  /** Changes of plugins and ledgers take effect on lines that are open; what nobody needs any more is closed. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

export interface LinesOptions {
  store: Store;
  ledgers: Ledgers;
  settling: Settling;
  faults: Faults;
  log: Log;
  now: () => number;
  workerFor: (chain: string) => Promise<ChainWorker>;
  announce: (actionIds: readonly string[]) => void;
  /** Takes care of work that nobody waits for. */
  own: (work: Promise<unknown>, event: string) => void;
}

export function createLines(options: LinesOptions): Lines {
  const { store, ledgers, settling, faults, log, now, workerFor, announce, own } = options;
  const lines = new Map<string, { open: OpenLedger; line: Promise<LedgerLine> }>();
  const running = new Set<LedgerLine>();
  /** Sessions in whose place there is a newer one: what still comes with them goes there. */
  const replaced = new WeakSet<OpenLedger>();
  const renewing = new Set<string>();
  const replacing = new WeakSet<LedgerLine>();
  const unreached = createUnreached(now);
  /** When a ledger that only the past needs may be opened again, after it could not be. */
  const pastDue = new Map<string, number>();
  let sweeping = false;

  async function lineOf(open: OpenLedger): Promise<LedgerLine> {
    const key = lineKey(open);
    const known = lines.get(key);
    if (known !== undefined && (known.open === open || replaced.has(open))) return known.line;
    const line = openLine(open, known?.line);
    lines.set(key, { open, line });
    line.then(
      () => {
        if (known !== undefined) replaced.add(known.open);
      },
      () => {
        if (lines.get(key)?.line !== line) return;
        // The former one goes on when the new one could not be opened.
        if (known !== undefined && isRunning(known.open)) lines.set(key, known);
        else lines.delete(key);
      },
    );
    return line;
  }

  async function chainOf(identity: ChainIdentity): Promise<string> {
    return chainKey(identity, await resetsOf(store, chainBase(identity)));
  }

  async function openLine(open: OpenLedger, former: Promise<LedgerLine> | undefined): Promise<LedgerLine> {
    const identity = await open.chain().catch((error: unknown) => {
      throw problemFrom(error);
    });
    const previous = await former?.catch(() => undefined);
    const adopted = previous?.adopted ?? new Set();
    const place = await placeOf(open, identity, adopted);
    if (previous !== undefined) await closeLine(previous);
    return startLine(open, place, adopted);
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
    const isInDoubt = await hasSignedElsewhere(store, open, chain, [open.pluginUid, ...adopted]);
    if (!isInDoubt) return { identity, chain, isSure: false };
    const sure = await open.chain({ everyNode: true });
    return { identity: sure, chain: await chainOf(sure), isSure: true };
  }

  function isRunning(open: OpenLedger): boolean {
    return [...running].some((line) => line.open === open);
  }

  async function startLine(
    open: OpenLedger,
    { chain, isSure }: Place,
    adopted: ReadonlySet<string>,
  ): Promise<LedgerLine> {
    const { uid, ledgerId } = open.record;
    const worker = await workerFor(chain);
    const ended = await leaveOldChain(store, open, chain, [open.pluginUid, ...adopted], isSure, now());
    if (ended.length > 0) log('warn', 'chain.reset', { ledgerId, failed: ended.length });
    announce(ended);
    for (const other of running) if (other.open.record.uid === uid) other.adopted.delete(open.pluginUid);
    const { outcomes: settle, reject, note, remark } = settling;
    const fillGaps: LineOwner['fillGaps'] = async (its, heads) => {
      for (const between of await readBetween(store, its, heads)) {
        its.resend(between.kept);
        worker.gap(between.head.address, between.gap);
        between.head.gap = missingOf(between, await worker.fillers.fill(its, between));
      }
    };
    const { replacements } = worker;
    const owner: LineOwner = {
      ...{ settle, reject, note, remark, restore, fillGaps, past },
      replace: replacements.make,
      inspect: replacements.inspect,
    };
    const line = createLedgerLine({ open, chain, adopted, owner, faults, log, now });
    worker.addLine(line);
    running.add(line);
    line.doubtHistory(worker.leases.held());
    const [mark] = await store.read.all<{ chain: string; height: number; hash: string }>(
      'SELECT chain, height, hash FROM chain_mark WHERE ledger_uid = $1',
      [uid],
    );
    line.start(mark !== undefined && mark.chain === chain ? { height: mark.height, hash: mark.hash } : null);
    return line;
  }

  async function closeLine(line: LedgerLine): Promise<void> {
    await (await workerFor(line.chain)).removeLine(line);
    running.delete(line);
    await line.stop();
    settling.forget(line);
  }

  const past: PastOwner = {
    read(line, shard, before, limit) {
      const others = [...running].filter(
        (other) => other !== line && other.open.record.uid === line.open.record.uid,
      );
      const plugins = others.flatMap(({ open, adopted }) => [open.pluginUid, ...adopted]);
      return readPast(store, line, shard, plugins, before, limit);
    },
    async resend(line, shards) {
      line.resend((await readLost(store, line, shards, { ended: true })).kept);
    },
    write: settling.past,
  };

  /** The chain lost blocks, or is another one. Everything that it may have lost is sent again. */
  async function restore(line: LedgerLine, seen: ChainIdentity, isBehind: boolean): Promise<void> {
    const { identity } = await placeOf(line.open, seen, line.adopted).catch((error: unknown) => {
      line.inDoubt = true;
      throw error;
    });
    const base = chainBase(identity);
    if (!line.chain.startsWith(base)) {
      replaceLine(line);
      return;
    }
    const worker = await workerFor(line.chain);
    const shards = worker.leases.held();
    const { kept, isBeyondRepair } = await readLost(store, line, shards, { ended: false });
    if (!isBeyondRepair) {
      line.resend(kept);
      line.doubtHistory(shards);
      return;
    }
    if (isBehind) refuseBehind(line);
    // All that is signed for it ends by this.
    const plugins = [line.open.pluginUid, ...line.adopted];
    if (await hasSignedElsewhere(store, line.open, '', plugins)) await line.open.chain({ everyNode: true });
    await giveUpChain(store, base, Number(line.chain.slice(base.length + 1)));
    replaceLine(line);
  }

  /** The line's chain is no more: a new line on what the ledger's nodes now serve. */
  function replaceLine(line: LedgerLine): void {
    if (replacing.has(line)) return;
    replacing.add(line);
    const key = lineKey(line.open);
    const known = lines.get(key);
    const next = (async () => {
      await closeLine(line);
      const { open, adopted } = line;
      return startLine(open, await placeOf(open, await open.session.chain(), adopted), adopted);
    })();
    if (known !== undefined) lines.set(key, { open: line.open, line: next });
    next.catch(() => {
      lines.delete(key);
      replacing.delete(line);
    });
    own(next, 'chain.replace');
  }

  /** Sees to it that unfinished actions have the line of their plugin, or, where they are signed, of an heir. */
  async function resumeOne({ ledger_uid, plugin, project_id, signed }: Unfinished): Promise<void> {
    const ofProject = () => ledgers.open(ledger_uid, { projectUid: project_id });
    const ofLedger = [...running].filter(({ open }) => open.record.uid === ledger_uid);
    if (plugin === null) {
      if (ofLedger.length === 0) await lineOf(await ofProject());
      return;
    }
    const followed = [...lines.values()].some(
      ({ open }) => open.record.uid === ledger_uid && open.pluginUid === plugin,
    );
    if (followed || ofLedger.some(({ adopted }) => adopted.has(plugin))) return;
    const open = await ledgers.reopen(ledger_uid, plugin, { inactive: signed === 1 });
    if (open !== null) {
      const line = await lineOf(open);
      line.retired = !(await ledgers.isCurrent(open));
    } else if (signed === 1) {
      const heir = await lineOf(await ofProject());
      (await workerFor(heir.chain)).adopt(heir, plugin);
    }
  }

  /** What has ended of late, on a ledger that nothing else needs, is held against it all the same. */
  async function resumePast(): Promise<void> {
    const at = await store.now();
    const marks = await store.read.all<{ ledger_uid: string; chain: string }>(
      'SELECT ledger_uid, chain FROM chain_mark WHERE settled_at > $1',
      [at - keepBytes],
    );
    for (const { ledger_uid, chain } of marks) {
      if ([...lines.values()].some(({ open }) => open.record.uid === ledger_uid)) continue;
      if ((pastDue.get(ledger_uid) ?? 0) > at) continue;
      pastDue.set(ledger_uid, at + pastPause);
      const [row] = await store.read.all<Unfinished>(
        `SELECT chain, ledger_uid, plugin, project_id, ledger_id, 1 AS signed FROM action
          WHERE updated_at > $1 AND chain = $2 AND ledger_uid = $3 AND status <> 'PENDING' AND locator IS NOT NULL
          ORDER BY updated_at DESC LIMIT 1`,
        [at - keepBytes, chain, ledger_uid],
      );
      if (row !== undefined) own(resumeOne(row), 'ledger.open');
    }
  }

  async function renewLine(key: string, line: LedgerLine): Promise<void> {
    const { open } = line;
    const next = await ledgers.reopen(open.record.uid, open.pluginUid);
    if (next !== null) {
      await lineOf(next);
    } else if (line.live.size === 0 && lines.get(key)?.open === open) {
      lines.delete(key);
      await closeLine(line);
    }
  }

  function sweep(): void {
    if (sweeping) return;
    sweeping = true;
    const inUse = (open: OpenLedger) =>
      isRunning(open) || [...lines.values()].some((known) => known.open === open);
    own(
      ledgers.sweep(inUse).finally(() => {
        sweeping = false;
      }),
      'ledger.sweep',
    );
  }

  return {
    async of(open) {
      const line = await lineOf(open);
      if (line.inDoubt) throw chainInDoubt(line);
      return line;
    },
    running: () => running,
    unreached,
    async resume() {
      const rows = await store.read.all<Unfinished>(
        `SELECT chain, ledger_uid, plugin, min(project_id) AS project_id, min(ledger_id) AS ledger_id,
          max(CASE WHEN stage = 'signed' THEN 1 ELSE 0 END) AS signed
          FROM action WHERE status = 'PENDING' GROUP BY chain, ledger_uid, plugin`,
      );
      for (const { chain } of rows) await workerFor(chain);
      const needed = new Set(rows.map(keyOf));
      unreached.keep((key) => needed.has(key) || lines.has(key));
      for (const row of rows)
        own(
          unreached.note(keyOf(row), ofRow(row), () => resumeOne(row)),
          'ledger.open',
        );
      await resumePast();
    },
    async renew() {
      const isGivenUp = await readGivenUp(store);
      for (const line of running) {
        const { open } = line;
        const key = lineKey(open);
        if (isGivenUp(line.chain)) replaceLine(line);
        line.retired = !(await ledgers.isCurrent(open));
        if (!line.retired || lines.get(key)?.open !== open) continue;
        if (renewing.has(key) || !unreached.isDue(key)) continue;
        renewing.add(key);
        own(
          unreached.note(key, ofLine(open), () => renewLine(key, line)).finally(() => renewing.delete(key)),
          'ledger.renew',
        );
      }
      sweep();
    },
    async stop() {
      await Promise.allSettled([...lines.values()].map(({ line }) => line));
      for (const line of running) await line.stop();
    },
  };
}

function keyOf({ chain, ledger_uid, plugin }: Unfinished): string {
  return JSON.stringify([chain, ledger_uid, plugin]);
}

function ofRow({ ledger_uid, ledger_id, plugin }: Unfinished): UnreachedLedger {
  return { ledgerUid: ledger_uid, ledgerId: ledger_id, plugin };
}

function ofLine({ record: { uid, ledgerId }, pluginUid }: OpenLedger): UnreachedLedger {
  return { ledgerUid: uid, ledgerId, plugin: pluginUid };
}
