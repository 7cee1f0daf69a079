import type { AdapterHost } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import type { Timing } from '../timing.ts';

/** How a node loses transactions: it took them and does not show them, or says that it knows them and does not. */
export type Loss = 'took' | 'knows';

/** Nodes that take transactions and do not keep them: for a while nothing is sent to them as long as there is another. */
export interface UnreliableNodes {
  /** It was found to swallow. */
  mark(nodeId: string, how: Loss): void;
  /** Nothing is to be sent to it now, unless there is no other. */
  has(nodeId: string): boolean;
  /** It is tried again after it was passed over, and has not shown yet that it is well. */
  isOnTrial(nodeId: string): boolean;
  /** It took a transaction and shows it. */
  clear(nodeId: string): void;
  /** For people, what is wrong with each. */
  warnings(): string[];
}

const words: Readonly<Record<Loss, string>> = {
  took: 'took transactions and does not show them any more',
  knows: 'says that it knows transactions, and does not show them',
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
    const use = nodes === 1 ? 'the ledger has no other' : 'as long as another works, nothing is sent to it';
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
