import type { NativeContent } from '@ledger-ops/glo-core';
import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';
import type { WalletIdentity } from './wallets.ts';

/** Native content after precedence; `version` of the meta that it stood in, absent where there was none. */
export interface ResolvedContent extends NativeContent {
  version?: string;
}

/** An operation whose locators the host has resolved to the ledger's own addresses. `data`: as its technology writes it. */
export type ResolvedOperation =
  | {
      type: 'transfer';
      recipient: string;
      /** Other names of the recipient's account, where it is a wallet of the host's. */
      recipientAliases?: string[];
      amount: bigint;
      data?: string;
      native: ResolvedContent;
    }
  | {
      type: 'contract_call';
      /** `address` null: still to be deployed. What can be is checked; the plan says nothing, for it is checked again. */
      contract: { address: string | null; interface?: string };
      method?: { name: string; args: string[] };
      data?: string;
      value: bigint;
      native: ResolvedContent;
    }
  | {
      type: 'contract_deploy';
      /** Absent when `data` holds the whole creation code. */
      source?: ContractSource;
      args: string[];
      data?: string;
      value: bigint;
      native: ResolvedContent;
    };

/** A template's compiled output, its code as the description says. `resource`: `<template id>:<version>`. */
export interface ContractSource {
  interface: string;
  code: string;
  resource?: string;
}

export interface CheckRequest {
  wallet: WalletIdentity;
  /** The other wallets that the operation names (`x-wallet`), each once; the content has their addresses. Absent: none. */
  others?: WalletIdentity[];
  operation: ResolvedOperation;
}

/** An operation that passed the check. */
export interface Checked {
  plan: JsonObject;
  /** The part of the plan that may not be stored in the clear: kept sealed while it can be signed, and given back with `prepare`. */
  secret?: JsonObject;
  /** Normalised addresses of other accounts that receive something by it. */
  recipients: string[];
  /** A sequence that the caller demanded; the host refuses it unless it is the next free one. */
  sequence?: bigint;
  /** `ready`: can be prepared at once. `estimate`: is estimated first. */
  readiness: 'ready' | 'estimate';
  /** The most native currency that it can take from the wallet, as far as it is known. */
  cost: bigint;
  /** The most that it can take from others of the request, by address, as far as it is known. */
  costs?: { address: string; amount: bigint }[];
}

export interface EstimateRequest {
  wallet: WalletIdentity;
  plan: JsonObject;
  /** Height that the answering node must have reached: the blocks of the action's dependencies. */
  minHeight: number;
}

/** `cost` absent: what `check` said. `failed`: would fail now, after what the node knows. `wait`: ask again later. */
export type Estimated =
  | { status: 'ready'; plan: JsonObject; cost?: bigint }
  | { status: 'failed' | 'wait'; problem: AdapterProblem };
