import { nonceClaim, type Outcome } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { Problem, type ProblemDocument } from '@ledger-ops/base';
import { toProblem } from '../../adapter-problem.ts';
import { blockTimeOf } from '../../block-time.ts';
import { cancelled } from '../../rows/actions/change-requests.ts';
import { neededBy } from '../../rows/attempts/claims.ts';
import {
  type Attempt,
  type Continuation,
  failure,
  type LiveAction,
  possiblyExecuted,
  type Settlement,
  type Superseded,
} from '../../rows/model.ts';
import type { FollowedActions } from './followed-actions.ts';
import type { Tracker } from './tracker.ts';

/** Maximum length of a transaction id quoted in a message. */
const longestId = 200;

/** What follows from the outcomes of transactions: completed actions, and actions that need another transaction. */
export interface ActionOutcomes {
  settlements: Settlement[];
  continuations: Continuation[];
  /** Actions whose nonces or claims other transactions used. */
  taken: TakenAction[];
  /** Descriptions of impossible outcomes, which are faults of the plugin. The actions stay pending. */
  impossible: { action: LiveAction; detail: string }[];
}

/**
 * An action whose transactions can no longer be executed, because another transaction (`by`, if known) used its
 * nonce, or its claim if `sequence` is null.
 */
export interface TakenAction {
  readonly action: LiveAction;
  readonly sequence: number | null;
  readonly by: string | undefined;
  /** The failure with which the action completes if the other transaction did not execute it. */
  readonly end: Settlement;
  /** The failure with which the action completes if the other transaction may have executed it. */
  readonly unsure: Settlement;
}

type Followed = Pick<Tracker, 'live' | 'actionOf'> & { readonly actions?: Pick<FollowedActions, 'needing'> };

/**
 * Converts transaction outcomes to action outcomes. At most one of an action's attempts can be mined.
 * @param lost transactions of finished actions that can no longer be executed
 */
export function actionOutcomes(
  tracker: Followed,
  outcomes: readonly Outcome[],
  lost: ReadonlySet<string> = new Set(),
): ActionOutcomes {
  const ends = new Map<string, Settlement>();
  const continuations = new Map<string, Continuation>();
  const expired = new Map<string, Set<string>>();
  const impossible = new Map<LiveAction, string>();
  const superseded = new Set<LiveAction>();
  for (const outcome of outcomes) {
    const entry = tracker.actionOf(outcome.txId);
    if (entry === undefined) continue;
    const { action, attempt } = entry;
    if (outcome.status === 'superseded') {
      const { claim, by } = outcome;
      if (!claimsOf(action, attempt, by).includes(claim)) impossible.set(action, unclaimed(attempt, claim));
      else {
        attempt.superseded = { claim, ...(by === undefined ? {} : { by }) };
        superseded.add(action);
      }
      continue;
    }
    if (outcome.status === 'expired') {
      const fault = faultOfExpiry(action, attempt, outcome.height);
      if (fault !== null) impossible.set(action, fault);
      else expired.set(action.id, (expired.get(action.id) ?? new Set()).add(outcome.txId));
      continue;
    }
    if (outcome.status === 'continue') {
      const mayStillExecute = canReturn(attempt, outcome, action.attempts.length);
      // A newer transaction of the action may still be executed, although the plugin wants to continue after this one.
      if (mayStillExecute && attempt !== action.attempts.at(-1)) continue;
      continuations.set(action.id, {
        actionId: action.id,
        txId: outcome.txId,
        plan: outcome.plan,
        detail: outcome.detail,
        executed: outcome.executed === true,
        mayStillExecute,
        delay: outcome.delay ?? 0,
      });
      continue;
    }
    const base = {
      actionId: action.id,
      signed: true,
      locator: outcome.locator ?? outcome.txId,
      height: outcome.height ?? null,
      blockTime: blockTimeOf(outcome.blockTime),
      fee: outcome.fee?.toString() ?? null,
      details: outcome.details === undefined ? null : JSON.stringify(outcome.details),
      contractAddress: null,
    };
    if (outcome.status === 'failed') {
      ends.set(action.id, { ...base, status: 'FAILED', problem: toProblem(outcome.problem).toDocument() });
    } else if (attempt.kind === 'noop') {
      ends.set(action.id, { ...base, status: 'FAILED', problem: closed(action, attempt) });
    } else {
      const contractAddress = outcome.contractAddress ?? null;
      ends.set(action.id, { ...base, status: 'SUCCEEDED', contractAddress, problem: null });
    }
  }
  const taken = new Map<string, TakenAction>();
  const endSuperseded = (action: LiveAction) => {
    if (ends.has(action.id)) return;
    const end = supersededEnd(action, notExecuted);
    const unsure = supersededEnd(action, maybeExecuted);
    if (end === null || unsure === null) return;
    if (takersOf(action).length === 0) ends.set(action.id, end);
    else taken.set(action.id, { action, sequence: action.sequence, by: takerOf(action), end, unsure });
  };
  for (const action of superseded) endSuperseded(action);
  // This is repeated, because further transactions may need those of the actions that it completes.
  for (
    let orphans = orphansOf(tracker, ends, lost);
    orphans.length > 0;
    orphans = orphansOf(tracker, ends, lost)
  )
    for (const action of orphans) endSuperseded(action);
  for (const [id, txIds] of expired) {
    const action = tracker.live.get(id);
    // While one of the action's transactions may still be executed, none other is signed.
    if (action === undefined || continuations.has(id) || txIds.size < action.attempts.length) continue;
    const [txId = ''] = txIds;
    const detail = expiredText(txId, tracker.actionOf(txId)?.attempt);
    continuations.set(id, {
      actionId: id,
      txId,
      plan: null,
      detail,
      executed: false,
      mayStillExecute: false,
      delay: 0,
    });
  }
  for (const id of [...ends.keys(), ...taken.keys()]) continuations.delete(id);
  return {
    settlements: [...ends.values()],
    continuations: [...continuations.values()],
    taken: [...taken.values()],
    impossible: [...impossible].map(([action, detail]) => ({ action, detail })),
  };
}

/**
 * Marks live transactions as superseded if they need a transaction that can no longer be executed, because
 * another transaction used its claim or completed its action. Returns their actions.
 */
function orphansOf(
  tracker: Followed,
  ends: ReadonlyMap<string, Settlement>,
  lost: ReadonlySet<string>,
): LiveAction[] {
  const isLost = (txId: string) => {
    const needed = tracker.actionOf(txId);
    if (needed === undefined) return lost.has(txId);
    const end = ends.get(needed.action.id);
    return needed.attempt.superseded !== undefined || (end !== undefined && end.locator !== txId);
  };
  return [...(tracker.actions?.needing ?? [])].flatMap(({ action, attempt }) => {
    const needs = attempt.superseded === undefined ? neededBy([attempt]).find(isLost) : undefined;
    if (needs === undefined) return [];
    attempt.superseded = { needs };
    return action;
  });
}

/**
 * Returns the failure of an action whose transactions are all superseded; null if one of them may still be executed.
 */
function supersededEnd({ id, address, sequence, attempts }: LiveAction, advice: Advice): Settlement | null {
  const last = attempts.at(-1)?.superseded;
  if (last === undefined || attempts.some((attempt) => attempt.superseded === undefined)) return null;
  const cause = takersOf({ attempts }).at(-1) ?? last;
  const by = 'by' in cause ? cause.by : undefined;
  return failure(
    id,
    true,
    sequence === null ? claimTaken(cause, advice) : nonceTaken(address, sequence, by, advice),
  );
}

/** Advice for the user about the transaction that used the nonce or claim of an action. */
interface Advice {
  readonly text: string;
  readonly extensions: Record<string, unknown>;
}

const notExecuted: Advice = { text: 'Nothing was executed; send the action again.', extensions: {} };
const maybeExecuted: Advice = {
  text: 'This service does not know that transaction, which may have executed the action. Compare it with the action before you send the action again.',
  extensions: possiblyExecuted,
};

/** Returns, for each transaction of an action, the claim that another transaction used, if any. */
function takersOf({ attempts }: Pick<LiveAction, 'attempts'>) {
  return attempts.flatMap(({ superseded }) =>
    superseded !== undefined && 'claim' in superseded ? [superseded] : [],
  );
}

/** Returns the transaction that used the nonce or claim of an action, if known. */
function takerOf(action: LiveAction): string | undefined {
  return takersOf(action).flatMap(({ by }) => by ?? [])[0];
}

/** Whether a transaction may still be executed after a reorg, although the action continues with another one. */
function canReturn(
  { claims = [] }: Attempt,
  { executed, expired }: Extract<Outcome, { status: 'continue' }>,
  attempts: number,
): boolean {
  if (executed === true || claims.length === 0) return false;
  return expired !== true || attempts > 1;
}

/**
 * Returns the claims of the attempt and of the transactions that it needs, except those of the transaction `by`. If
 * another transaction uses one of these claims, the attempt can never be executed.
 */
function claimsOf(
  { sequence }: LiveAction,
  { claims = [], needs = [] }: Attempt,
  by: string | undefined,
): readonly string[] {
  if (sequence !== null) return [nonceClaim(sequence)];
  return [...claims, ...needs.filter(({ txId }) => txId !== by).flatMap((one) => one.claims)];
}

function unclaimed({ txId }: Attempt, claim: string): string {
  return `The ledger plugin reports that another transaction used ${plainWords(claim, longestId)}, but the transaction ${plainWords(txId, longestId)} does not claim it, and no transaction that it needs claims it. This is a fault of the plugin, so the action keeps waiting.`;
}

/** Returns why a transaction cannot have expired; null if it can have expired. */
function faultOfExpiry(
  { sequence }: LiveAction,
  { txId, validUntil }: Attempt,
  height: number,
): string | null {
  if (validUntil !== undefined && sequence === null && height > validUntil) return null;
  const why =
    validUntil === undefined || sequence !== null
      ? 'does not expire'
      : `is valid until height ${validUntil} and the reported height is ${height}`;
  return `The ledger plugin reports that the transaction ${plainWords(txId, longestId)} expired, although it ${why}. This is a fault of the plugin, so no replacement is signed.`;
}

function expiredText(txId: string, attempt: Attempt | undefined): string {
  return `The transaction ${plainWords(txId, longestId)} expired: it was valid until height ${attempt?.validUntil}, and the ledger passed that height without it.`;
}

function closed(action: LiveAction, attempt: Attempt): ProblemDocument {
  return action.change?.kind === 'cancel' ? cancelled(replacedBy(action)) : dropped(action, attempt);
}

/** Returns a sentence for users: that an empty transaction was mined, which proves that nothing else was executed. */
function replacedBy({ sequence }: LiveAction): string {
  const used = sequence === null ? 'spent what the action would have spent' : 'used its nonce';
  return `An empty transaction ${used}, so nothing was executed.`;
}

function dropped(action: LiveAction, { reason }: Attempt): ProblemDocument {
  const tried = action.attempts.filter(({ kind }) => kind !== 'noop').length;
  const why =
    reason?.detail ?? `The ledger did not mine any of the ${tried} transactions of the action in time.`;
  const detail = `${why} ${replacedBy(action)}`;
  return new Problem('dropped', detail).toDocument();
}

function claimTaken(superseded: Superseded, { text, extensions }: Advice): ProblemDocument {
  if ('needs' in superseded) {
    const needed = plainWords(superseded.needs, longestId);
    const detail = `The transaction ${needed}, whose result this action spends, can no longer be executed. Nothing was executed; send the action again.`;
    return new Problem('claim-taken', detail).toDocument();
  }
  const { claim, by } = superseded;
  const taker = by === undefined ? 'Another transaction' : `The transaction ${plainWords(by, longestId)}`;
  return new Problem(
    'claim-taken',
    `${taker} used ${plainWords(claim, longestId)}, which this action needs. ${text}`,
    { extensions },
  ).toDocument();
}

function nonceTaken(
  address: string,
  sequence: number,
  by: string | undefined,
  { text, extensions }: Advice,
): ProblemDocument {
  const taker = by === undefined ? 'A transaction' : `The transaction ${plainWords(by, longestId)}`;
  return new Problem(
    'nonce-taken',
    `${taker} from outside this service used the nonce ${sequence} of ${address}. ${text}`,
    { extensions },
  ).toDocument();
}
