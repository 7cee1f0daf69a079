import { plainWords } from '@ledger-ops/adapter/words';
import { createRunner, type Runner } from '../../concurrency/runner.ts';
import { type ChangeRequestRow, endHurries, readChangeRequests } from '../../rows/actions/change-requests.ts';
import { changeOf } from '../../rows/attempts/inflight.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import type { Change, LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { canBump, isClosing, mostAttempts } from './next-replacement.ts';
import { type Replacement, replaceSigned } from './sign-replacements.ts';

/** Maximum number of actions whose replacements are signed in one call. */
const batchLimit = 64;

const beyondReach =
  'the plugin that signed the action no longer serves the ledger, or the action was replaced too often.';
const nothingLeft = 'All fee bumps that were signed in advance have been sent.';

/** A signed action with an open change request. */
interface Requested {
  tracker: Tracker;
  action: LiveAction;
  request: Change;
}

/**
 * Carries out requests to cancel or speed up signed actions, on the server that holds their shards. Reads the requests
 * from the database when it is woken.
 *
 * `#tried` contains the time of the last attempt to carry out each failed request, by action id.
 */
export class ChangeRequests {
  readonly #context: ChainContext;
  readonly #runner: Runner;
  readonly #tried = new Map<string, number>();
  #isStopped = false;

  constructor(context: ChainContext) {
    this.#context = context;
    this.#runner = createRunner({
      run: () => this.#run(),
      failed: (error) => this.#failed(error),
      retryAfter: context.timing.changeAgain,
    });
  }

  wake(): void {
    this.#runner.wake();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#runner.stop();
  }

  async #run(): Promise<boolean> {
    // An action without a sequence and without a kept grant cannot be replaced. If its transaction expires, the request
    // is carried out with its next transaction.
    const wanted = this.#take(await readChangeRequests(this.#context.store.read, this.#context.chain)).filter(
      ({ action }) => action.sequence !== null || action.kept === true,
    );
    for (const one of wanted.filter(({ action }) => action.kept !== true)) await this.#release(one);
    const replaceable = wanted.filter(({ action }) => action.kept === true);
    for (const [tracker, list] of Map.groupBy(replaceable, ({ tracker }) => tracker))
      for (let at = 0; at < list.length && !this.#isStopped; at += batchLimit)
        await this.#replace(tracker, list.slice(at, at + batchLimit));
    return false;
  }

  #failed(error: unknown): void {
    // The shard now belongs to another server, which also handles the requests for its actions.
    if (error instanceof LeaseLost) return;
    this.#context.log('warn', 'changes.failed', {
      chain: this.#context.chain,
      detail: error instanceof Error ? error.message : 'unknown',
    });
  }

  /**
   * Selects the due requests for actions that this server follows. A request may contain the grant with which its
   * replacement is signed.
   */
  #take(rows: readonly ChangeRequestRow[]): Requested[] {
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.#tried.keys()) if (!ids.has(id)) this.#tried.delete(id);
    const wanted: Requested[] = [];
    for (const row of rows) {
      const request = changeOf(row);
      const tracker = [...this.#context.trackers()].find(({ live }) => live.has(row.id));
      const action = tracker?.live.get(row.id);
      if (
        request === null ||
        tracker === undefined ||
        action === undefined ||
        !this.#context.leases.holds(row.shard)
      )
        continue;
      const isNew = action.change?.kind !== request.kind || action.change.cap !== request.cap;
      action.change = request;
      if (row.kept === 1) action.kept = true;
      const triedAt = isNew ? undefined : this.#tried.get(row.id);
      const isDue =
        triedAt === undefined || Math.abs(this.#context.now() - triedAt) >= this.#context.timing.changeAgain;
      if (isDue && tracker.canSign) wanted.push({ tracker, action, request });
    }
    return wanted;
  }

  /** Sends the next attempt that was signed in advance. Used if no new attempt can be signed. */
  async #release({ tracker, action, request }: Requested): Promise<void> {
    const { attempts, released } = action;
    const isCancel = request.kind === 'cancel';
    const next = isCancel ? attempts.length - 1 : released + 1;
    const isThere = attempts[next]?.kind === (isCancel ? 'noop' : 'bump');
    if (isThere && next > released) {
      action.released = next;
      tracker.release(action);
    }
    if (isCancel) return;
    // The request is deleted only after the attempt was sent: sending twice is harmless, but a request that is deleted
    // earlier could be lost.
    await this.#context.store.transaction((tx) => endHurries(tx, [action.id]));
    action.change = null;
    await this.#storeRejections(tracker, [[action, isThere ? null : nothingLeft]]);
  }

  async #replace(tracker: Tracker, list: readonly Requested[]): Promise<void> {
    const open = list.filter(
      ({ action: { attempts }, request }) => request.kind === 'hurry' || !isClosing(attempts),
    );
    const able = open.filter(({ action }) => canReplace(tracker, action));
    const barred = open.filter((one) => !able.includes(one));
    for (const { action } of able) this.#tried.set(action.id, this.#context.now());
    const made = await replaceSigned(this.#context, tracker, able.map(replacementOf));
    const rejections: [LiveAction, string | null][] = [];
    for (const { action, request } of barred) rejections.push([action, rejectionOf(request, beyondReach)]);
    for (const { action, request } of able) {
      const answer = made.get(action.id);
      if (answer === undefined || answer.status === 'gone') this.#tried.delete(action.id);
      else if (answer.status === 'wait')
        rejections.push([action, rejectionOf(request, answer.problem.detail)]);
      else {
        rejections.push([action, null]);
        if (request.kind === 'cancel') continue;
        // Storing a new attempt deletes the request. If the fee was already high enough, there is no new attempt, so
        // the request is deleted here.
        if (answer.status === 'enough')
          await this.#context.store.transaction((tx) => endHurries(tx, [action.id]));
        action.change = null;
      }
    }
    await this.#storeRejections(tracker, rejections);
  }

  /** Stores why the change requests of actions cannot be carried out now; null if they can be. */
  async #storeRejections(tracker: Tracker, rejections: readonly (readonly [LiveAction, string | null])[]) {
    const changed = rejections.filter(([action, detail]) => action.pendingReason.change !== detail);
    for (const [action, detail] of changed) action.pendingReason.change = detail;
    await tracker.storeReasons(changed.map(([action]) => action));
  }
}

function canReplace({ open }: Tracker, action: LiveAction): boolean {
  const isOurs = action.plugin === null || action.plugin === open.pluginUid;
  const hasCapacity = action.attempts.length < mostAttempts;
  return isOurs && hasCapacity && (action.change?.kind === 'cancel' || canBump(action));
}

function replacementOf({ action, request }: Requested): Replacement {
  const isCancel = request.kind === 'cancel';
  return {
    action,
    kind: isCancel ? 'noop' : 'bump',
    raise: 'always',
    ...(request.cap === null ? {} : { cap: request.cap }),
    reason: isCancel
      ? { type: 'cancelled', detail: 'Cancellation was requested.' }
      : { type: 'hurried', detail: 'A higher fee was requested.' },
  };
}

function rejectionOf({ kind }: Change, why: string): string {
  const what = kind === 'cancel' ? 'The action cannot be canceled' : 'Its fee cannot be raised';
  return `${what} now: ${plainWords(why)}`;
}
