import { AdapterError, adapterError, type JsonObject } from '@ledger-ops/adapter';
import { classify, problemOf } from '../gateway/errors.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { DeployPlan } from '../plan.ts';
import type { Definitions } from './definitions.ts';
import { missingApprovals } from './lifecycle.ts';

/**
 * Returns the problem of a deployment step that the chaincode lifecycle refused. Peers receive blocks at
 * different times, so the peer that refused may have an older or newer state than the one that was queried
 * before. Such a step is retried later. The messages are those of Fabric 2.5 and 3 (core/chaincode/lifecycle,
 * lifecycle.go and scc.go).
 */
export function stepRefused(refusal: PeerError, plan: DeployPlan, txId: string): AdapterError {
  const problem = problemOf(refusal, phase, txId);
  if (!isOfAnotherState(refusal, plan)) return new AdapterError(problem, { cause: refusal });
  const detail = `The peers do not all have the same blocks of ${plan.channel} yet. ${problem.detail}`;
  const data: JsonObject = { ...problem.data, failure: 'behind' };
  return new AdapterError({ ...problem, code: 'unavailable', detail, data }, { cause: refusal });
}

/**
 * Returns the problem of a refused commit. If approvals are missing, the step waits for them
 * (`approvals-missing`).
 */
export async function commitRefused(
  refusal: PeerError,
  plan: DeployPlan,
  txId: string,
  definitions: Definitions,
): Promise<AdapterError> {
  if (isOfAnotherState(refusal, plan)) return stepRefused(refusal, plan, txId);
  const { sequence = 1, name, channel, packageId } = plan;
  let missing: string[];
  try {
    missing = await missingApprovals(plan, sequence, definitions);
  } catch (error) {
    if (error instanceof PeerError) return stepRefused(error, plan, txId);
    throw error;
  }
  // If all organizations have approved, some peers still lack the block with the last approval.
  const organizations = missing.length > 0 ? missing : notAgreedOn(refusal);
  if (organizations.length === 0) return stepRefused(refusal, plan, txId);
  const why =
    missing.length > 0
      ? 'can be committed after these organizations have approved it, by deploying the same package and definition'
      : 'is approved, and can be committed when the peers of these organizations have received the block with the approval';
  const detail = `Waiting for approvals of ${organizations.join(', ')}: definition ${sequence} of ${name} on ${channel} ${why}.`;
  const data: JsonObject = { ...problemOf(refusal, phase, txId).data, organizations, packageId, sequence };
  return adapterError('approvals-missing', detail, { phase, txId, data, cause: refusal });
}

/**
 * Whether an approval was refused because the organization already approved exactly this definition, which is
 * not committed yet.
 */
export function isApprovedAlready(refusal: PeerError): boolean {
  return /attempted to redefine uncommitted sequence \(\d+\) for namespace .* with unchanged content/.test(
    wordsOf(refusal),
  );
}

const phase = 'prepare';
const otherSequence =
  /requested sequence is \d+, but new definition must be sequence \d+|currently defined sequence \d+ is larger than requested sequence \d+|requested sequence \d+ is larger than the next available sequence number \d+/;

/**
 * Whether the queried peers may have different blocks. Peers with the same blocks agree on the next sequence
 * and on the result.
 */
function isOfAnotherState(refusal: PeerError, { step, committed }: DeployPlan): boolean {
  if (classify(refusal).kind === 'mismatch') return true;
  const words = wordsOf(refusal);
  if (otherSequence.test(words)) return true;
  if (step !== 'approve' || !/attempted to redefine the current committed sequence/.test(words)) return false;
  // Does not retry, because the committed definition may differ in parts that are not compared, such as
  // collections.
  return committed !== true || !/with different parameters/.test(words);
}

/** Returns the organizations whose peers report that their own approval is missing. */
function notAgreedOn({ details }: PeerError): string[] {
  const found = details.flatMap(
    ({ message }) => /chaincode definition not agreed to by this org \(([^)]+)\)/.exec(message)?.[1] ?? [],
  );
  return [...new Set(found)].toSorted();
}

function wordsOf(refusal: PeerError): string {
  return classify(refusal).chaincode?.message ?? '';
}
