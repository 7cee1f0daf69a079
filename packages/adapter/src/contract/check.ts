import type { NativeContent } from '@ledger-ops/glo-core';
import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';
import type { WalletIdentity } from './wallets.ts';

/**
 * Native content after the precedence rules were applied. `version` is the version in its `meta` entry;
 * absent if there was none.
 */
export interface ResolvedContent extends NativeContent {
  version?: string;
}

/**
 * An operation in which the host has resolved all locators to addresses of the ledger. `data` is in the technology's
 * own format.
 */
export type ResolvedOperation =
  | {
      type: 'transfer';
      recipient: string;
      /** Other names of the recipient's account, if the recipient is a wallet of the host. */
      recipientAliases?: string[];
      amount: bigint;
      data?: string;
      native: ResolvedContent;
    }
  | {
      type: 'contract_call';
      /**
       * `address` is null if the contract is not deployed yet. In this case, check only the other members.
       * The host does not use the plan, because it checks the operation again after the deployment.
       */
      contract: { address: string | null; interface?: string };
      method?: { name: string; args: string[] };
      data?: string;
      value: bigint;
      native: ResolvedContent;
    }
  | {
      type: 'contract_deploy';
      /** Absent if `data` contains the whole creation code. */
      source?: ContractSource;
      args: string[];
      data?: string;
      value: bigint;
      native: ResolvedContent;
    };

/**
 * A template's compiled output. The description's schema defines the form of `code`. `resource`: `<template
 * id>:<version>`.
 */
export interface ContractSource {
  interface: string;
  code: string;
  resource?: string;
}

export interface CheckRequest {
  wallet: WalletIdentity;
  /**
   * The other wallets that the operation names (`x-wallet`), each once. The native content contains their
   * addresses. Absent if there are none.
   */
  others?: WalletIdentity[];
  operation: ResolvedOperation;
}

/** Result of a successful check. */
export interface Checked {
  plan: JsonObject;
  /**
   * The part of the plan that must not be stored in plain text. The host keeps it encrypted while the action can be
   * signed, and passes it to `prepare`.
   */
  secret?: JsonObject;
  /** Normalized addresses of the other accounts that the operation pays. */
  recipients: string[];
  /**
   * The sequence that the caller requires. The host refuses the action unless it is the next free sequence.
   */
  sequence?: bigint;
  /** `ready`: can be prepared immediately. `estimate`: needs an estimate first. */
  readiness: 'ready' | 'estimate';
  /** The maximum native currency that the operation can take from the wallet, if known. */
  cost: bigint;
  /**
   * The maximum amounts that the operation can take from the request's other wallets, by address, if known.
   */
  costs?: { address: string; amount: bigint }[];
}

export interface EstimateRequest {
  wallet: WalletIdentity;
  plan: JsonObject;
  /**
   * Height that the queried node must have reached, so that the node has the blocks of the action's
   * dependencies.
   */
  minHeight: number;
  /**
   * Only with `capabilities.raisesExpired`. Set if a transaction from this plan expired and the next
   * transaction must pay a higher fee.
   */
  raise?: FeeRaise;
}

/** The reason and the cap of a higher fee for the next transaction of an action. Only on ledgers where transactions expire. */
export interface FeeRaise {
  /** `hurried`: a user requested a higher fee. */
  reason: 'expired' | 'hurried';
  /** Maximum price per unit of the ledger's fee, in addition to the ledger's own cap. */
  cap?: bigint;
}

/**
 * If `cost` is absent, the cost from `check` applies. `failed`: the operation would fail now, according to
 * the node. `wait`: estimate again later.
 */
export type Estimated =
  | { status: 'ready'; plan: JsonObject; cost?: bigint }
  | { status: 'failed' | 'wait'; problem: AdapterProblem };
