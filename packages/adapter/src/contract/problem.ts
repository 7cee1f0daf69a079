import type { JsonObject } from './values.ts';

/** Where in an operation's way something went wrong. */
export type Phase =
  | 'open'
  | 'interface'
  | 'wallet'
  | 'check'
  | 'estimate'
  | 'prepare'
  | 'submit'
  | 'confirm'
  | 'emulate'
  | 'lookup';

/** Stable codes. The host maps them to problem types and HTTP statuses. */
export const adapterErrorCodes = [
  /** A value is malformed or out of range; `issues` says which. */
  'invalid-argument',
  /** Several methods of that name fit: name it by signature. */
  'ambiguous-method',
  'unknown-method',
  'unknown-contract',
  /** The contract belongs to the ledger itself, and the emulation does not allow it (`systemContracts`). */
  'system-contract',
  'unsupported-operation',
  /** `from` is not the wallet. */
  'wrong-sender',
  /** The chain id is not the ledger's, or the node is on another chain than configured. */
  'wrong-chain',
  'insufficient-funds',
  'fee-above-cap',
  /** The contract refused; `detail` holds the decoded reason. */
  'reverted',
  'out-of-gas',
  /** A node refused the bytes for a reason of its own. */
  'refused',
  /** The wallet's certificate is expired, foreign or of the wrong member. */
  'certificate-invalid',
  /** The ledger's members did not endorse it, or not alike. */
  'endorsement-failed',
  /** The ledger took it into a block as invalid; `data.validationCode` says why. */
  'invalidated',
  /** A deployment that other members have still to approve; `data.organizations` names them. */
  'approvals-missing',
  'unavailable',
  'timeout',
  /** All that could be asked is at addresses that the deployer of the host has not opened. */
  'not-opened',
  /** The adapter broke its contract. */
  'adapter-fault',
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
  /** For invalid arguments: where. Pointers are into the operation's options: `/args/0`, `/recipient/resource`. */
  issues?: { pointer: string; detail: string }[];
  /** More of it for programs, e.g. the decoded custom error. */
  data?: JsonObject;
}
