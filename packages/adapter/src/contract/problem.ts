import type { JsonObject } from './values.ts';

/** Where in an operation's way something went wrong. */
export type Phase =
  | ('open' | 'interface' | 'wallet' | 'check' | 'estimate')
  | ('prepare' | 'submit' | 'confirm' | 'emulate' | 'lookup');

/** Stable codes. The host maps them to problem types and HTTP statuses. */
export const adapterErrorCodes = [
  'invalid-argument', // `issues` says which value is malformed or out of range.
  'ambiguous-method', // Several methods of that name fit: name it by signature.
  'unknown-method',
  'unknown-contract',
  'system-contract', // It belongs to the ledger itself, and the emulation does not allow it (`systemContracts`).
  'unsupported-operation',
  'wrong-sender', // `from` is not the wallet.
  'wrong-chain', // The operation, or the node, is on another chain than the ledger.
  'insufficient-funds',
  'fee-above-cap',
  'reverted', // The contract refused; `detail` holds the decoded reason.
  'out-of-gas',
  'refused', // A node refused the bytes for a reason of its own.
  'certificate-invalid', // Expired, foreign or of the wrong member.
  'endorsement-failed', // The ledger's members did not endorse it, or not alike.
  'invalidated', // It came into a block as invalid; `data.validationCode` says why.
  'approvals-missing', // Other members have still to approve a deployment: `data.organizations`.
  'unavailable',
  'timeout',
  'not-opened', // All that could be asked is at addresses that the host's deployer has not opened.
  'adapter-fault', // The adapter broke its contract.
] as const;

export type AdapterErrorCode = (typeof adapterErrorCodes)[number];

/** An error as data. */
export interface AdapterProblem {
  code: AdapterErrorCode;
  /** A sentence: what was wrong, where, and what to do; no secrets. */
  detail: string;
  /** Filled in by `defineAdapter`: that of the method which threw or answered it. */
  phase?: Phase;
  txId?: string;
  /** Where arguments are invalid: pointers into the operation's options (`/args/0`). */
  issues?: { pointer: string; detail: string }[];
  /** More of it for programs, e.g. the decoded custom error. */
  data?: JsonObject;
}
