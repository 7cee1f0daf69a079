import type { AnvilOptions, NodeProfile } from '@ledger-ops/devnet';

/** A network of the Ethereum family as its nodes show it: a profile in front of the development node. */
export interface EthereumNetwork {
  name: string;
  /** The development node behind the profile. */
  node?: AnvilOptions;
  /** Ledger properties that docs/networks.md tells users to set. */
  properties?: Readonly<Record<string, unknown>>;
  /** Amounts are multiples of this; default 1 wei. */
  amountUnit?: bigint;
  /**
   * How nodes treat transactions below the base fee: a pool keeps them, a sequencer refuses them, and some
   * networks have no fee.
   */
  lowFee: 'kept' | 'refused' | 'none';
  /** Returns a profile with its own state. */
  profile(): NodeProfile;
}
