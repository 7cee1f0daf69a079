import type { AdapterProblem } from '@ledger-ops/adapter';
import type { LedgerState } from './state.ts';
import { costsOf, type MemoryTransaction } from './transaction.ts';

/** Transactions that wait for a block, in order of arrival. */
export interface Pool {
  readonly transactions: readonly MemoryTransaction[];
  get(txId: string): MemoryTransaction | undefined;
  /** Returns the transaction of an account at a sequence. */
  at(from: string, sequence: bigint): MemoryTransaction | undefined;
  /** Adds a transaction, replacing one with the same sequence. Returns a problem if the ledger's rules refuse it. */
  add(transaction: MemoryTransaction): AdapterProblem | undefined;
  remove(txId: string): void;
  /** Drops transactions that can never be mined. */
  prune(): void;
  clear(): void;
}

const slotOf = ({ from, sequence, txId }: MemoryTransaction) => `${from}/${sequence ?? txId}`;

/** Returns the lowest price that replaces another: 10% more. */
export function replacementPrice(price: bigint): bigint {
  return (price * 110n + 99n) / 100n;
}

export function createPool(state: LedgerState): Pool {
  const byId = new Map<string, MemoryTransaction>();
  const bySlot = new Map<string, MemoryTransaction>();

  const remove = (txId: string) => {
    const transaction = byId.get(txId);
    if (transaction === undefined) return;
    byId.delete(txId);
    bySlot.delete(slotOf(transaction));
  };
  const refusal = (
    txId: string,
    detail: string,
    code: 'refused' | 'insufficient-funds' = 'refused',
  ): AdapterProblem => ({
    code,
    phase: 'submit',
    txId,
    detail,
  });
  const check = (transaction: MemoryTransaction): AdapterProblem | undefined => {
    const { from, sequence, gasPrice, txId } = transaction;
    const next = state.nonceAt(from);
    if (sequence !== null && sequence < next) {
      return refusal(txId, `The sequence ${sequence} is too low: the next sequence of ${from} is ${next}.`);
    }
    for (const [address, cost] of costsOf(transaction)) {
      const balance = state.balanceAt(address);
      if (balance >= cost) continue;
      const detail = `${address} holds ${balance}, but the transaction can cost ${cost}.`;
      return refusal(txId, detail, 'insufficient-funds');
    }
    const other = bySlot.get(slotOf(transaction));
    if (other !== undefined && gasPrice < replacementPrice(other.gasPrice)) {
      const least = replacementPrice(other.gasPrice);
      return refusal(
        txId,
        `Replacing ${other.txId} requires a gas price of at least ${least}, not ${gasPrice}.`,
      );
    }
    return undefined;
  };

  return {
    get transactions() {
      return [...byId.values()];
    },
    get: (txId) => byId.get(txId),
    at: (from, sequence) => bySlot.get(`${from}/${sequence}`),
    add(transaction) {
      const problem = check(transaction);
      if (problem !== undefined) return problem;
      const other = bySlot.get(slotOf(transaction));
      if (other !== undefined) remove(other.txId);
      byId.set(transaction.txId, transaction);
      bySlot.set(slotOf(transaction), transaction);
      return undefined;
    },
    remove,
    prune() {
      for (const { txId, from, sequence } of byId.values()) {
        if (sequence !== null && sequence < state.nonceAt(from)) remove(txId);
      }
    },
    clear() {
      byId.clear();
      bySlot.clear();
    },
  };
}
