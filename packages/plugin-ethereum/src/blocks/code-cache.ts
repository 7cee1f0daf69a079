import type { Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import QuickLRU from 'quick-lru';
import type { Nodes } from '../rpc/nodes.ts';
import type { Timing } from '../timing.ts';

/** Caches which addresses have code. */
export interface CodeCache {
  /**
   * Whether the address has code. The cache never answers "no", because a contract may have been deployed
   * after the last query.
   */
  isContract(address: string, height: number, phase: Phase): boolean | Promise<boolean>;
  /** Answers from the cache, or queries a node. `height` is the newest known block. */
  hasCode(address: string, height: number, phase: Phase): boolean | Promise<boolean>;
  /** Clears the cache after a reorg, which may have removed contracts. */
  clear(): void;
}

export function createCodeCache(
  nodes: Nodes,
  { codelessFor }: Pick<Timing, 'codelessFor'>,
  limit = 50_000,
): CodeCache {
  /** By address: the height up to which it has no code, or infinity if it has code. Code is assumed to stay. */
  const known = new QuickLRU<string, number>({ maxSize: limit });
  nodes.onReset(() => known.clear());

  async function ask(address: string, height: number, phase: Phase): Promise<boolean> {
    return nodes.onNode(phase, async (node) => {
      const [answer] = await node.batch([{ method: 'eth_getCode', params: [address, 'latest'] }]);
      if (answer?.ok !== true || typeof answer.result !== 'string') {
        throw new NodeError(
          'unavailable',
          `Node ${node.nodeId} does not report whether ${address} has code.`,
        );
      }
      const hasCode = answer.result.length > 2;
      known.set(address, hasCode ? Number.POSITIVE_INFINITY : height + codelessFor);
      return hasCode;
    });
  }

  return {
    clear: () => known.clear(),
    isContract(address, height, phase) {
      return known.get(address) === Number.POSITIVE_INFINITY || ask(address, height, phase);
    },
    hasCode(address, height, phase) {
      const until = known.get(address);
      if (until === Number.POSITIVE_INFINITY) return true;
      return until !== undefined && height <= until ? false : ask(address, height, phase);
    },
  };
}
