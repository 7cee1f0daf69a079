import { plainWords } from '@ledger-ops/adapter/words';
import { createRunner, type Runner } from '../../concurrency/runner.ts';
import { type ChangeRequestRow, endHurries, readChangeRequests } from '../../rows/actions/change-requests.ts';
import { changeOf } from '../../rows/attempts/inflight.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import type { Change, LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/types.ts';
import { canBump, isClosing, mostAttempts } from './next-replacement.ts';
import { type Replacement, replaceSigned } from './sign-replacements.ts';

/** Actions that one call replaces. */
const batchLimit = 64;

const beyondReach =
  'the plugin that signed it does not serve the ledger any more, or it was replaced too often.';
const nothingLeft = 'All fee bumps that were signed beforehand are sent already.';

/** A signed action with a request that is not met yet. */
interface Requested {
  tracker: Tracker;
  action: LiveAction;
  request: Change;
}

/** Cancels and hurries signed actions on request, on the server that has their shards: looks into the rows when it is woken. */
export function createChangeRequests(context: ChainContext): Runner {
  const { store, log, now, timing, chain, leases, trackers } = context;
  /** When it was last tried, of what could not be done. */
  const tried = new Map<string, number>();
  const runner = createRunner({ run, failed, retryAfter: timing.changeAgain });
  let stopped = false;

  async function run(): Promise<boolean> {
    const wanted = take(await readChangeRequests(store.read, chain));
    for (const one of wanted.filter(({ action }) => action.kept !== true)) await release(one);
    const replaceable = wanted.filter(({ action }) => action.kept === true);
    for (const [tracker, list] of Map.groupBy(replaceable, ({ tracker }) => tracker))
      for (let at = 0; at < list.length && !stopped; at += batchLimit)
        await replace(tracker, list.slice(at, at + batchLimit));
    return false;
  }

  function failed(error: unknown): void {
    // A shard that is lost is another server's, and so are the requests for its actions.
    if (error instanceof LeaseLost) return;
    log('warn', 'changes.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
  }

  /** Those that can be met now. What signs them may have been stored with the request. */
  function take(rows: readonly ChangeRequestRow[]): Requested[] {
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of tried.keys()) if (!ids.has(id)) tried.delete(id);
    const wanted: Requested[] = [];
    for (const row of rows) {
      const request = changeOf(row);
      const tracker = [...trackers()].find(({ live }) => live.has(row.id));
      const action = tracker?.live.get(row.id);
      if (request === null || tracker === undefined || action === undefined || !leases.holds(row.shard))
        continue;
      const isNew = action.change?.kind !== request.kind || action.change.cap !== request.cap;
      action.change = request;
      if (row.kept === 1) action.kept = true;
      const triedAt = isNew ? undefined : tried.get(row.id);
      const isDue = triedAt === undefined || Math.abs(now() - triedAt) >= timing.changeAgain;
      if (isDue && !tracker.retired && !tracker.inDoubt) wanted.push({ tracker, action, request });
    }
    return wanted;
  }

  /** Sends what was signed beforehand: nothing can be signed anew. */
  async function release({ tracker, action, request }: Requested): Promise<void> {
    const { attempts, released } = action;
    const isCancel = request.kind === 'cancel';
    const next = isCancel ? attempts.length - 1 : released + 1;
    const isThere = attempts[next]?.kind === (isCancel ? 'noop' : 'bump');
    if (isThere && next > released) {
      action.released = next;
      tracker.release(action);
    }
    if (isCancel) return;
    // After it was sent: sent twice it is the same, forgotten it is not.
    await store.transaction((tx) => endHurries(tx, [action.id]));
    action.change = null;
    await hinder(tracker, [[action, isThere ? null : nothingLeft]]);
  }

  async function replace(tracker: Tracker, list: readonly Requested[]): Promise<void> {
    const open = list.filter(
      ({ action: { attempts }, request }) => request.kind === 'hurry' || !isClosing(attempts),
    );
    const able = open.filter(({ action }) => canReplace(tracker, action));
    const barred = open.filter((one) => !able.includes(one));
    for (const { action } of able) tried.set(action.id, now());
    const made = await replaceSigned(context, tracker, able.map(replacementOf));
    const told: [LiveAction, string | null][] = [];
    for (const { action, request } of barred) told.push([action, hindrance(request, beyondReach)]);
    for (const { action, request } of able) {
      const answer = made.get(action.id);
      if (answer === undefined || answer.status === 'gone') tried.delete(action.id);
      else if (answer.status === 'wait') told.push([action, hindrance(request, answer.problem.detail)]);
      else {
        told.push([action, null]);
        if (request.kind === 'cancel') continue;
        // A stored attempt ends the request; where there was nothing to raise, this does.
        if (answer.status === 'enough') await store.transaction((tx) => endHurries(tx, [action.id]));
        action.change = null;
      }
    }
    await hinder(tracker, told);
  }

  async function hinder(tracker: Tracker, told: readonly (readonly [LiveAction, string | null])[]) {
    const changed = told.filter(([action, detail]) => (action.hindrance ?? null) !== detail);
    for (const [action, detail] of changed) action.hindrance = detail;
    await tracker.hinder(changed.map(([action]) => action));
  }

  return {
    wake: runner.wake,
    stop() {
      stopped = true;
      return runner.stop();
    },
  };
}

function canReplace({ open }: Tracker, action: LiveAction): boolean {
  const isOurs = action.plugin === null || action.plugin === open.pluginUid;
  const hasRoom = action.attempts.length < mostAttempts;
  return isOurs && hasRoom && (action.change?.kind === 'cancel' || canBump(action));
}

function replacementOf({ action, request }: Requested): Replacement {
  const isCancel = request.kind === 'cancel';
  return {
    action,
    kind: isCancel ? 'noop' : 'bump',
    raise: 'always',
    ...(request.cap === null ? {} : { cap: request.cap }),
    reason: isCancel
      ? { type: 'cancelled', detail: 'Its cancellation was asked for.' }
      : { type: 'hurried', detail: 'A higher fee was asked for.' },
  };
}

function hindrance({ kind }: Change, why: string): string {
  const what = kind === 'cancel' ? 'It cannot be cancelled' : 'Its fee cannot be raised';
  return `${what} now: ${plainWords(why)}`;
}
