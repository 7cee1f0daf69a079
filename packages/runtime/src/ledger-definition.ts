import type { AdapterDefinition, KeyType } from '@ledger-ops/adapter';

/** An adapter as the runtime uses it, whether it is built in or a remote plugin. */
export type LedgerDefinition = Omit<AdapterDefinition, 'keyType' | 'description'> & {
  /** Absent if a remote plugin does not provide a description. */
  readonly description?: AdapterDefinition['description'];
  /** Null for a remote plugin that holds the keys of its wallets and signs transactions itself. */
  readonly keyType: KeyType | null;
  /** Ids of the ledgers that the adapter serves. If absent, it serves all ledgers of its technology. */
  readonly ledgers?: readonly string[];
};
