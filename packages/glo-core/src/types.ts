import type { JsonObject } from './json/json-values.ts';

/** Types of a generic ledger operation (GLO), version 0.1. */

/** The kinds of operation. */
export const operationTypes = ['transfer', 'contract_call', 'contract_deploy'] as const;
export type OperationType = (typeof operationTypes)[number];

/** A resource known to the service: a wallet, contract or template id (`template:version`), or `action:<id>`. */
export interface ServiceLocator {
  type: 'service';
  resource: string;
}

/** An account or contract address on a ledger of the given technology. */
export interface LedgerLocator {
  type: 'ledger';
  /** Name of the technology. */
  technology: string;
  resource: string;
}

/**
 * Produced only from the deprecated forms of a contract call (see `parseGlo`), which may name a contract without a
 * locator. The runtime resolves it to a service lookup if a contract with that id is registered, otherwise to an address on the target ledger.
 */
export interface UnresolvedLocator {
  type: 'unresolved';
  resource: string;
}

export type Locator = ServiceLocator | LedgerLocator;
export type ContractLocator = Locator | UnresolvedLocator;

/** The normalized meta of one technology: quantities are decimal text. */
export interface LedgerMeta {
  version: string;
  /** `native_transaction_content`. */
  content: JsonObject;
}

/** `meta.ledger`, by technology name. */
export interface Meta {
  [technology: string]: LedgerMeta;
}

interface GloOf<Type extends OperationType, Options> {
  /** GLO structure version, `0.1.x`. */
  version: string;
  type: Type;
  options: Options;
  meta?: Meta;
}

/** Native-currency transfer; `amount` in the ledger's smallest unit (wei). */
export type TransferGlo = GloOf<'transfer', { recipient: Locator; amount: bigint }>;
export type ContractCallGlo = GloOf<
  'contract_call',
  { contractInstance: ContractLocator; methodName: string; args: string[] }
>;
export type ContractDeployGlo = GloOf<'contract_deploy', { contractSource: Locator; args: string[] }>;
/** A parsed, normalized GLO. */
export type Glo = TransferGlo | ContractCallGlo | ContractDeployGlo;

/** One value changed by meta. Values are strings in canonical form. */
export interface Override {
  /** The overridden option, by its name in the specification, such as `recipient` or `method_name`. */
  field: string;
  /** `null` if the option had no value. */
  from: string | string[] | null;
  to: string | string[];
}

/**
 * The operation on a ledger of one technology, after meta has overridden options. `native` holds the remaining ledger-specific content,
 * without members that merely repeated an option.
 */
export interface TransferOperation {
  type: 'transfer';
  recipient: Locator;
  amount: bigint;
  /** Raw data (`0x` hex) from meta, added to the transfer. */
  data?: string;
  native: NativeContent;
}
export interface ContractCallOperation {
  type: 'contract_call';
  contract: ContractLocator;
  /** Undefined if meta's `data` replaced method and arguments. */
  method?: { name: string; args: string[] };
  /** Raw call data (`0x` hex) from meta. */
  data?: string;
  /** Amount of native currency sent with the call, in the smallest unit. */
  value: bigint;
  native: NativeContent;
}
export interface ContractDeployOperation {
  type: 'contract_deploy';
  /** Undefined if meta's `data` replaced source and arguments. */
  source?: Locator;
  args: string[];
  /** Raw creation code (`0x` hex) from meta. */
  data?: string;
  value: bigint;
  native: NativeContent;
}
export type Operation = TransferOperation | ContractCallOperation | ContractDeployOperation;

/** Ledger-specific content that remains after overrides were merged into the operation. */
export interface NativeContent {
  technology: string;
  content: JsonObject;
}

/** The effective operation and the changes made by meta. */
export interface Effective {
  operation: Operation;
  overrides: Override[];
}
