import { setTimeout as delay } from 'node:timers/promises';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { SolanaNode } from './node.ts';

/**
 * Wraps a node for one piece of work. During a rate limit, the first call fails immediately. Later calls wait
 * until the limit ends: if many pieces of work failed and started again, they would use up the next limit
 * without finishing.
 */
export function finishBegunWork(
  node: SolanaNode,
  { now, signal, mostMs }: { now: () => number; signal: AbortSignal; mostMs: number },
): SolanaNode {
  let isBegun = false;
  let waitedMs = 0;
  return {
    nodeId: node.nodeId,
    async ask(method, params, schema) {
      while (true) {
        try {
          const answer = await node.ask(method, params, schema);
          isBegun = true;
          return answer;
        } catch (error) {
          const waitMs = isBegun ? limitOf(error) : undefined;
          if (waitMs === undefined || waitedMs + waitMs > mostMs) throw error;
          const since = now();
          await delay(waitMs, undefined, { signal }).catch(() => undefined);
          if (signal.aborted) throw error;
          waitedMs += Math.max(waitMs, now() - since);
        }
      }
    },
    close: () => node.close(),
  };
}

/** Returns the milliseconds until the node's rate limit ends; undefined for other failures. */
export function limitOf(error: unknown): number | undefined {
  return error instanceof NodeError ? error.retryAfterMs : undefined;
}
