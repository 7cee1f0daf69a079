import type { Position } from '../ledger/chain.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Waits for commits of transactions. */
export interface Commits {
  /**
   * Resolves with the position of the transaction's first occurrence once it is committed. Never resolves
   * after the signal is aborted.
   */
  wait(txId: string, signal: AbortSignal): Promise<Position>;
}

/** Watches a ledger's commits. */
export function watchCommits(ledger: Ledger): Commits {
  const waiting = new Map<string, Set<(position: Position) => void>>();
  let seen = ledger.chain.height();
  ledger.onCommit(() => {
    for (; seen < ledger.chain.height(); seen += 1) {
      if (waiting.size === 0) continue;
      for (const one of ledger.chain.block(seen)?.filtered.getFilteredTransactionsList() ?? []) {
        const found = waiting.get(one.getTxid());
        const position = found && ledger.chain.find(one.getTxid());
        if (found === undefined || position === undefined) continue;
        waiting.delete(one.getTxid());
        for (const resolve of found) resolve(position);
      }
    }
  });
  return {
    wait(txId, signal) {
      const known = ledger.chain.find(txId);
      if (known !== undefined) return Promise.resolve(known);
      const { promise, resolve } = Promise.withResolvers<Position>();
      const waiters = waiting.get(txId) ?? new Set();
      waiting.set(txId, waiters.add(resolve));
      const abandon = () => {
        waiters.delete(resolve);
        if (waiters.size === 0 && waiting.get(txId) === waiters) waiting.delete(txId);
      };
      signal.addEventListener('abort', abandon, { once: true });
      return promise;
    },
  };
}
