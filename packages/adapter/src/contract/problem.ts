import type { JsonObject } from './values.ts';

/** The phase of an operation in which a failure occurred. */
export type Phase =
  | ('open' | 'interface' | 'wallet' | 'check' | 'estimate')
  | ('prepare' | 'submit' | 'confirm' | 'emulate' | 'lookup');

/** Stable codes. The host maps them to problem types and HTTP statuses. */
export const adapterErrorCodes = [
  'invalid-argument', // `issues` names each value that is malformed or out of range.
  'ambiguous-method', // Several methods have that name: use the signature.
  'unknown-method',
  'unknown-contract',
  'system-contract', // The contract belongs to the ledger itself, and the emulation does not allow such calls (`systemContracts`).
  'unsupported-operation',
  'wrong-sender', // `from` is not the wallet.
  'wrong-chain', // The operation or the node is on another chain than the ledger.
  'insufficient-funds',
  'fee-above-cap',
  'reverted', // The contract reverted; `detail` contains the decoded reason.
  'out-of-gas',
  'refused', // A node refused the bytes for another reason.
  'certificate-invalid', // The certificate has expired, or is from another network or of the wrong member.
  'endorsement-failed', // Members of the ledger refused to endorse the transaction, or their endorsements differ.
  'invalidated', // The transaction is in a block but invalid; `data.validationCode` contains the reason.
  'approvals-missing', // Other members (`data.organizations`) must still approve the deployment.
  'unavailable',
  'timeout',
  'not-opened', // All nodes are at addresses that the deployer has not allowed.
  'adapter-fault', // The adapter violated the adapter interface.
] as const;

export type AdapterErrorCode = (typeof adapterErrorCodes)[number];

/** The data of an `AdapterError`. */
export interface AdapterProblem {
  code: AdapterErrorCode;
  /** One sentence: what is wrong, where, and what to do. Contains no secrets. */
  detail: string;
  /** The phase of the method that threw or returned the problem. `defineAdapter` sets this member. */
  phase?: Phase;
  txId?: string;
  /** Invalid arguments, as pointers into the operation's options (`/args/0`). */
  issues?: { pointer: string; detail: string }[];
  /** Additional data for programs, for example a decoded custom error. */
  data?: JsonObject;
  /**
   * For `unavailable`: milliseconds for which the ledger's nodes refuse requests because of rate limits. At most one
   * hour.
   */
  retryAfterMs?: number;
}
