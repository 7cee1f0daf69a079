import type { NativeContent } from '@ledger-ops/glo-core';
import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';
import type { WalletIdentity } from './wallets.ts';

/** Native content of an operation, after precedence. */
export interface ResolvedContent extends NativeContent {
  /** Of the meta that it stood in; absent where there was none. */
  version?: string;
}

/** An operation whose locators the host has resolved to the ledger's own addresses. */
export type ResolvedOperation =
  | {
      type: 'transfer';
      recipient: string;
      /** Other names of the recipient's account, where it is a wallet of the host's. */
      recipientAliases?: string[];
      amount: bigint;
      /** Raw data sent along, as its technology writes it, where the ledger takes it. */
      data?: string;
      native: ResolvedContent;
    }
  | {
      type: 'contract_call';
      /**
       * `address` is null while the contract is still to be deployed by another action (asked only of adapters that
       * deploy): what can be checked is
       * checked, and the plan says nothing, for the operation is checked again once the address is known.
       */
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

/** A template's compiled output. */
export interface ContractSource {
  interface: string;
  /** In the form that the description says of templates. */
  code: string;
  /** How the caller named it: `<template id>:<version>`. */
  resource?: string;
}

export interface CheckRequest {
  wallet: WalletIdentity;
  operation: ResolvedOperation;
}

/** An operation that passed the check. */
export interface Checked {
  plan: JsonObject;
  /**
   * The part of the plan that may not be stored in the clear. Kept sealed for as long as the action can still be
   * signed, and given back with `prepare`.
   */
  secret?: JsonObject;
  /** Normalised addresses of other accounts that receive something by it. */
  recipients: string[];
  /** A sequence that the caller demanded; the host refuses it unless it is the next free one. */
  sequence?: bigint;
  /**
   * `ready`: everything is known, it can be prepared at once. `estimate`: call `estimate` first.
   */
  readiness: 'ready' | 'estimate';
  /** The most native currency that it can take from the wallet, as far as it is known. */
  cost: bigint;
}

export interface EstimateRequest {
  wallet: WalletIdentity;
  plan: JsonObject;
  /** Height that the answering node must have reached: the blocks of the action's dependencies. */
  minHeight: number;
}

export type Estimated =
  /** `cost` absent: what `check` said. */
  | { status: 'ready'; plan: JsonObject; cost?: bigint }
  /** Would fail if it were executed now, after what the node knows. */
  | { status: 'failed'; problem: AdapterProblem }
  /** Cannot be said or done now (node down, fee above the cap): ask again later. */
  | { status: 'wait'; problem: AdapterProblem };
