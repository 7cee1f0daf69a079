import { once } from 'node:events';
import type { FaultSwitches } from '../faults.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Wakes those who follow the chain: at each commit, and when a fault is switched. */
export interface Follower {
  /** Resolves when there is a block of this number and streams are not silenced; false when the signal came first. */
  reached(number: number, signal: AbortSignal): Promise<boolean>;
}

/** Follows a ledger. */
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

/** A stream to a client, as far as it is written to. */
export interface Writing<T> {
  write(message: T): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** Writes, and waits when the client is slow to read. */
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
