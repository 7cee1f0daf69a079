import type { ProblemName } from '@ledger-ops/base';

/** Problems of operations that fail if a ledger, or the plugin that serves it, cannot be used. */
export const ledgerProblems = [
  'no-plugin',
  'plugin-fault',
  'address-not-opened',
  'ledger-unavailable',
  'ledger-timeout',
] as const satisfies readonly ProblemName[];
