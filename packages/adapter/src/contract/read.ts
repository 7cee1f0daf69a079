import type { ResolvedOperation } from './check.ts';
import type { AdapterProblem } from './problem.ts';
import type { Json, JsonObject } from './values.ts';
import type { WalletIdentity } from './wallets.ts';

export interface EmulateRequest {
  wallet?: WalletIdentity;
  operation: ResolvedOperation;
  /** Contracts of the ledger itself may be called. Else they are refused as `system-contract` before anything is asked. */
  systemContracts?: boolean;
}

/** `result`: decoded, null where there is none; `fee`: where a wallet is given; `figures`: such as `gas`, `identity`. */
export interface Emulated {
  result: Json;
  fee?: bigint;
  figures?: JsonObject;
}

/** `receipt`: the ledger's own. */
export interface LookupResult {
  txId: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  height?: number;
  blockHash?: string;
  /** Of a block at depth, as `confirm` tells them: in ms since the epoch, and in native currency. */
  blockTime?: number;
  fee?: bigint;
  contractAddress?: string;
  problem?: AdapterProblem;
  receipt?: Json;
}

export interface ChainIdentity {
  /** Chain-agnostic id (CAIP-2 style): `acorn:main`. Two ledger records of one chain share it. 128 characters at most. */
  id: string;
  /** Hash of the first block, or any text that tells it. Another one under the same id: the chain was reset. */
  genesis: string;
  /** With `everyNode`, for people: nodes that could not be asked, or do not have the whole chain yet. */
  unsure?: string;
}
