import type { AdapterDefinition, KeyType } from '@ledger-ops/adapter';

/** An adapter as the runtime uses it, whether it is built in or a remote plugin. */
export type LedgerDefinition = Omit<AdapterDefinition, 'keyType' | 'description'> & {
  /** Description of the technology; absent if a remote plugin provides none. */
  readonly description?: AdapterDefinition['description'];
  /**
   * Key type of wallets; null for a remote plugin that holds the keys of its wallets and signs transactions
   * itself.
   */
  readonly keyType: KeyType | null;
  /** Ids of the ledgers that the adapter serves. Default: all ledgers of its technology. */
  readonly ledgers?: readonly string[];
};
