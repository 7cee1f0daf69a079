import type { ResolvedOperation } from './check.ts';
import type { AdapterProblem } from './problem.ts';
import type { Json, JsonObject } from './values.ts';
import type { WalletIdentity } from './wallets.ts';

export interface EmulateRequest {
  wallet?: WalletIdentity;
  operation: ResolvedOperation;
  /**
   * The caller may call contracts that belong to the ledger itself and show everything on it. Absent: an adapter whose
   * ledger has such contracts refuses calls of them as `system-contract`, before anything is asked of the ledger.
   */
  systemContracts?: boolean;
}

export interface Emulated {
  /** Decoded result of a call; null where there is none. */
  result: Json;
  /** Estimated fee in native currency, where a wallet is given. */
  fee?: bigint;
  /** Ledger-specific figures such as `gas`; `identity`, where it matters who asked. */
  figures?: JsonObject;
}

export interface LookupResult {
  txId: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  height?: number;
  blockHash?: string;
  contractAddress?: string;
  problem?: AdapterProblem;
  /** The ledger's own receipt, JSON. */
  receipt?: Json;
}

export interface ChainIdentity {
  /** Chain-agnostic id (CAIP-2 style): `acorn:main`. Two ledger records of one chain share it. 128 characters at most. */
  id: string;
  /** Hash of the first block, or any text that tells it. Another one under the same id is another chain: it was reset. */
  genesis: string;
  /**
   * Answering `everyNode`: which nodes could not be asked, or do not have the whole chain yet, for people. Absent:
   * all of them say this.
   */
  unsure?: string;
}
