import type { AdapterErrorCode } from '@ledger-ops/adapter';

/** Codes for why an action is pending, each with its meaning. */
export const pendingCodes = {
  dependencies: 'Actions that it depends on have not succeeded yet.',
  suspended: 'Its ledger, its wallet or its project is suspended.',
  turn: 'It is waiting to be signed.',
  funds: 'Its wallet cannot pay for it.',
  'fee-cap': 'The ledger requires a higher fee than its caps allow.',
  approvals: 'It needs approvals of other organizations.',
  refused: 'The ledger or a node rejects it at the moment.',
  'earlier-actions': 'Earlier actions of its wallet are still pending.',
  'nonce-gap': 'The ledger is waiting for an earlier nonce from the same wallet.',
  'ledger-unavailable': 'Its ledger cannot be reached, or its nodes disagree.',
  'plugin-unavailable': 'The plugin that planned it is not running.',
  'plugin-fault': 'Its plugin has a fault.',
  'next-transaction': 'One of its transactions is finished, and another one follows.',
  confirmation: 'It is signed and sent, and waiting for the ledger.',
  late: 'The ledger has not confirmed it in time.',
  expiring: 'Its transaction has expired or is about to, and may be replaced.',
  'ledger-remark': 'The ledger reports why it has no outcome yet.',
  'change-hindered': 'A request to cancel it or raise its fee cannot be carried out at the moment.',
} as const;

export type PendingCode = keyof typeof pendingCodes;

/** Why an action is pending: `code` for programs, `reason` for users. */
export interface PendingReason {
  code: PendingCode;
  reason: string;
}

const special: Partial<Record<AdapterErrorCode, PendingCode>> = {
  'insufficient-funds': 'funds',
  'fee-above-cap': 'fee-cap',
  'approvals-missing': 'approvals',
  unavailable: 'ledger-unavailable',
  timeout: 'ledger-unavailable',
  'not-opened': 'ledger-unavailable',
  'wrong-chain': 'ledger-unavailable',
  'adapter-fault': 'plugin-fault',
};

/** Returns the code for an adapter's problem. */
export function pendingCodeOf({ code }: { code: AdapterErrorCode }): PendingCode {
  return special[code] ?? 'refused';
}

/** Reads a code from its column; null if the column is empty or the code is from another version. */
export function readPendingCode(text: string | null): PendingCode | null {
  return text !== null && isPendingCode(text) ? text : null;
}

function isPendingCode(text: string): text is PendingCode {
  return Object.hasOwn(pendingCodes, text);
}
