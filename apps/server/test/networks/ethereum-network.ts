import type { AnvilOptions, NodeProfile } from '@ledger-ops/devnet';

/** A network of the Ethereum family. Its profile makes a development node answer like the network's nodes. */
export interface EthereumNetwork {
  name: string;
  /** The development node behind the profile. */
  node?: AnvilOptions;
  /** Ledger properties that docs/networks.md recommends. */
  properties?: Readonly<Record<string, unknown>>;
  /** Amounts are multiples of this; default 1 wei. */
  amountUnit?: bigint;
  /**
   * Treatment of transactions below the base fee: `kept` by pools, `refused` by sequencers, or `none` on networks
   * without fees.
   */
  lowFee: 'kept' | 'refused' | 'none';
  /** Creates a profile with its own state. */
  profile(): NodeProfile;
}
