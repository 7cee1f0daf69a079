import type { Outcome } from '@ledger-ops/adapter';
import type { ProgramErrors } from '../idl/program-errors.ts';
import { planFromJson } from '../plan.ts';
import type { SignedStep } from '../transactions/signed.ts';
import { deploymentFromJson, deploymentToJson } from './deployment.ts';

/**
 * Data of sent transactions that is needed to interpret their outcomes. After a restart, the host passes
 * transactions without an outcome again.
 */
export interface SentSteps {
  remember(txId: string, step: SignedStep | undefined): void;
  /**
   * Returns data about a sent transaction. Undefined if this session did not send it; null if its outcome
   * needs no further data.
   */
  find(txId: string): SignedStep | null | undefined;
}

const mostSent = 20_000;
/** Maximum cached lists of program errors, which calls with the same IDL share. */
const mostShared = 256;

export function createSentSteps(): SentSteps {
  const sent = new Map<string, SignedStep | null>();
  const shared = new Map<string, SignedStep>();
  return {
    remember(txId, step) {
      keep(sent, txId, step?.kind === 'call' ? shareOf(step) : (step ?? null), mostSent);
    },
    find: (txId) => sent.get(txId),
  };

  function shareOf(step: SignedStep): SignedStep {
    const text = JSON.stringify(step);
    const one = shared.get(text) ?? step;
    keep(shared, text, one, mostShared);
    return one;
  }
}

/** Stores a value. Evicts the oldest entry if there are more than `most`. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

type Ended = Extract<Outcome, { status: 'succeeded' | 'failed' }>;

/** Number of consecutive failures after which the deployment has failed. */
const mostFailures = 3;

const done = {
  create: 'The buffer of the program has been created. Next: write its code.',
  write: "Part of the program's code has been written. Next: write the missing parts, or deploy the program.",
} as const;

/** Returns the errors of the call's IDL, which name its failure. */
export function errorsOfStep(step: SignedStep | null | undefined): ProgramErrors | undefined {
  if (step?.kind === 'call') return step.errors;
  return step?.kind === 'nonce' ? planFromJson(step.plan, 'confirm').errors : undefined;
}

/**
 * Returns the outcome of a deployment step. A step before the last one may have failed because a node was
 * behind, so it is retried.
 */
export function outcomeOfStep(outcome: Ended, step: SignedStep): Outcome {
  if (step.kind === 'nonce' || step.kind === 'call') return outcome;
  const { kind, program, plan } = step;
  if (kind === 'deploy') {
    return outcome.status === 'succeeded' ? { ...outcome, contractAddress: program } : outcome;
  }
  const deployment = deploymentFromJson(plan);
  const failures = outcome.status === 'failed' ? (deployment?.failures ?? 0) + 1 : 0;
  if (deployment === undefined || failures > mostFailures) return outcome;
  // The plugin reports the block of every transaction.
  const { txId, height = 0, blockHash = '' } = outcome;
  return {
    ...{ txId, height, blockHash, status: 'continue' },
    plan: deploymentToJson({ ...deployment, failures }),
    detail: outcome.status === 'failed' ? `A step failed: ${outcome.problem.detail}` : done[kind],
    executed: true,
  };
}
