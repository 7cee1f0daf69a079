import { setTimeout as delay } from 'node:timers/promises';
import type { Head } from '@ledger-ops/adapter';

/** Listeners to the ledger's heads. */
export interface Heads {
  /** Calls back on each new head; the ledger's blocks are followed from then on. Returns the way to stop. */
  onHead(listener: (head: Head) => void): () => void;
  /** Calls the listeners with the head as it is now. */
  announce(): void;
}

export interface HeadsOptions {
  head(): Head;
  /** Begins to follow the ledger's channel, or goes on with it. */
  follow(): Promise<unknown>;
  /** It could not. */
  failed(error: unknown): void;
  /** Milliseconds after which a ledger that could not be followed is tried again. */
  pause: number;
  /** Ends everything. */
  signal: AbortSignal;
}

export function createHeads({ head, follow, failed, pause, signal }: HeadsOptions): Heads {
  const listeners = new Set<(head: Head) => void>();
  let beginning = false;

  /** Tries until the channel is followed, by this or by another call; why it is not, `confirm` says. */
  async function begin(): Promise<void> {
    if (beginning) return;
    beginning = true;
    try {
      while (listeners.size > 0 && !signal.aborted) {
        try {
          await follow();
          return;
        } catch (error) {
          failed(error);
          await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
        }
      }
    } finally {
      beginning = false;
    }
  }

  return {
    onHead(listener) {
      // One entry for each call, even of the same function.
      const entry = (one: Head) => listener(one);
      listeners.add(entry);
      void begin();
      return () => void listeners.delete(entry);
    },
    announce() {
      if (listeners.size === 0 || signal.aborted) return;
      const now = head();
      for (const listener of listeners) listener(now);
    },
  };
}
