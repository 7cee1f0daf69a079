import type { AdapterProblem, Inspected } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { isBelowMinimum, type LiveAction, type ReplacementReason } from '../../rows/model.ts';
import type { Moment, Patience } from './patience.ts';
import type { Replacement, Replacing } from './sign-replacements.ts';

/**
 * Maximum number of fee bumps of one action, and maximum number of all its transactions. Each transaction pays at least
 * 10% more than the one before, so the fee can grow 500-fold before the action is given up, and another 20-fold for the
 * empty transaction. At the limit, nothing new is signed, but the signed transactions are still resent.
 */
const mostBumps = 64;
export const mostAttempts = 96;

const forgotten = 'The transaction was sent to every node of the ledger, but none of them returns it.';
const unmined = 'The ledger has the transaction, but does not mine it although the fee is high enough.';

/** Observations of an account's first unmined action; in memory only. */
export interface Watch {
  head: LiveAction | null;
  /** When the action became the account's first unmined action, as far as this server knows. */
  since: Moment;
  looked: Moment;
  /** The account's transaction count on the ledger at the last check: all lower sequences are mined. */
  next: number;
  /** Observations of the action's newest transaction. */
  found: Found | null;
}

/** Observations of the action's newest transaction. */
interface Found {
  /** Number of the action's transactions when the observations started. */
  attempts: number;
  /** Time of the first observation. */
  since: Moment;
  /** Time of the first observation in which the transaction was absent; null if it never was. */
  absentSince: Moment | null;
  /**
   * Time of the first of the consecutive observations with the result `enough`; null if the last observation had
   * another result.
   */
  enoughSince: Moment | null;
}

/**
 * Result of one observation. `enough`: the ledger has the transaction, and the fee is high enough. `unacceptable`: the
 * ledger would refuse the transaction now, for example because of its fee.
 */
type Finding = 'enough' | 'unacceptable' | 'absent' | 'unknown';

/** The first unmined action of an account. */
export interface Head {
  action: LiveAction;
  watch: Watch;
  /** The account's unmined actions, starting with this one. */
  queue: readonly LiveAction[];
  /** Whether the ledger expects this action's sequence next. */
  isNext: boolean;
}

/** The first unmined action of an account, if it is overdue, with the ledger's view of its transaction. */
export interface OverdueHead extends Omit<Head, 'queue'> {
  shown: Inspected | undefined;
  /** Result of a fee bump to the fee that the ledger requires; undefined if there was none. */
  asked: Replacing | undefined;
  now: Moment;
}

/** Why an action is late, and which replacement to sign for it. */
export interface ReplacementDecision {
  detail: string | null;
  /** The replacement to sign now. */
  next: Replacement | null;
  /** The replacement to sign if `next` is not possible. */
  otherwise: Replacement | null;
}

/** When the action's newest transaction was signed. */
export function releaseOf({ releasedAt, releasedHeight = null }: LiveAction): Moment {
  return { at: releasedAt, height: releasedHeight };
}

export function canBump({ attempts, change }: LiveAction): boolean {
  return attempts.length <= mostBumps && !isClosing(attempts) && change?.kind !== 'cancel';
}

/** Whether an empty transaction is replacing the action. */
export function isClosing(attempts: LiveAction['attempts']): boolean {
  return attempts.at(-1)?.kind === 'noop';
}

/** User-facing text for an action that is being replaced by an empty transaction. */
export function closingText(attempts: LiveAction['attempts'], why: string | null): string {
  const reason = attempts.at(-1)?.reason?.detail ?? unmined;
  const given = `${reason} The action is given up: an empty transaction with its nonce is sent.`;
  return why === null || why === reason ? given : `${given} ${why}`;
}

/**
 * Decides what to do about an overdue action. Decides nothing if it was just replaced with a higher fee.
 * @param raises maximum number of fee bumps for an action that the ledger shows but does not mine, although its fee is
 * high enough
 */
export function decideReplacement(
  overdue: OverdueHead,
  patience: Patience,
  raises: number,
): ReplacementDecision {
  const { action, watch, isNext, shown, asked, now } = overdue;
  const { attempts } = action;
  const wait = asked?.status === 'wait' ? asked.problem : undefined;
  const isBelow = isBelowMinimum(action);
  const what = isBelow && wait !== undefined ? 'unacceptable' : findingOf(shown, wait);
  const found = remember(watch, what, attempts.length, now);
  const detail = detailOf(what, shown?.problem, wait);
  const nothing: ReplacementDecision = { detail, next: null, otherwise: null };
  const only = (next: Replacement): ReplacementDecision => ({ ...nothing, next });
  // If the ledger expects another sequence next, an earlier transaction is the reason for the delay.
  if (!isNext || attempts.length >= mostAttempts) return nothing;
  const reason: ReplacementReason = { type: 'dropped', detail: detail ?? unmined };
  const noop = { action, kind: 'noop', raise: 'always', reason } as const;
  const released = releaseOf(action);
  const newest = attempts.at(-1);
  if (isClosing(attempts)) {
    // Each empty transaction costs more than the one before, so the time between them doubles.
    const raised = attempts.filter(({ kind }) => kind === 'noop').length - 1;
    const isOver = patience.times(released, now) >= 2 ** raised;
    const isInconclusive = what === 'unknown' || (what === 'enough' && !patience.hadBlocks(released, now));
    return isBelow || (isOver && !isInconclusive)
      ? only({ ...noop, reason: newest?.reason ?? reason })
      : nothing;
  }
  if (shown?.hopeless === true) return only(noop);
  // The ledger would refuse an empty transaction with this fee, too.
  if (isBelow && wait === undefined) return nothing;
  // A transaction that was signed after its action became the account's first gets one more replacement interval,
  // unless it replaced an unmined one.
  const isFresh = released.at > watch.since.at;
  const since = isFresh ? released : watch.since;
  const spent = patience.times(since, now) - (isFresh && newest?.reason?.type !== 'unmined' ? 1 : 0);
  const isSettled = (from: Moment | null) => from !== null && now.at - from.at >= patience.settling;
  switch (what) {
    case 'unknown':
      return nothing;
    case 'absent':
      return spent >= 1 && isSettled(found.absentSince) ? only(noop) : nothing;
    case 'unacceptable':
      return spent >= 1 + raises && isSettled(found.since) ? only(noop) : nothing;
    case 'enough': {
      if (spent < 1 || !isSettled(found.enoughSince) || !patience.hadBlocks(since, now)) return nothing;
      const raised = attempts.filter((one) => one.reason?.type === 'unmined').length;
      if (raised >= raises || !canBump(action)) return only(noop);
      const bump = {
        action,
        kind: 'bump',
        raise: 'always',
        reason: { type: 'unmined', detail: unmined },
      } as const;
      return { detail, next: bump, otherwise: spent >= 1 + raises ? noop : null };
    }
  }
}

function remember(watch: Watch, what: Finding, attempts: number, now: Moment): Found {
  const known = watch.found?.attempts === attempts ? watch.found : null;
  const absentSince = known?.absentSince ?? (what === 'absent' ? now : null);
  const enoughSince = what === 'enough' ? (known?.enoughSince ?? now) : null;
  watch.found = { attempts, since: known?.since ?? now, absentSince, enoughSince };
  return watch.found;
}

/**
 * If the required fee exceeds the cap, the result is not `absent` even if the transaction is: nodes drop transactions
 * whose fee is too low.
 */
function findingOf(shown: Inspected | undefined, wait: AdapterProblem | undefined): Finding {
  if (wait?.code === 'fee-above-cap') return 'unacceptable';
  if (shown === undefined || shown.status === 'unknown')
    return wait === undefined ? 'unknown' : 'unacceptable';
  if (shown.status === 'absent') return 'absent';
  return shown.problem !== undefined || wait !== undefined ? 'unacceptable' : 'enough';
}

function detailOf(
  what: Finding,
  problem: AdapterProblem | undefined,
  wait: AdapterProblem | undefined,
): string | null {
  const words = [problem, wait].flatMap((one) => (one === undefined ? [] : plainWords(one.detail)));
  if (words.length > 0) return [...new Set(words)].join(' ');
  return what === 'absent' ? forgotten : null;
}
