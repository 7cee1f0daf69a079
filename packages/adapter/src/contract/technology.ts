import type { GloContent, JsonSchema } from '@ledger-ops/glo-core';

export type { GloContent, JsonSchema };

/**
 * Describes a technology to hosts. Schemas use the subset of JSON Schema that glo-core supports ("Schemas" in its
 * README).
 */
export interface TechnologyDescription {
  /** For display: `Acorn Ledger`. */
  title: string;
  /** CAIP-2 namespace of its chains, if it differs from the technology's name: `acorn` for `acorn-ledger`. */
  namespace?: string;
  /**
   * Native content of operations. `x-wallet` marks a member that names a wallet that also signs (`coSigners`), by id or
   * address. If absent, any JSON object is accepted, and none of its members is treated as secret.
   */
  content?: GloContent;
  /**
   * Object schemas with `additionalProperties: false`, for properties in addition to those that all ledgers have (see
   * the README). `writeOnly` marks a secret string, which the host stores encrypted. `x-address` marks an
   * address that secrets are sent to; changing it requires entering the secrets again.
   */
  ledgerProperties?: JsonSchema;
  nodeProperties?: JsonSchema;
  /**
   * Parameters of new wallets, in addition to `walletPassword` and to the parameters of a key import, which
   * `dependentRequired` may name. All values are strings, and `writeOnly` marks secrets.
   */
  walletParameters?: JsonSchema;
  /** Formats of addresses as `normaliseAddress` returns them. */
  addresses: { account: AddressForm; contract?: AddressForm };
  /** The native currency; absent if there is none. */
  unit?: { symbol: string; decimals: number };
  /**
   * Templates: - `code`: schema of the compiled code, a string.
   * - `package`: the code is a package, a base64 .tar.gz that contains `metadata.json` and `code.tar.gz`. Hosts read
   * it.
   * - `languages`: languages that the host's compiler accepts for it (`Solidity`).
   */
  templates?: { code: JsonSchema; package?: boolean; languages?: string[] };
}

/** A pattern in RE2 syntax, and an example that matches it. */
export interface AddressForm {
  pattern: string;
  example: string;
}
