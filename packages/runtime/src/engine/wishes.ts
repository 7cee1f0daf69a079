import { plainWords } from '@ledger-ops/adapter/process';
import type { SqlValue, Store } from '@ledger-ops/store';
import type { Log } from '../types.ts';
import { canBump, isClosing, mostAttempts } from './late-verdict.ts';
import { LeaseLost, type Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import { wishOf } from './live-rows.ts';
import type { LiveAction, Wish } from './model.ts';
import type { Replacement, Replacing } from './replacements.ts';
import { endHurries } from './wish-rows.ts';

/** Milliseconds after which what could not be done is tried again. */
const again = 2_000;
/** Actions that one call replaces. */
const batchLimit = 64;

const beyondReach =
  'the plugin that signed it does not serve the ledger any more, or it was replaced too often.';
const nothingLeft = 'All fee bumps that were signed beforehand are sent already.';

/** Does what is wished of signed actions, on the server that has their lane. */
export interface LaneWishes {
  /** Looks into the rows for what is wished. */
  look(): void;
  /** Resolves when nothing is being done any more. */
  stop(): Promise<void>;
}

export interface LaneWishesOptions {
  store: Store;
  chain: string;
  leases: Pick<Leases, 'holds'>;
  lines(): Iterable<LedgerLine>;
  replace(line: LedgerLine, wanted: readonly Replacement[]): Promise<Map<string, Replacing>>;
  log: Log;
  now: () => number;
}

interface Row extends Record<string, SqlValue> {
  id: string;
  shard: number;
  wanted: string | null;
  wanted_cap: string | null;
  kept: number;
}

/** A signed action of a line, of which something is wished that is not done. */
interface Wanted {
  line: LedgerLine;
  action: LiveAction;
  wish: Wish;
}

export function createLaneWishes(options: LaneWishesOptions): LaneWishes {
  const { store, chain, leases, log, now } = options;
  /** When it was last tried, of what could not be done. */
  const tried = new Map<string, number>();
  let running: Promise<void> | null = null;
  let isAsked = false;
  let stopped = false;

  function look(): void {
    isAsked = true;
    if (stopped || running !== null) return;
    running = run().finally(() => {
      running = null;
      if (isAsked) look();
    });
  }

  async function run(): Promise<void> {
    isAsked = false;
    try {
      const wanted = take(await readWishes());
      for (const one of wanted.filter(({ action }) => action.kept !== true)) await release(one);
      const byLine = new Map<LedgerLine, Wanted[]>();
      for (const one of wanted.filter(({ action }) => action.kept === true)) {
        const list = byLine.get(one.line) ?? [];
        byLine.set(one.line, [...list, one]);
      }
      for (const [line, list] of byLine)
        for (let at = 0; at < list.length && !stopped; at += batchLimit)
          await replace(line, list.slice(at, at + batchLimit));
    } catch (error) {
      // A lane that is lost is another server's, and so are its wishes.
      if (!(error instanceof LeaseLost))
        log('warn', 'wishes.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
    }
  }

  async function readWishes(): Promise<Row[]> {
    return store.read.all<Row>(
      `SELECT id, shard, wanted, wanted_cap, CASE WHEN EXISTS (
          SELECT 1 FROM attempt WHERE attempt.action_id = action.id AND attempt.sealed IS NOT NULL
        ) THEN 1 ELSE 0 END AS kept
        FROM action WHERE chain = $1 AND status = 'PENDING' AND wanted IS NOT NULL AND stage = 'signed'`,
      [chain],
    );
  }

  /** Those that can be done now. What signs them may have been stored with the wish. */
  function take(rows: readonly Row[]): Wanted[] {
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of tried.keys()) if (!ids.has(id)) tried.delete(id);
    const wanted: Wanted[] = [];
    for (const row of rows) {
      const wish = wishOf(row);
      const line = [...options.lines()].find(({ live }) => live.has(row.id));
      const action = line?.live.get(row.id);
      if (wish === null || line === undefined || action === undefined || !leases.holds(row.shard)) continue;
      const isNew = action.wanted?.kind !== wish.kind || action.wanted.cap !== wish.cap;
      action.wanted = wish;
      if (row.kept === 1) action.kept = true;
      const triedAt = isNew ? undefined : tried.get(row.id);
      const isDue = triedAt === undefined || Math.abs(now() - triedAt) >= again;
      if (isDue && !line.retired && !line.inDoubt) wanted.push({ line, action, wish });
    }
    return wanted;
  }

  /** What was signed beforehand goes out: nothing can be signed anew. */
  async function release({ line, action, wish }: Wanted): Promise<void> {
    const { attempts, released } = action;
    const isCancel = wish.kind === 'cancel';
    const next = isCancel ? attempts.length - 1 : released + 1;
    const isThere = attempts[next]?.kind === (isCancel ? 'noop' : 'bump');
    if (isThere && next > released) {
      action.released = next;
      line.release(action);
    }
    if (isCancel) return;
    // After it was sent: sent twice it is the same, forgotten it is not.
    await store.transaction((tx) => endHurries(tx, [action.id]));
    action.wanted = null;
    await hinder(line, [[action, isThere ? null : nothingLeft]]);
  }

  async function replace(line: LedgerLine, list: readonly Wanted[]): Promise<void> {
    const open = list.filter(
      ({ action: { attempts }, wish }) => wish.kind === 'hurry' || !isClosing(attempts),
    );
    const able = open.filter(({ action }) => canReplace(line, action));
    const barred = open.filter((one) => !able.includes(one));
    for (const { action } of able) tried.set(action.id, now());
    const made = await options.replace(line, able.map(replacementOf));
    const told: [LiveAction, string | null][] = [];
    for (const { action, wish } of barred) told.push([action, hindrance(wish, beyondReach)]);
    for (const { action, wish } of able) {
      const answer = made.get(action.id);
      if (answer === undefined || answer.status === 'gone') tried.delete(action.id);
      else if (answer.status === 'wait') told.push([action, hindrance(wish, answer.problem.detail)]);
      else {
        told.push([action, null]);
        if (wish.kind === 'cancel') continue;
        // What is stored ends the wish; where there was nothing to raise, this does.
        if (answer.status === 'enough') await store.transaction((tx) => endHurries(tx, [action.id]));
        action.wanted = null;
      }
    }
    await hinder(line, told);
  }

  async function hinder(line: LedgerLine, told: readonly (readonly [LiveAction, string | null])[]) {
    const changed = told.filter(([action, detail]) => (action.hindrance ?? null) !== detail);
    for (const [action, detail] of changed) action.hindrance = detail;
    await line.hinder(changed.map(([action]) => action));
  }

  return {
    look,
    async stop() {
      stopped = true;
      isAsked = false;
      await running;
    },
  };
}

function canReplace({ open }: LedgerLine, action: LiveAction): boolean {
  const isOurs = action.plugin === null || action.plugin === open.pluginUid;
  const hasRoom = action.attempts.length < mostAttempts;
  return isOurs && hasRoom && (action.wanted?.kind === 'cancel' || canBump(action));
}

function replacementOf({ action, wish }: Wanted): Replacement {
  const isCancel = wish.kind === 'cancel';
  return {
    action,
    kind: isCancel ? 'noop' : 'bump',
    raise: 'always',
    ...(wish.cap === null ? {} : { cap: wish.cap }),
    reason: isCancel
      ? { type: 'cancelled', detail: 'Its cancellation was asked for.' }
      : { type: 'hurried', detail: 'A higher fee was asked for.' },
  };
}

function hindrance({ kind }: Wish, why: string): string {
  const what = kind === 'cancel' ? 'It cannot be cancelled' : 'Its fee cannot be raised';
  return `${what} now: ${plainWords(why)}`;
}
