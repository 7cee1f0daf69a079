import type { Signature } from '@solana/keys';

/** Maximum number of transactions that are remembered. */
const mostRemembered = 1_000;

/**
 * Transactions that nodes list but cannot read. Kept in memory only, so the time starts again after a
 * restart.
 */
export class UnreadableTransactions {
  readonly #nodes: number;
  readonly #patienceMs: number;
  readonly #now: () => number;
  readonly #seen = new Map<Signature, { since: number; nodeIds: Set<string> }>();

  /**
   * @param nodes number of nodes that have to fail
   * @param patienceMs how long they have to fail
   */
  constructor(nodes: number, patienceMs: number, now: () => number) {
    this.#nodes = nodes;
    this.#patienceMs = patienceMs;
    this.#now = now;
  }

  /**
   * Records that a node cannot read a transaction. Returns true if all nodes have failed to read it for the
   * whole period.
   */
  failed(signature: Signature, nodeId: string): boolean {
    const one = this.#seen.get(signature) ?? { since: this.#now(), nodeIds: new Set() };
    one.nodeIds.add(nodeId);
    this.#seen.set(signature, one);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > mostRemembered && oldest !== undefined) this.#seen.delete(oldest);
    return one.nodeIds.size === this.#nodes && this.#now() - one.since >= this.#patienceMs;
  }

  worked(signature: Signature): void {
    this.#seen.delete(signature);
  }
}
