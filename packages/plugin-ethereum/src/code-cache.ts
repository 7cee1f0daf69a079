import type { Phase } from '@ledger-ops/adapter';
import { createLru } from './lru.ts';
import { NodeFailure } from './node-failure.ts';
import type { Rpc } from './rpc.ts';

/** Which addresses have code. */
export interface CodeCache {
  /** Whether there is a contract: "no" is never a cached answer, for one may have been deployed since. */
  isContract(address: string, height: number, phase: Phase): boolean | Promise<boolean>;
  /** The cached answer, or a question to a node. `height` is the newest block that was seen. */
  hasCode(address: string, height: number, phase: Phase): boolean | Promise<boolean>;
  /** Forgets all: the chain lost blocks, and contracts with them. */
  clear(): void;
}

/** Blocks for which "no code" is believed. Code, once there, is taken to stay. */
const believed = 64;

export function createCodeCache(rpc: Rpc, limit = 50_000): CodeCache {
  /** Height until which there is no code; infinite: there is code. */
  const known = createLru<string, number>(limit);
  rpc.onReset(() => known.clear());

  async function ask(address: string, height: number, phase: Phase): Promise<boolean> {
    return rpc.onNode(phase, async (node) => {
      const [answer] = await node.batch([{ method: 'eth_getCode', params: [address, 'latest'] }]);
      if (answer?.ok !== true || typeof answer.result !== 'string') {
        throw new NodeFailure('unavailable', `Node ${node.nodeId} does not say whether ${address} has code.`);
      }
      const hasCode = answer.result.length > 2;
      known.set(address, hasCode ? Number.POSITIVE_INFINITY : height + believed);
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
