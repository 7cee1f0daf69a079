import type { AdapterHost, Head } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/base/backoff';
import type { EthereumProperties } from '../properties.ts';
import type { Endpoint } from '../rpc/endpoint.ts';
import type { Nodes } from '../rpc/nodes.ts';
import type { Timing } from '../timing.ts';
import type { LedgerViews } from './ledger-view.ts';

/** Follows new heads while there are listeners. */
export interface Heads {
  onHead(listener: (head: Head) => void): () => void;
  /** Polls more often for a while, because something was sent or is expected. */
  wake(): void;
  close(): void;
}

/**
 * Polls for heads at half the observed block time. For nodes with a ws or wss address, a subscription
 * triggers the poll immediately. A lost subscription is opened again while polling continues.
 */
export function createHeads(
  nodes: Nodes,
  views: LedgerViews,
  properties: EthereumProperties,
  host: AdapterHost,
  { heads: timing }: Timing,
): Heads {
  const { shortest, longest } = timing.poll;
  const listeners = new Set<(head: Head) => void>();
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  let polling = false;
  let again = false;
  let last: { head: Head; at: number } | undefined;
  let blockTime = 4 * shortest;
  let busyUntil = 0;
  let failures = 0;
  let closed = false;
  const sockets = nodes.endpoints.flatMap((endpoint) =>
    endpoint.openWebSocket === undefined
      ? []
      : [createSubscription(endpoint.openWebSocket, lookNow, timing.reconnect)],
  );

  function interval(): number {
    if (failures > 0) return backoff(failures, { first: 2 * shortest, longest });
    if (properties.pollingInterval !== undefined) return properties.pollingInterval;
    const half = Math.min(longest, Math.max(shortest, blockTime / 2));
    const wanted = host.now() < busyUntil ? half : Math.min(timing.idle.longest, half * timing.idle.factor);
    return sockets.some((socket) => socket.live()) ? Math.max(wanted, timing.subscribedPoll) : wanted;
  }

  function schedule(delay: number): void {
    if (closed || listeners.size === 0) return;
    const at = performance.now() + delay;
    if (timer !== undefined && due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => void poll(), delay);
  }

  function lookNow(): void {
    if (polling) again = true;
    else schedule(0);
  }

  async function poll(): Promise<void> {
    timer = undefined;
    if (polling || closed) return;
    polling = true;
    try {
      const { head } = await views.refresh(phaseOfHeads);
      failures = 0;
      if (listeners.size > 0) announce({ height: head.height, hash: head.hash });
    } catch {
      // The failure is logged where it occurs; heads resume when the node responds again.
      failures += 1;
    } finally {
      polling = false;
      const delay = again ? 0 : interval();
      again = false;
      schedule(delay);
    }
  }

  function announce(head: Head): void {
    if (last?.head.hash === head.hash) return;
    const now = performance.now();
    if (last !== undefined && head.height > last.head.height) {
      const each = (now - last.at) / (head.height - last.head.height);
      blockTime = blockTime * 0.8 + Math.min(each, 4 * longest) * 0.2;
    }
    last = { head, at: now };
    for (const listener of [...listeners]) {
      if (listeners.has(listener)) listener({ ...head });
    }
  }

  return {
    onHead(listener) {
      const own = (head: Head) => listener(head);
      listeners.add(own);
      if (listeners.size === 1) {
        for (const socket of sockets) socket.start();
        busyUntil = host.now() + timing.busyFor;
      }
      schedule(shortest);
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
        for (const socket of sockets) socket.stop();
      };
    },
    wake() {
      busyUntil = host.now() + timing.busyFor;
      if (listeners.size > 0 && !polling) schedule(interval());
    },
    close() {
      closed = true;
      listeners.clear();
      clearTimeout(timer);
      for (const socket of sockets) socket.stop();
    },
  };
}

/** Errors while polling heads are reported under the phase that needs the heads. */
const phaseOfHeads = 'confirm';

interface Subscription {
  start(): void;
  stop(): void;
  /** Whether the subscription is connected. */
  live(): boolean;
}

/** Subscribes to `newHeads` of one node and reconnects after a loss. */
function createSubscription(
  open: NonNullable<Endpoint['openWebSocket']>,
  onHead: () => void,
  reconnectAfter: number,
): Subscription {
  let socket: ReturnType<typeof open> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let wanted = false;
  let live = false;

  function connect(): void {
    const own = open();
    socket = own;
    own.addEventListener('open', () => {
      own.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    });
    own.addEventListener('message', ({ data }) => {
      const kind = kindOf(data);
      if (kind === 'subscribed') live = true;
      if (kind === 'refused') own.close();
      else onHead();
    });
    own.addEventListener('error', () => own.close());
    own.addEventListener('close', () => {
      if (socket !== own) return;
      live = false;
      socket = undefined;
      // Polls immediately, in place of the lost subscription.
      onHead();
      if (wanted) retry = setTimeout(connect, reconnectAfter);
    });
  }

  return {
    start() {
      if (wanted) return;
      wanted = true;
      connect();
    },
    stop() {
      wanted = false;
      live = false;
      clearTimeout(retry);
      socket?.close();
      socket = undefined;
    },
    live: () => live,
  };
}

function kindOf(data: unknown): 'subscribed' | 'refused' | 'head' {
  if (typeof data !== 'string') return 'head';
  try {
    const message: unknown = JSON.parse(data);
    if (typeof message !== 'object' || message === null || !('id' in message)) return 'head';
    return 'error' in message ? 'refused' : 'subscribed';
  } catch {
    return 'head';
  }
}
