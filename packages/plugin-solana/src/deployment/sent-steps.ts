import type { Outcome } from '@ledger-ops/adapter';
import type { SignedStep } from '../transactions/signed.ts';
import { deploymentFromJson, deploymentToJson } from './deployment.ts';

/** Steps of deployments that this session sent: a host sends again after a restart what has no outcome. */
export interface SentSteps {
  remember(txId: string, step: SignedStep | undefined): void;
  /** Undefined: not sent by this session. Null: it is no step of a deployment. */
  find(txId: string): SignedStep | null | undefined;
}

const mostSent = 20_000;

export function createSentSteps(): SentSteps {
  const sent = new Map<string, SignedStep | null>();
  return {
    remember(txId, step) {
      sent.delete(txId);
      const [oldest] = sent.keys();
      if (sent.size >= mostSent && oldest !== undefined) sent.delete(oldest);
      sent.set(txId, step ?? null);
    },
    find: (txId) => sent.get(txId),
  };
}

type Ended = Extract<Outcome, { status: 'succeeded' | 'failed' }>;

/** Failures in a row before the deployment has failed. */
const mostFailures = 3;

const done = {
  create: 'The buffer of the program is made; its code is written next.',
  write: 'Code of the program is written; what may be missing is written next, or else it is deployed.',
} as const;

/** The outcome of a step for its action. What failed before the last step, a node that was behind can have caused. */
export function outcomeOfStep(outcome: Ended, step: SignedStep): Outcome {
  if (step.kind === 'nonce') return outcome;
  const { kind, program, plan } = step;
  if (kind === 'deploy') {
    return outcome.status === 'succeeded' ? { ...outcome, contractAddress: program } : outcome;
  }
  const deployment = deploymentFromJson(plan);
  const failures = outcome.status === 'failed' ? (deployment?.failures ?? 0) + 1 : 0;
  if (deployment === undefined || failures > mostFailures) return outcome;
  const { txId, height, blockHash } = outcome;
  return {
    ...{ txId, height, blockHash, status: 'continue' },
    plan: deploymentToJson({ ...deployment, failures }),
    detail: outcome.status === 'failed' ? `A step failed: ${outcome.problem.detail}` : done[kind],
    executed: true,
  };
}
