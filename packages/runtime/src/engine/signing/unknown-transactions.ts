import type { PendingReason } from '../../pending-codes.ts';
import { suspensionsTopic } from '../../rows/actions/suspensions.ts';
import { baseOf } from '../../rows/chains/chain-key.ts';
import { readResets } from '../../rows/chains/chains.ts';
import {
  hasHistory,
  hasUnknown,
  isExclusive,
  mostUnknown,
  readKnownIds,
  readKnownNext,
  storeUnknown,
  type UnknownTransaction,
} from '../../rows/unknown-transactions.ts';
import type { EngineContext } from '../context.ts';

/** Returns why a wallet with unknown transactions may not sign. */
export function unknownTransactionsReason(address: string): PendingReason {
  const reason = `The wallet ${address} is suspended, because it has unknown transactions (on the ledger, but not in the service's database). Resolve them, then resume the wallet.`;
  return { code: 'suspended', reason };
}

/**
 * A sequence of an account that a transaction of another program used, at confirmation depth. `by` is its id, if known.
 */
export interface TakenSequence {
  readonly address: string;
  readonly sequence: number;
  readonly by: string | undefined;
}

/**
 * Detects unknown transactions of exclusive wallets: the database was restored to an earlier state, or another program
 * signs with the key. The wallets are suspended before anything else is signed for them.
 *
 * Has no state in memory; writes to the tables `unknown_transaction` and `suspension`.
 */
export class UnknownTransactions {
  readonly #context: Pick<EngineContext, 'store' | 'log' | 'meter' | 'now'>;
  readonly #chain: string;

  constructor(context: Pick<EngineContext, 'store' | 'log' | 'meter' | 'now'>, chain: string) {
    this.#context = context;
    this.#chain = chain;
  }

  /**
   * Compares an account's transaction count on the ledger with the next sequence that is stored. If an exclusive
   * account has unknown transactions, suspends its wallets and returns true.
   *
   * An account without a stored sequence has nothing to compare with, because it was imported or its chain was reset.
   */
  async isAhead(address: string, count: number, stored: number | null): Promise<boolean> {
    if (stored === null || count <= stored) return false;
    const { read } = this.#context.store;
    if (!(await this.isExclusive(address))) return false;
    // The sequence is read again, because another server may have signed after it was read. Signed bytes are stored
    // before they are sent.
    const base = baseOf(this.#chain);
    const next = (await readKnownNext(read, base, await readResets(read, base), address)) ?? stored;
    if (count <= next) return false;
    await this.#suspend(
      Array.from({ length: Math.min(count - next, mostUnknown) }, (_, index) => ({
        chain: this.#chain,
        address,
        sequence: next + index,
        txId: null,
        height: null,
      })),
    );
    return true;
  }

  /** Whether the account has unknown transactions that no user has resolved yet. */
  isKnownAhead(address: string): Promise<boolean> {
    return hasUnknown(this.#context.store.read, this.#chain, address);
  }

  /** Whether the account has a stored history that can be compared with the ledger. */
  hasHistory(address: string): Promise<boolean> {
    return hasHistory(this.#context.store.read, this.#chain, address);
  }

  /** Whether the account belongs to an exclusive wallet. */
  isExclusive(address: string): Promise<boolean> {
    return isExclusive(this.#context.store.read, this.#chain, address);
  }

  /**
   * Suspends the wallets of an account that signed unknown transactions, on a ledger without sequences.
   * @param height height up to which the account's transactions were read
   */
  async noteSigned(address: string, txIds: readonly string[], height: number): Promise<void> {
    const chain = this.#chain;
    await this.#suspend(txIds.map((txId) => ({ chain, address, sequence: null, txId, height })));
  }

  /** Suspends exclusive wallets whose sequences were used by unknown transactions. */
  async noteTaken(taken: readonly TakenSequence[]): Promise<void> {
    if (taken.length === 0) return;
    const { read } = this.#context.store;
    const known = await readKnownIds(
      read,
      this.#chain,
      taken.flatMap(({ by }) => by ?? []),
    );
    const foreign = taken.filter(({ by }) => by === undefined || !known.has(by));
    for (const [address, all] of Map.groupBy(foreign, (one) => one.address)) {
      if (!(await this.isExclusive(address))) continue;
      await this.#suspend(
        all.map(({ sequence, by }) => ({
          ...{ chain: this.#chain, address, sequence, txId: by ?? null, height: null },
        })),
      );
    }
  }

  async #suspend(found: readonly UnknownTransaction[]): Promise<void> {
    const { store, log, meter, now } = this.#context;
    const suspended = await store.transaction((tx) => storeUnknown(tx, found, now()));
    if (suspended.length === 0) return;
    store.notify(suspensionsTopic);
    for (const { walletId, ledgerId } of suspended) {
      const [first] = found;
      log('error', 'wallet.unknown-transactions', {
        ...{ walletId, ledgerId, chain: this.#chain, address: first?.address ?? null },
        ...{ sequence: first?.sequence ?? null, txId: first?.txId ?? null, count: found.length },
      });
      meter.unknownTransactions(ledgerId);
    }
  }
}
