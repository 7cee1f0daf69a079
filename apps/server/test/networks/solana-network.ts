import type { NodeProfile } from '@ledger-ops/devnet';

/** A kind of Solana node. Its profiles make development nodes answer like it. */
export interface SolanaNetwork {
  name: string;
  /** Ledger properties that docs/networks.md recommends. */
  properties?: Readonly<Record<string, unknown>>;
  /** Creates the profiles of the ledger's nodes in order, each with its own state. */
  nodes(): NodeProfile[];
}
