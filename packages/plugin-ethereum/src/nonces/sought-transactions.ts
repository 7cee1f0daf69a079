import type { PendingTransaction } from '@ledger-ops/adapter';

type Pending = ReadonlyMap<string, PendingTransaction>;

/** Maximum number of accounts whose counts are read at each block. */
const accountsAtOnce = 100;

/**
 * Transactions of finished actions that were not found in the chain, because a reorg may have removed them.
 * Their nonces are checked at each block, so that another transaction with one of these nonces is noticed
 * immediately.
 *
 * Stores the ids, the least recently checked first, and the height of the last check.
 */
export class SoughtTransactions {
  readonly #txIds = new Set<string>();
  #checkedAt = -1;

  /** Adds transactions that are not in any block. */
  add(txIds: Iterable<string>): void {
    for (const txId of txIds) this.#txIds.add(txId);
    this.#checkedAt = -1;
  }

  /** Forgets transactions that are no longer pending. */
  keep(pending: Pending): void {
    for (const txId of this.#txIds) if (!pending.has(txId)) this.#txIds.delete(txId);
  }

  /** Pending transactions of a limited number of accounts, to be checked at this height; none if it was checked before. */
  take(pending: Pending, height: number): Set<string> {
    const taken = new Set<string>();
    if (height === this.#checkedAt) return taken;
    this.#checkedAt = height;
    const addresses = new Set<string>();
    for (const txId of [...this.#txIds]) {
      const address = pending.get(txId)?.address;
      if (address === undefined) continue;
      if (!addresses.has(address) && addresses.size >= accountsAtOnce) continue;
      addresses.add(address);
      taken.add(txId);
      this.#txIds.delete(txId);
      this.#txIds.add(txId);
    }
    return taken;
  }
}
