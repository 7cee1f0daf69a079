import type { GloContent, JsonSchema } from '@ledger-ops/glo-core';

export type { GloContent, JsonSchema };

/** A technology, described for hosts. Schemas are of the subset of JSON Schema that glo-core reads ("Schemas" in its README). */
export interface TechnologyDescription {
  /** For people: `Acorn Ledger`. */
  title: string;
  /** Namespace of its chains (CAIP-2) where that is not the technology's name: `acorn` of `acorn-ledger`. */
  namespace?: string;
  /** Native content of operations. `x-wallet`: names a wallet that signs too (`coSigners`), by id or address. Absent: any JSON object, of which nothing is known to be secret. */
  content?: GloContent;
  /**
   * Object schemas without further members, beside the properties that all ledgers have (README). `writeOnly`: a secret text, kept
   * sealed; `x-address`: it says where secrets go, and whoever changes it gives them again.
   */
  ledgerProperties?: JsonSchema;
  nodeProperties?: JsonSchema;
  /** All texts, secret where they are `writeOnly`, beside `walletPassword` and how a key is imported, which `dependentRequired` may name. */
  walletParameters?: JsonSchema;
  /** Of addresses as `normaliseAddress` gives them. */
  addresses: { account: AddressForm; contract?: AddressForm };
  /** The native currency; absent: there is none. */
  unit?: { symbol: string; decimals: number };
  /**
   * Templates: schema of compiled code, a text; whether that is a package (.tar.gz in base64 with `metadata.json` and
   * `code.tar.gz`, which hosts look into); and the languages that the host's compiler takes for it (`Solidity`).
   */
  templates?: { code: JsonSchema; package?: boolean; languages?: string[] };
}

/** A pattern in RE2's syntax, and a text that has the form. */
export interface AddressForm {
  pattern: string;
  example: string;
}
