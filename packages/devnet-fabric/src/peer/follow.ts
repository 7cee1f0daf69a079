import { once } from 'node:events';
import type { FaultSwitches } from '../faults.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Waits for blocks. Checks again after each commit and after each change of a fault. */
export interface Follower {
  /**
   * Resolves to true when the chain has this block and streams are not silenced, and to false when the signal
   * is aborted first.
   */
  reached(number: number, signal: AbortSignal): Promise<boolean>;
}

export function createFollower(ledger: Ledger, faults: FaultSwitches): Follower {
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  ledger.onCommit(wake);
  faults.onChange(wake);
  return {
    reached(number, signal) {
      const there = () => ledger.chain.height() > number && !faults.streamsSilent;
      if (signal.aborted) return Promise.resolve(false);
      if (there()) return Promise.resolve(true);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const settle = (result: boolean) => {
        waiting.delete(check);
        signal.removeEventListener('abort', abandon);
        resolve(result);
      };
      const check = () => {
        if (there()) settle(true);
      };
      const abandon = () => settle(false);
      waiting.add(check);
      signal.addEventListener('abort', abandon);
      return promise;
    },
  };
}

/** The writing half of a stream to a client. */
export interface Writing<T> {
  write(message: T): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** Writes a message, and waits if the client reads slowly. */
export async function send<T>(
  call: Writing<T> & NodeJS.EventEmitter,
  message: T,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || call.write(message)) return;
  await once(call, 'drain', { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
