import type { AdapterProblem, Inspected } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { LiveAction, ReplacementReason } from '../../rows/model.ts';
import type { Moment, Patience } from './patience.ts';
import type { Replacement, Replacing } from './sign-replacements.ts';

/**
 * Fee bumps of one action, and its transactions in all. Each offers at least a tenth more than the one before, so that
 * the fee can grow five-hundredfold before the place is given up, and twentyfold once more until that is mined. When
 * there is no room any more, nothing new is signed, and what is signed is sent again and again.
 */
const mostBumps = 64;
export const mostAttempts = 96;

const forgotten = 'No node of the ledger shows the transaction, although it was sent to each of them.';
const unmined = 'The ledger shows the transaction, asks no more for it than it offers, and does not mine it.';

/** Findings of looks at an account's first transaction that is not mined; in memory only. */
export interface Watch {
  head: LiveAction | null;
  /** Since when that is the first, as far as it is known. */
  since: Moment;
  looked: Moment;
  /** The ledger's count then: all below is mined. */
  next: number;
  /** Of its newest transaction. */
  found: Found | null;
}

/** Since the newest transaction was signed: the first look, the first that found it absent, and since when it is enough. */
interface Found {
  attempts: number;
  since: Moment;
  absentSince: Moment | null;
  enoughSince: Moment | null;
}

/** The finding of one look. `troubled`: the ledger would not take it now. */
type Finding = 'enough' | 'troubled' | 'absent' | 'unknown';

/** The first transaction of an account that is not mined. */
export interface Head {
  action: LiveAction;
  watch: Watch;
  /** Those of the account that are not mined, it first. */
  queue: readonly LiveAction[];
  /** The ledger wants it next. */
  isNext: boolean;
}

/** One that is overdue, with what is known of it. */
export interface OverdueHead extends Omit<Head, 'queue'> {
  shown: Inspected | undefined;
  /** The answer to a bump at what the ledger asks; undefined: none was asked for. */
  asked: Replacing | undefined;
  now: Moment;
}

/** Why an action is late, and what comes of it. */
export interface ReplacementDecision {
  detail: string | null;
  /** To be signed now. */
  next: Replacement | null;
  /** To be signed where that cannot be. */
  otherwise: Replacement | null;
}

/** When its newest transaction was signed. */
export function releaseOf({ releasedAt, releasedHeight = null }: LiveAction): Moment {
  return { at: releasedAt, height: releasedHeight };
}

export function canBump({ attempts, change }: LiveAction): boolean {
  return attempts.length <= mostBumps && !isClosing(attempts) && change?.kind !== 'cancel';
}

/** An empty transaction is to take its place. */
export function isClosing(attempts: LiveAction['attempts']): boolean {
  return attempts.at(-1)?.kind === 'noop';
}

/** The words for people while an empty transaction is to take the place of an action. */
export function closingWords(attempts: LiveAction['attempts'], why: string | null): string {
  const reason = attempts.at(-1)?.reason?.detail ?? unmined;
  const given = `${reason} It is given up: an empty transaction is sent that takes its nonce.`;
  return why === null || why === reason ? given : `${given} ${why}`;
}

/**
 * Decides what comes of an overdue action, where the ledger does not ask more for it than is signed.
 * @param raises how often what is shown, offers enough and is not mined is raised before it is given up
 */
export function decideReplacement(
  overdue: OverdueHead,
  patience: Patience,
  raises: number,
): ReplacementDecision {
  const { action, watch, isNext, shown, asked, now } = overdue;
  const { attempts } = action;
  const wait = asked?.status === 'wait' ? asked.problem : undefined;
  const what = findingOf(shown, wait);
  const found = remember(watch, what, attempts.length, now);
  const detail = detailOf(what, shown?.problem, wait);
  const nothing: ReplacementDecision = { detail, next: null, otherwise: null };
  const only = (next: Replacement): ReplacementDecision => ({ ...nothing, next });
  // Behind another one it is late through no fault of its own.
  if (!isNext || attempts.length >= mostAttempts) return nothing;
  const reason: ReplacementReason = { type: 'dropped', detail: detail ?? unmined };
  const noop = { action, kind: 'noop', raise: 'always', reason } as const;
  const released = releaseOf(action);
  const newest = attempts.at(-1);
  if (isClosing(attempts)) {
    // Each costs more than the one before: the time between them is doubled.
    const raised = attempts.filter(({ kind }) => kind === 'noop').length - 1;
    const isOver = patience.times(released, now) >= 2 ** raised;
    const isMute = what === 'unknown' || (what === 'enough' && !patience.hadBlocks(released, now));
    return isOver && !isMute ? only({ ...noop, reason: newest?.reason ?? reason }) : nothing;
  }
  if (shown?.hopeless === true) return only(noop);
  // The first patience after a transaction is the ledger's to take it; where it was raised without being asked to, or
  // became the first of the account later, that is over.
  const isFresh = released.at > watch.since.at;
  const since = isFresh ? released : watch.since;
  const spent = patience.times(since, now) - (isFresh && newest?.reason?.type !== 'unmined' ? 1 : 0);
  const isSettled = (from: Moment | null) => from !== null && now.at - from.at >= patience.settling;
  switch (what) {
    case 'unknown':
      return nothing;
    case 'absent':
      return spent >= 1 && isSettled(found.absentSince) ? only(noop) : nothing;
    case 'troubled':
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

/** A fee that is too high for the time being says more than that the nodes have let go of what offers less. */
function findingOf(shown: Inspected | undefined, wait: AdapterProblem | undefined): Finding {
  if (wait?.code === 'fee-above-cap') return 'troubled';
  if (shown === undefined || shown.status === 'unknown') return wait === undefined ? 'unknown' : 'troubled';
  if (shown.status === 'absent') return 'absent';
  return shown.problem !== undefined || wait !== undefined ? 'troubled' : 'enough';
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
