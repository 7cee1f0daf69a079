import type { ProblemName } from '@ledger-ops/base';

/** Types of the problems with which an action can fail. The ledger, its plugin or the engine reports them. */
export const endProblems = [
  'invalid-request',
  'unknown-method',
  'unknown-contract',
  'not-permitted',
  'unsupported-operation',
  'wrong-sender',
  'wrong-chain',
  'insufficient-funds',
  'not-preparable',
  'reverted',
  'out-of-gas',
  'certificate-invalid',
  'endorsement-failed',
  'invalidated',
  'approvals-missing',
  'ledger-unavailable',
  'ledger-timeout',
  'address-not-opened',
  'plugin-fault',
  'dependency-failed',
  'deadline-passed',
  'nonce-conflict',
  'nonce-taken',
  'claim-taken',
  'cancelled',
  'dropped',
  'expired',
  'chain-reset',
] as const satisfies readonly ProblemName[];

export type EndProblem = (typeof endProblems)[number];
