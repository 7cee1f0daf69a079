import type { GloContent, JsonSchema } from '@ledger-ops/glo-core';

export type { GloContent, JsonSchema };

/**
 * Description of a technology for hosts: plain JSON, so that it crosses processes. Schemas are of the subset of JSON Schema
 * that glo-core reads ("Schemas" in its README); a host refuses a definition with another one.
 */
export interface TechnologyDescription {
  /** For people: `Acorn Ledger`. */
  title: string;
  /** Namespace of its chains (CAIP-2) where that is not the technology's name: `acorn` of `acorn-ledger`. */
  namespace?: string;
  /** Native content of operations. Absent: any JSON object, of which nothing is known to be secret. */
  content?: GloContent;
  /**
   * Properties of a ledger, beside those that all ledgers have (`confirmations`, `max_in_flight`, `polling_interval`,
   * `rpc_timeout`, `plugin_tags`, `development`, `allow_unencrypted`). An object schema without further members. Of a
   * property, `writeOnly` says that it is secret: a text, kept sealed and never answered; `x-address` that it says where
   * secrets go: whoever changes it gives them again.
   */
  ledgerProperties?: JsonSchema;
  /** Properties of a node, in the same form. */
  nodeProperties?: JsonSchema;
  /**
   * Parameters of a new wallet that `createWallet` is told: an object schema without further members, all texts. The host
   * has its own beside them: `walletPassword`, and how a key of `keyType` is imported. `dependentRequired` may name those.
   */
  walletParameters?: JsonSchema;
  /** Forms of addresses, as `normaliseAddress` gives them. */
  addresses: { account: AddressForm; contract?: AddressForm };
  /** The native currency; absent: there is none. */
  unit?: { symbol: string; decimals: number };
  /** Templates of contracts; absent: there are none for its ledgers. */
  templates?: {
    /** Schema of compiled code, a text: `{"type": "string", "format": "hex"}`. */
    code: JsonSchema;
    /** Languages that the host's compiler takes for it: `Solidity`. */
    languages?: string[];
  };
}

/** A pattern in RE2's syntax, and a text that has the form. */
export interface AddressForm {
  pattern: string;
  example: string;
}
