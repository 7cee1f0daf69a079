import type { AdapterHost, Head } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/base/backoff';
import type { SolanaProperties } from '../properties.ts';
import type { Nodes } from '../rpc/nodes.ts';
import type { Timing } from '../timing.ts';
import { readHead } from './head.ts';

/** Follows new heads while there are listeners. */
export interface Heads {
  onHead(listener: (head: Head) => void): () => void;
  /** Polls more often for a while, because something was sent or is expected. */
  wake(): void;
  close(): void;
}

export function createHeads(
  nodes: Nodes,
  { pollingInterval }: SolanaProperties,
  host: AdapterHost,
  { heads: timing }: Timing,
): Heads {
  const listeners = new Set<(head: Head) => void>();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let failures = 0;
  let busyUntil = 0;
  let last: Head | undefined;

  function interval(): number {
    if (failures > 0) return backoff(failures, timing.failed, Math.random());
    return pollingInterval ?? (host.now() < busyUntil ? timing.poll : timing.idle);
  }

  function schedule(): void {
    clearTimeout(timer);
    if (listeners.size > 0 && !isPolling) timer = setTimeout(() => void poll(), interval());
  }

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      const { height, hash } = await nodes.onNode('confirm', (node) => readHead(node));
      failures = 0;
      if (last?.hash !== hash) {
        last = { height, hash };
        for (const listener of [...listeners]) if (listeners.has(listener)) listener({ height, hash });
      }
    } catch {
      // The failure is logged where it occurs; heads resume when the node responds again.
      failures += 1;
    } finally {
      isPolling = false;
      schedule();
    }
  }

  return {
    onHead(listener) {
      const own = (head: Head) => listener(head);
      if (listeners.size === 0) busyUntil = host.now() + timing.busyFor;
      listeners.add(own);
      if (listeners.size === 1) schedule();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
    wake() {
      const wasIdle = host.now() >= busyUntil;
      busyUntil = host.now() + timing.busyFor;
      if (wasIdle) schedule();
    },
    close() {
      listeners.clear();
      clearTimeout(timer);
    },
  };
}
