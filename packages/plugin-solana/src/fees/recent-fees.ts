import type { Phase } from '@ledger-ops/adapter';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { readable, UnusableAnswer } from '../rpc/unusable-answer.ts';

const method = 'getRecentPrioritizationFees';
/** Maximum number of accounts per call. */
const mostAccounts = 128;
/** Time before a node without `getRecentPrioritizationFees` is queried again. */
const askAgainAfterMs = 600_000;

/** A node without `getRecentPrioritizationFees`. */
interface Lacking {
  askAgainAt: number;
  warning: string;
}

/**
 * Recent prioritization fees for accounts. Some providers lack the method. In this case, the other nodes are
 * queried. If no node has the method, the price is 0, and a warning names the remedy.
 */
export class RecentFees {
  readonly #nodes: Nodes;
  readonly #now: () => number;
  /** Nodes that lack `getRecentPrioritizationFees`, by node id. */
  readonly #lacking = new Map<string, Lacking>();

  constructor(nodes: Nodes, now: () => number) {
    this.#nodes = nodes;
    this.#now = now;
  }

  /** Warnings about nodes without `getRecentPrioritizationFees`. */
  get warnings(): string[] {
    return [...this.#lacking.values()].map(({ warning }) => warning);
  }

  /** Returns the 75th percentile of recent micro-lamports per compute unit. @throws NodeError */
  async price(node: SolanaNode, accounts: readonly string[], phase: Phase): Promise<bigint> {
    const some = accounts.slice(0, mostAccounts);
    const own = await this.#read(node, some);
    if (own !== undefined) return own;
    if (this.#nodes.size === 1) return 0n;
    const others = await this.#nodes.onEach(phase, (other) => this.#read(other, some));
    return [...others.answers.values()].reduce<bigint>((most, one = 0n) => (one > most ? one : most), 0n);
  }

  async #read(node: SolanaNode, accounts: readonly string[]): Promise<bigint | undefined> {
    const { nodeId } = node;
    if ((this.#lacking.get(nodeId)?.askAgainAt ?? 0) > this.#now()) return undefined;
    const recent = await readable(node.ask(method, [accounts], answers.priorityFees));
    if (recent instanceof UnusableAnswer) {
      const warning = `${recent.message} Transactions have no priority fee while no node has this method. Set the ledger property compute_unit_price to give them one.`;
      this.#lacking.set(nodeId, { askAgainAt: this.#now() + askAgainAfterMs, warning });
      return undefined;
    }
    this.#lacking.delete(nodeId);
    const fees = recent.map(({ prioritizationFee }) => prioritizationFee).sort((a, b) => (a < b ? -1 : 1));
    return fees[Math.floor(fees.length * 0.75)] ?? 0n;
  }
}
