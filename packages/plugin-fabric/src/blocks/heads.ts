import { setTimeout as delay } from 'node:timers/promises';
import type { Head } from '@ledger-ops/adapter';

/** Listeners to the ledger's heads. */
export interface Heads {
  /**
   * Calls back on each new head and follows the ledger's blocks from then on. Returns a function that removes the
   * listener.
   */
  onHead(listener: (head: Head) => void): () => void;
  /** Calls the listeners with the current head. */
  announce(): void;
}

export interface HeadsOptions {
  head(): Head;
  /** Starts or continues following the ledger's channel. */
  follow(): Promise<unknown>;
  /** Called when following failed. */
  failed(error: unknown): void;
  /** Milliseconds after which following is tried again. */
  pause: number;
  /** Stops everything. */
  signal: AbortSignal;
}

export function createHeads({ head, follow, failed, pause, signal }: HeadsOptions): Heads {
  const listeners = new Set<(head: Head) => void>();
  let beginning = false;

  /**
   * Retries until this call, or another one, follows the channel. `confirm` reports why it is not followed
   * yet.
   */
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
      // One entry for each call, even with the same function.
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
