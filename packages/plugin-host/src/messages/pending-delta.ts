import type { PendingTransaction } from '@ledger-ops/adapter';
import type { PendingDelta } from './messages.ts';

/**
 * Creates the host's side, which reduces the map of each `confirm` to the changes since the last call, because
 * there may be ten thousand pending transactions.
 */
export function createDeltaWriter(): (pending: ReadonlyMap<string, PendingTransaction>) => PendingDelta {
  let told: Map<string, PendingTransaction> | undefined;
  return (pending) => {
    if (pending.size === 0) return { reset: false, none: true, added: [], removed: [] };
    const reset = told === undefined;
    const known = told ?? new Map<string, PendingTransaction>();
    told = known;
    const added: PendingDelta['added'] = [];
    for (const [txId, transaction] of pending) {
      const before = known.get(txId);
      if (before !== undefined && isSame(before, transaction)) continue;
      const copy = { ...transaction };
      known.set(txId, copy);
      added.push([txId, copy]);
    }
    const removed: string[] = [];
    if (known.size !== pending.size) {
      for (const txId of known.keys()) {
        if (!pending.has(txId)) removed.push(txId);
      }
      for (const txId of removed) known.delete(txId);
    }
    return { reset, none: false, added, removed };
  };
}

function isSame(before: PendingTransaction, now: PendingTransaction): boolean {
  return (
    before.address === now.address &&
    before.sequence === now.sequence &&
    before.note === now.note &&
    before.validUntil === now.validUntil
    // Claims and needs of a transaction never change.
  );
}

/** The child's side: restores the host's map. A map in use by a running call is never changed. */
export class PendingTransactions {
  #pending = new Map<string, PendingTransaction>();
  #readers = 0;

  /** Applies the changes, runs a call with the map, and waits for it. */
  async read<Result>(
    delta: PendingDelta,
    run: (pending: ReadonlyMap<string, PendingTransaction>) => Promise<Result>,
  ): Promise<Result> {
    if (delta.none) return run(new Map());
    if (delta.reset || this.#readers > 0) {
      this.#pending = delta.reset ? new Map() : new Map(this.#pending);
      this.#readers = 0;
    }
    const pending = this.#pending;
    for (const [txId, transaction] of delta.added) pending.set(txId, transaction);
    for (const txId of delta.removed) pending.delete(txId);
    this.#readers += 1;
    try {
      return await run(pending);
    } finally {
      if (pending === this.#pending) this.#readers -= 1;
    }
  }
}
