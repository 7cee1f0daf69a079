import type { Outcome } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { Problem, type ProblemDocument } from '@ledger-ops/base';
import { toProblem } from '../../adapter-problem.ts';
import { cancelled } from '../../rows/actions/change-requests.ts';
import {
  type Attempt,
  type Continuation,
  failure,
  type LiveAction,
  type Settlement,
} from '../../rows/model.ts';
import type { Tracker } from './types.ts';

/** Characters that are repeated of a foreign transaction's id. */
const longestId = 200;

/** Actions that ended by outcomes, and those that need another transaction. */
export interface ActionOutcomes {
  settlements: Settlement[];
  continuations: Continuation[];
  /** Outcomes that cannot be: the plugin is at fault, and the action goes on waiting. */
  impossible: { action: LiveAction; detail: string }[];
}

/** Outcomes of transactions as ends of actions. Of an action's attempts only one can be mined. */
export function actionOutcomes(
  tracker: Pick<Tracker, 'live' | 'actionOf'>,
  outcomes: readonly Outcome[],
): ActionOutcomes {
  const ends = new Map<string, Settlement>();
  const continuations = new Map<string, Continuation>();
  const expired = new Map<string, Set<string>>();
  const impossible = new Map<LiveAction, string>();
  const superseded = new Map<string, { txIds: Set<string>; by: string | undefined }>();
  for (const outcome of outcomes) {
    const entry = tracker.actionOf(outcome.txId);
    if (entry === undefined) continue;
    const { action, attempt } = entry;
    if (outcome.status === 'superseded') {
      const { txIds } = superseded.get(action.id) ?? { txIds: new Set() };
      superseded.set(action.id, { txIds: txIds.add(outcome.txId), by: outcome.by });
      continue;
    }
    if (outcome.status === 'expired') {
      const fault = faultOfExpiry(action, attempt, outcome.height);
      if (fault !== null) impossible.set(action, fault);
      else expired.set(action.id, (expired.get(action.id) ?? new Set()).add(outcome.txId));
      continue;
    }
    if (outcome.status === 'continue') {
      continuations.set(action.id, {
        actionId: action.id,
        txId: outcome.txId,
        plan: outcome.plan,
        detail: outcome.detail,
        executed: outcome.executed === true,
        delay: outcome.delay ?? 0,
      });
      continue;
    }
    const base = {
      actionId: action.id,
      signed: true,
      locator: outcome.locator ?? outcome.txId,
      height: outcome.height,
      blockTime: timeOf(outcome.blockTime),
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
  for (const [id, { txIds, by }] of superseded) {
    const action = tracker.live.get(id);
    if (action === undefined || ends.has(id) || txIds.size < action.attempts.length) continue;
    ends.set(id, failure(id, true, nonceTaken(action.address, action.sequence, by)));
  }
  for (const [id, txIds] of expired) {
    const action = tracker.live.get(id);
    // As long as one of its transactions may be executed, no other is signed.
    if (action === undefined || continuations.has(id) || txIds.size < action.attempts.length) continue;
    const [txId = ''] = txIds;
    const detail = expiredWords(txId, tracker.actionOf(txId)?.attempt);
    continuations.set(id, { actionId: id, txId, plan: null, detail, executed: false, delay: 0 });
  }
  for (const id of ends.keys()) continuations.delete(id);
  return {
    settlements: [...ends.values()],
    continuations: [...continuations.values()],
    impossible: [...impossible].map(([action, detail]) => ({ action, detail })),
  };
}

/** Null where no date can be written of it, whatever a node or plugin says. */
function timeOf(blockTime: number | undefined): number | null {
  return blockTime === undefined || Number.isNaN(new Date(blockTime).getTime()) ? null : blockTime;
}

/** Why a transaction cannot have expired; null: it can. */
function faultOfExpiry(
  { sequence }: LiveAction,
  { txId, validUntil }: Attempt,
  height: number,
): string | null {
  if (validUntil !== undefined && sequence === null && height > validUntil) return null;
  const why =
    validUntil === undefined || sequence !== null
      ? 'does not expire'
      : `is valid until height ${validUntil}, at height ${height}`;
  return `The ledger plugin says that the transaction ${plainWords(txId, longestId)} expired, which ${why}. That is a fault of the plugin; nothing is signed in its place.`;
}

function expiredWords(txId: string, attempt: Attempt | undefined): string {
  return `The transaction ${plainWords(txId, longestId)} expired: it was valid until height ${attempt?.validUntil}, which the ledger has passed without it.`;
}

function closed(action: LiveAction, attempt: Attempt): ProblemDocument {
  return action.change?.kind === 'cancel'
    ? cancelled('An empty transaction took its nonce: nothing was executed.')
    : dropped(action, attempt);
}

function dropped({ attempts }: LiveAction, { reason }: Attempt): ProblemDocument {
  const tried = attempts.filter(({ kind }) => kind !== 'noop').length;
  const why =
    reason?.detail ?? `The ledger did not mine any of the ${tried} transactions of the action in its time.`;
  const detail = `${why} An empty transaction took its nonce: nothing was executed.`;
  return new Problem('dropped', detail).toDocument();
}

function nonceTaken(address: string, sequence: number | null, by: string | undefined): ProblemDocument {
  const taker = by === undefined ? 'A transaction' : `The transaction ${plainWords(by, longestId)}`;
  return new Problem(
    'nonce-taken',
    `${taker} from outside of this service took the nonce ${sequence} of ${address}. Nothing was executed; send the action again.`,
  ).toDocument();
}
