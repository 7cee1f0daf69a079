import type { AdapterHost } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/base/backoff';
import type { Timing } from '../timing.ts';

/**
 * How a node loses transactions: it accepts or claims to know them, but does not return them.
 */
export type Loss = 'took' | 'knows';

/**
 * Nodes that accept transactions and drop them. If there is another node, nothing is sent to them for a
 * while.
 */
export interface UnreliableNodes {
  /** Records that the node drops transactions. */
  mark(nodeId: string, how: Loss): void;
  /** Whether the node should get no transactions now, unless there is no other node. */
  has(nodeId: string): boolean;
  /**
   * Whether the node is on trial: it is used again after it was skipped, and has not returned a transaction
   * yet.
   */
  isOnTrial(nodeId: string): boolean;
  /** Records that the node accepted a transaction and returns it. */
  clear(nodeId: string): void;
  /** User-facing description of the fault of each node. */
  warnings(): string[];
}

const words: Readonly<Record<Loss, string>> = {
  took: 'accepted transactions but no longer returns them',
  knows: 'claims to know transactions but does not return them',
};

export function createUnreliableNodes(
  ledgerId: string,
  nodes: number,
  host: AdapterHost,
  { nodes: timing }: Timing,
): UnreliableNodes {
  const marked = new Map<string, { how: Loss; times: number; until: number }>();
  const has = (nodeId: string) => (marked.get(nodeId)?.until ?? 0) > host.now();

  const describe = (nodeId: string, how: Loss) => {
    const use =
      nodes === 1
        ? 'the ledger has no other node, so it stays in use'
        : 'it gets no transactions while another node works';
    return `Node ${nodeId} ${words[how]}: ${use}.`;
  };

  return {
    mark(nodeId, how) {
      const before = marked.get(nodeId);
      if (has(nodeId)) return;
      const times = (before?.times ?? 0) + 1;
      marked.set(nodeId, { how, times, until: host.now() + backoff(times, timing.unreliable) });
      if (before?.how === how) return;
      const detail = describe(nodeId, how);
      host.log('warn', 'ethereum.node-passed-over', { ledgerId, nodeId, detail });
    },
    has,
    isOnTrial: (nodeId) => marked.has(nodeId) && !has(nodeId),
    clear(nodeId) {
      if (marked.delete(nodeId)) host.log('info', 'ethereum.node-back', { ledgerId, nodeId });
    },
    warnings: () => [...marked].map(([nodeId, { how }]) => describe(nodeId, how)),
  };
}
