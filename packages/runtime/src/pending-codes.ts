import type { AdapterErrorCode } from '@ledger-ops/adapter';

/** Why an action is pending, so that programs can tell reasons apart; each with its meaning. */
export const pendingCodes = {
  dependencies: 'Actions that it depends on have not succeeded yet.',
  suspended: 'Its ledger, its wallet or its project is suspended.',
  turn: 'It waits for its turn to be signed.',
  funds: 'Its wallet cannot pay for it.',
  'fee-cap': 'The ledger asks a higher fee than its caps allow.',
  approvals: 'Others have not approved it yet.',
  refused: 'The ledger or a node refuses it as things stand.',
  'earlier-actions': 'Earlier actions of its wallet are under way.',
  'nonce-gap': 'The ledger wants an earlier nonce of its wallet first.',
  'ledger-unavailable': 'Its ledger is not reached, or what its nodes show is in doubt.',
  'plugin-unavailable': 'The plugin that planned it does not run.',
  'plugin-fault': 'Its plugin is at fault.',
  'next-transaction': 'One of its transactions is over, and another one follows.',
  confirmation: 'It is signed and sent, and waits for the ledger.',
  late: 'The ledger has not taken it in its time.',
  expiring: 'Its transaction expires soon, or has, and may be replaced.',
  'ledger-remark': 'The ledger says of itself why it has no outcome.',
  'change-hindered': 'It was to be cancelled or hurried, and that cannot be done now.',
} as const;

export type PendingCode = keyof typeof pendingCodes;

/** A reason, for programs and for people. */
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

/** The code of what an adapter reported. */
export function pendingCodeOf({ code }: { code: AdapterErrorCode }): PendingCode {
  return special[code] ?? 'refused';
}

/** A code as its column has it; null: nothing is told, or it is of another version. */
export function readPendingCode(text: string | null): PendingCode | null {
  return text !== null && isPendingCode(text) ? text : null;
}

function isPendingCode(text: string): text is PendingCode {
  return Object.hasOwn(pendingCodes, text);
}
