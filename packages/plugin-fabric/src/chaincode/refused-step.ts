import { AdapterError, adapterError, type JsonObject } from '@ledger-ops/adapter';
import { classify, problemOf } from '../gateway/errors.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { DeployPlan } from '../plan.ts';
import type { Definitions } from './definitions.ts';
import { missingApprovals } from './lifecycle.ts';

/**
 * The problem of a deployment's step that the chaincode lifecycle refused. Peers take up blocks one after the other, so
 * that a refusal may come of a state that is older, or newer, than the one that was asked before: such a step is
 * tried again later. The texts are those of Fabric 2.5 and 3 (core/chaincode/lifecycle, lifecycle.go and scc.go).
 */
export function stepRefused(refusal: PeerError, plan: DeployPlan, txId: string): AdapterError {
  const problem = problemOf(refusal, phase, txId);
  if (!isOfAnotherState(refusal, plan)) return new AdapterError(problem, { cause: refusal });
  const detail = `The peers do not have the same blocks of ${plan.channel} yet. ${problem.detail}`;
  const data: JsonObject = { ...problem.data, failure: 'behind' };
  return new AdapterError({ ...problem, code: 'unavailable', detail, data }, { cause: refusal });
}

/** The same of a commit, which waits for approvals (`approvals-missing`) where it was refused for them. */
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
  // The approval of who refused may have come since, or stand in a block that only its own peer does not have yet.
  const organizations = missing.length > 0 ? missing : notAgreedOn(refusal);
  if (organizations.length === 0) return stepRefused(refusal, plan, txId);
  const why =
    missing.length > 0
      ? 'can be committed when these organizations have approved it, by deploying the same package and definition'
      : 'is approved, and can be committed when the peers of these organizations have the block that says so';
  const detail = `Waiting for approvals of ${organizations.join(', ')}: definition ${sequence} of ${name} on ${channel} ${why}.`;
  const data: JsonObject = { ...problemOf(refusal, phase, txId).data, organizations, packageId, sequence };
  return adapterError('approvals-missing', detail, { phase, txId, data, cause: refusal });
}

/** Whether an approval was refused because the organization has approved just this, which is not committed yet. */
export function isApprovedAlready(refusal: PeerError): boolean {
  return /attempted to redefine uncommitted sequence \(\d+\) for namespace .* with unchanged content/.test(
    wordsOf(refusal),
  );
}

const phase = 'prepare';
const otherSequence =
  /requested sequence is \d+, but new definition must be sequence \d+|currently defined sequence \d+ is larger than requested sequence \d+|requested sequence \d+ is larger than the next available sequence number \d+/;

/**
 * Whether the peers that were asked do not have the same blocks: where they have, the sequence that a step is proposed
 * with is the next one, and all of them get the same result.
 */
function isOfAnotherState(refusal: PeerError, { step, committed }: DeployPlan): boolean {
  if (classify(refusal).kind === 'mismatch') return true;
  const words = wordsOf(refusal);
  if (otherSequence.test(words)) return true;
  if (step !== 'approve' || !/attempted to redefine the current committed sequence/.test(words)) return false;
  // The committed definition may differ in parts that are not compared here, as collections: that stays so.
  return committed !== true || !/with different parameters/.test(words);
}

/** Organizations whose peers do not have their own approval. */
function notAgreedOn({ details }: PeerError): string[] {
  const found = details.flatMap(
    ({ message }) => /chaincode definition not agreed to by this org \(([^)]+)\)/.exec(message)?.[1] ?? [],
  );
  return [...new Set(found)].toSorted();
}

function wordsOf(refusal: PeerError): string {
  return classify(refusal).chaincode?.message ?? '';
}
