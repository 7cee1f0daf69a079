import type { AdapterErrorCode } from '@ledger-ops/adapter';

/** Codes of the reasons why an action is pending, each with its meaning. */
export const pendingCodes = {
  dependencies: 'Actions that this action depends on have not succeeded yet.',
  suspended: "The action's ledger, wallet or project is suspended.",
  turn: 'The action is waiting to be signed.',
  funds: 'The wallet cannot pay for the action.',
  'fee-cap': 'The ledger requires a higher fee than the fee caps allow.',
  approvals: 'The action needs approvals from other organizations.',
  refused: 'The ledger or a node rejects the action at the moment.',
  'earlier-actions': 'Earlier actions of the wallet are still pending.',
  'nonce-gap': 'The ledger is waiting for an earlier nonce from the same wallet.',
  'ledger-unavailable': 'The ledger cannot be reached, or its nodes disagree.',
  'plugin-unavailable': 'The plugin that planned the action is not running.',
  'plugin-fault': "The ledger's plugin has a fault.",
  'next-transaction': "One of the action's transactions is finished, and another one follows.",
  confirmation: 'The action is signed and sent, and waits for the ledger.',
  late: 'The ledger has not confirmed the action in time.',
  expiring: 'The transaction has expired or is about to expire, and may be replaced.',
  'ledger-remark': 'The ledger reports why the action has no outcome yet.',
  'change-hindered': 'A request to cancel the action or raise its fee cannot be carried out at the moment.',
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

/** Returns the code of the pending reason for an adapter's problem. */
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
