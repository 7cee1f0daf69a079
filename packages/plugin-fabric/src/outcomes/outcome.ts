import type { AdapterProblem, JsonObject, Outcome } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/base/backoff';
import { blockName } from '../blocks/cursor.ts';
import { isConflict, isValid, validationCodeName } from '../blocks/validation-code.ts';
import type { Peer } from '../gateway/peer.ts';
import { detailsOf, type TransactionContent } from '../gateway/transaction-content.ts';
import { type DeployPlan, type Plan, planFromJson, planToJson } from '../plan.ts';
import type { Timing } from '../timing.ts';

/** A transaction in a block. */
export interface CommittedTransaction {
  txId: string;
  channel: string;
  block: number;
  /** `TxValidationCode`. */
  code: number;
}

/** A transaction in a block, as reported by one peer. */
export type PeerClaim = CommittedTransaction & { peer: Peer };

/**
 * Maximum number of retries of a deployment step. Few are needed, because a step also succeeds if another organization
 * has committed it.
 */
const deploymentTries = 5;
const meanings: Readonly<Record<string, string>> = {
  MVCC_READ_CONFLICT: 'data that it read was changed in the meantime',
  PHANTOM_READ_CONFLICT: 'a range that it read was changed in the meantime',
  ENDORSEMENT_POLICY_FAILURE: 'its endorsements do not satisfy the endorsement policy of the chaincode',
  EXPIRED_CHAINCODE: 'the chaincode definition was replaced in the meantime',
  CHAINCODE_VERSION_CONFLICT: 'the chaincode definition was replaced in the meantime',
  BAD_CREATOR_SIGNATURE: 'its signature is not valid',
};

/** Returns the outcome of a valid transaction. */
export function validOutcome(
  committed: CommittedTransaction,
  content: TransactionContent,
  json: JsonObject | undefined,
): Outcome {
  const { txId, channel, block } = committed;
  const at = { txId, height: block, blockHash: blockName(channel, block) };
  const plan = json === undefined ? undefined : planFromJson(json, 'confirm');
  if (plan === undefined || plan.step === 'call') {
    return { ...at, status: 'succeeded', details: { ...detailsOf(content), channel, block } };
  }
  if (plan.step === 'approve' && plan.committed !== true) {
    const detail = `The definition ${plan.sequence} of ${plan.name} is approved. Next: commit it.`;
    const next = planToJson({ ...plan, step: 'commit' });
    return { ...at, status: 'continue', plan: next, detail };
  }
  return { ...at, ...deployed(plan) };
}

/**
 * Returns the outcome of a step that is not a transaction: a package was installed, or there was no further
 * step.
 */
export function doneOutcome(txId: string, json: JsonObject, channel: string, next: number): Outcome {
  const plan = planFromJson(json, 'confirm');
  const height = Math.max(0, next - 1);
  const at = { txId, height, blockHash: blockName(channel, height) };
  if (plan.step === 'call') throw new TypeError('A call has only one transaction.');
  if (plan.committed === true) return { ...at, ...deployed(plan) };
  const { package: _, ...rest } = plan;
  return {
    ...at,
    status: 'continue',
    plan: planToJson({ ...rest, step: 'approve' }),
    detail:
      'The chaincode package is installed on the peers of the organization. Next: approve its definition.',
  };
}

function deployed({ channel, name, version, label, packageId, sequence = 0, committed }: DeployPlan) {
  const details: JsonObject = { packageId, label, name, version, sequence };
  if (committed === true) details.alreadyCommitted = true;
  return { status: 'succeeded' as const, contractAddress: `${channel}/${name}`, details };
}

/**
 * Returns the outcome of an invalid transaction: the action fails or, after a conflict, is proposed again.
 * @param tries maximum number of new proposals, set by the ledger's owner
 */
export function invalidOutcome(
  committed: CommittedTransaction,
  json: JsonObject | undefined,
  tries: number,
  endorsers: readonly string[] | undefined,
  timing: Timing['conflict'],
): Outcome {
  const { txId, channel, block, code } = committed;
  const at = { txId, height: block, blockHash: blockName(channel, block) };
  const again =
    isConflict(code) && json !== undefined ? nextTry(planFromJson(json, 'confirm'), tries) : undefined;
  if (again === undefined) {
    return {
      ...at,
      status: 'failed',
      problem: invalidated(committed, endorsers),
      details: { channel, block },
    };
  }
  const detail = `${validationCodeName(code)} in block ${block}: the transaction is proposed again (conflict ${again.conflicts}).`;
  return {
    ...at,
    status: 'continue',
    plan: planToJson(again),
    detail,
    delay: delayOf(again.conflicts ?? 1, timing),
  };
}

function nextTry(plan: Plan, tries: number): Plan | undefined {
  const conflicts = (plan.conflicts ?? 0) + 1;
  return conflicts > (plan.step === 'call' ? tries : deploymentTries) ? undefined : { ...plan, conflicts };
}

/**
 * Delay before the retry, in milliseconds. It grows with each retry and is random, so that conflicting
 * actions do not conflict again.
 */
function delayOf(conflicts: number, { least, random }: Timing['conflict']): number {
  return Math.round(least + Math.random() * backoff(conflicts, random));
}

/** Returns the problem of an invalid transaction. */
export function invalidated(
  { txId, channel, block, code }: CommittedTransaction,
  endorsers?: readonly string[],
): AdapterProblem {
  const validationCode = validationCodeName(code);
  const meaning = meanings[validationCode];
  const data: JsonObject = { validationCode, channel, block };
  if (endorsers !== undefined) data.endorsers = [...endorsers];
  const by = endorsers === undefined ? '' : ` It was endorsed by ${endorsers.join(', ') || 'nobody'}.`;
  return {
    code: 'invalidated',
    phase: 'confirm',
    txId,
    detail: `Block ${block} of ${channel} marks the transaction as invalid: ${validationCode}${meaning === undefined ? '' : ` (${meaning})`}. Nothing was written.${by}`,
    data,
  };
}

/** Whether an outcome depends on the plan that is stored with the signed bytes. */
export function needsPlan(
  committed: CommittedTransaction,
  chaincode: string | undefined,
  tries: number,
): boolean {
  return chaincode === '_lifecycle' || (!isValid(committed.code) && isConflict(committed.code) && tries > 0);
}
