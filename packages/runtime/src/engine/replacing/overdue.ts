import { plainWords } from '@ledger-ops/adapter/words';
import { isBelowMinimum, type LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { describeFailure } from '../tracking/describe-failure.ts';
import { isDueAgain } from '../tracking/resubmission.ts';
import type { Tracker } from '../tracking/tracker.ts';
import {
  canBump,
  closingText,
  decideReplacement,
  type Head,
  isClosing,
  type ReplacementDecision,
  type Watch,
} from './next-replacement.ts';
import { isDue, lastDue, watchHead } from './overdue-accounts.ts';
import type { Moment, Patience } from './patience.ts';
import { inspectSigned, type Replacement, type Replacing, replaceSigned } from './sign-replacements.ts';

/** Maximum number of accounts that one check handles. The next check handles the others. */
const accountLimit = 200;
/**
 * Maximum number of actions in one call to the adapter, and maximum total size of their signed transactions in bytes.
 */
const batchLimit = 256;
const batchBytes = 4 * 1_048_576;
/** Maximum number of actions, queued behind the first unmined ones, that one check sends to every node. */
const sentBehind = 512;
/**
 * Default of the ledger property `max_bumps`: the number of fee bumps for an action that the ledger shows but does not
 * mine, although its fee is high enough.
 */
const defaultRaises = 2;

/**
 * Handles transactions that a ledger does not mine within the replacement interval (patience). `#watches`
 * contains the observations of each account with an overdue transaction. `#checking` is the check in
 * progress.
 */
export class Overdue {
  readonly #context: ChainContext;
  readonly #tracker: Tracker;
  readonly #patience: Patience;
  readonly #raises: number;
  readonly #watches = new Map<string, Watch>();
  #checking: Promise<void> | null = null;
  #isFailing = false;
  #isStopped = false;

  constructor(context: ChainContext, tracker: Tracker, patience: Patience) {
    this.#context = context;
    this.#tracker = tracker;
    this.#patience = patience;
    const { max_bumps: raises } = tracker.open.record.properties;
    this.#raises = typeof raises === 'number' ? raises : defaultRaises;
  }

  /** Starts a check unless one is running. */
  check(): void {
    if (!this.#isStopped) this.#checking ??= this.#runCheck();
  }

  /** Resolves when no check is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#checking;
  }

  /** Returns the unsettled actions of each account with an overdue transaction, ordered by sequence. */
  #overdueAccounts(now: Moment): Map<string, LiveAction[]> {
    const placed = [...this.#tracker.live.values()].filter(({ sequence }) => sequence !== null);
    const accounts = Map.groupBy(placed, ({ address }) => address);
    for (const address of this.#watches.keys()) if (!accounts.has(address)) this.#watches.delete(address);
    const late = [...accounts].filter(([address, queue]) =>
      isDue(queue, this.#watches.get(address), this.#patience, now),
    );
    late.sort(
      ([one], [two]) => (this.#watches.get(one)?.looked.at ?? 0) - (this.#watches.get(two)?.looked.at ?? 0),
    );
    for (const [, queue] of late) queue.sort((one, two) => (one.sequence ?? 0) - (two.sequence ?? 0));
    return new Map(late.slice(0, accountLimit));
  }

  async #runCheck(): Promise<void> {
    try {
      await this.#checkOnce();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#context.log('warn', 'late.failed', {
          ledgerId: this.#tracker.open.record.ledgerId,
          detail: describeFailure(error),
        });
      this.#isFailing = true;
    }
    this.#checking = null;
  }

  async #checkOnce(): Promise<void> {
    const late = this.#overdueAccounts(this.#moment());
    if (late.size === 0) return;
    const addresses = [...late.keys()];
    const counts = await this.#tracker.open.session.sequences(addresses);
    const now = this.#moment();
    const heads = [...late].flatMap(([address, queue], index) => {
      const next = Number(counts[index] ?? 0n);
      const { watch, head } = watchHead(queue, this.#watches.get(address), next, this.#patience, now);
      this.#watches.set(address, watch);
      return head ?? [];
    });
    for (const head of heads) this.#releaseSigned(head, now);
    await this.#tracker.reasons.setLate(mined(late, this.#watches).map((action) => [action, null] as const));
    const behind = heads.flatMap(({ queue }) => queue.slice(1)).slice(0, sentBehind);
    const unsent = [...heads.map(({ action }) => action), ...behind].filter(
      (action) => !isBelowMinimum(action) || isDueAgain(action, now.at, this.#context.timing),
    );
    await this.#tracker.broadcaster.sendEverywhere(unsent);
    if (!this.#tracker.canSign) return;
    const refused = [...late.values()]
      .flat()
      .filter((action) => isBelowMinimum(action) && this.#isReplaceable(action));
    const raised = await this.#raise(refused, 'always');
    for (const batch of batchesOf(heads.filter(({ action }) => this.#isReplaceable(action)))) {
      if (!this.#isStopped) await this.#replaceHeads(batch, raised);
    }
  }

  /** Marks due attempts that were signed in advance as released, and sends them. */
  #releaseSigned(head: Head, now: Moment): void {
    for (const action of head.queue) {
      const last = lastDue(action, head, this.#patience, now);
      if (action.kept === true || last <= action.released) continue;
      for (const { kind } of action.attempts.slice(action.released + 1, last + 1))
        if (kind !== 'main') this.#context.meter.replacement(this.#tracker.open.record.ledgerId, kind);
      action.released = last;
      this.#tracker.broadcaster.release(action);
    }
  }

  /**
   * Inspects the first unmined actions of accounts and replaces those that need it.
   * @param before results of the fee bumps that this check already made for fees below the minimum of every mempool
   */
  async #replaceHeads(heads: readonly Head[], before: ReadonlyMap<string, Replacing>): Promise<void> {
    const actions = heads.map(({ action }) => action);
    const shown = await inspectSigned(this.#context, this.#tracker, actions);
    const open = actions.filter(({ id }) => shown.get(id)?.hopeless !== true && !before.has(id));
    const asked = new Map([...before, ...(await this.#raise(open, 'if-asked'))]);
    // The ledger may now also require a higher fee for the accounts' later transactions.
    const raised = heads.filter(({ action }) => asked.get(action.id)?.status === 'sent');
    const behind = raised.flatMap(({ queue }) => queue.slice(1));
    await this.#raise(
      behind.filter((action) => this.#isReplaceable(action) && !before.has(action.id)),
      'if-asked',
    );
    const now = this.#moment();
    const decisions = new Map<LiveAction, ReplacementDecision>();
    for (const head of heads) {
      const answer = asked.get(head.action.id);
      if (answer?.status === 'sent' || answer?.status === 'gone') continue;
      // While this check ran, the minimum fee fell, and a mempool accepted the transaction.
      if (before.has(head.action.id) && !isBelowMinimum(head.action)) continue;
      const late = { ...head, shown: shown.get(head.action.id), asked: answer, now };
      decisions.set(head.action, decideReplacement(late, this.#patience, this.#raises));
    }
    const made = await this.#replaceAll([...decisions.values()].flatMap(({ next }) => next ?? []));
    const isRefused = ({ id }: LiveAction) => made.get(id)?.status === 'wait';
    const others = [...decisions].flatMap(([action, { otherwise }]) =>
      otherwise !== null && isRefused(action) ? otherwise : [],
    );
    for (const [id, answer] of await this.#replaceAll(others)) made.set(id, answer);
    await this.#tracker.reasons.setLate(
      actions.map(
        (action) => [action, lateReason(action, decisions.get(action), made.get(action.id))] as const,
      ),
    );
  }

  /**
   * Signs bumps at the fee that the ledger requires; with `if-asked`, only if that fee exceeds the signed
   * one.
   */
  #raise(actions: readonly LiveAction[], how: Replacement['raise']): Promise<Map<string, Replacing>> {
    const wanted = actions
      .filter(canBump)
      .map((action) => ({ action, kind: 'bump', raise: how, reason: null }) as const);
    return this.#replaceAll(wanted);
  }

  #isReplaceable({ kept, plugin }: LiveAction): boolean {
    return kept === true && (plugin === null || plugin === this.#tracker.open.pluginUid);
  }

  async #replaceAll(wanted: readonly Replacement[]): Promise<Map<string, Replacing>> {
    const answers = new Map<string, Replacing>();
    for (const batch of batchesOf(wanted)) {
      if (this.#isStopped) break;
      for (const [id, answer] of await replaceSigned(this.#context, this.#tracker, batch))
        answers.set(id, answer);
    }
    return answers;
  }

  #moment(): Moment {
    return { at: this.#context.now(), height: this.#tracker.height };
  }
}

/**
 * Returns the actions that the ledger has already mined and that only wait for confirmations, but that still have a
 * stored reason for being late.
 */
function mined(
  late: ReadonlyMap<string, readonly LiveAction[]>,
  watches: ReadonlyMap<string, Watch>,
): LiveAction[] {
  return [...late].flatMap(([address, queue]) => {
    const next = watches.get(address)?.next ?? 0;
    return queue.filter(
      ({ sequence, pendingReason }) => pendingReason.late !== null && (sequence ?? next) < next,
    );
  });
}

/** Returns the reason, for users, why the action is late. */
function lateReason(
  { attempts }: LiveAction,
  decision: ReplacementDecision | undefined,
  made: Replacing | undefined,
): string | null {
  const why = decision?.detail ?? null;
  const refused = made?.status === 'wait' ? plainWords(made.problem.detail) : null;
  const isNews = refused !== null && refused !== why;
  const both = why === null || !isNews ? why : `${why} The transaction cannot be replaced now: ${refused}`;
  const said = both ?? refused;
  return isClosing(attempts) ? closingText(attempts, said) : said;
}

/** Splits items into batches. Each batch fits into one call to the adapter. */
function batchesOf<Item extends { action: LiveAction }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let remaining = 0;
  for (const item of items) {
    const size = item.action.attempts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const last = batches.at(-1);
    if (last === undefined || last.length >= batchLimit || size > remaining) {
      batches.push([item]);
      remaining = batchBytes - size;
    } else {
      last.push(item);
      remaining -= size;
    }
  }
  return batches;
}
