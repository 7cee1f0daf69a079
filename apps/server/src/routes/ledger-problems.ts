import type { ProblemName } from '@ledger-ops/base';

/** Problems of operations that query a node before it is recorded. */
export const nodeProblems = [
  'no-plugin',
  'plugin-fault',
  'address-not-opened',
  'ledger-unavailable',
  'ledger-timeout',
] as const satisfies readonly ProblemName[];
