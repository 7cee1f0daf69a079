import type { AdapterDefinition } from '@ledger-ops/adapter';

/**
 * An adapter as the runtime holds it: also a remote plugin, which keeps the keys of its wallets itself and is driven
 * like any other.
 */
export type LedgerDefinition = Omit<AdapterDefinition, 'keyType' | 'description'> & {
  /** Absent where a remote plugin does not say. */
  readonly description?: AdapterDefinition['description'];
  readonly keyType: AdapterDefinition['keyType'] | 'remote';
  /** Ids of the only ledgers that it serves. Absent: all of its technology. */
  readonly ledgers?: readonly string[];
};
