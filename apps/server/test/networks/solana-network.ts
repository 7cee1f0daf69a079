import type { NodeProfile } from '@ledger-ops/devnet';

/** A kind of Solana node: a profile in front of the development node. */
export interface SolanaNetwork {
  name: string;
  /** Ledger properties that docs/networks.md tells users to set. */
  properties?: Readonly<Record<string, unknown>>;
  /** Profiles of the ledger's nodes in order, each with its own state. */
  nodes(): NodeProfile[];
}
