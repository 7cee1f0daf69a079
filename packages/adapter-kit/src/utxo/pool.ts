import { type Coin, coinId, isReplaceable, type UtxoTransaction } from './transaction.ts';

/** A refusal with the code and message of Bitcoin Core. */
export interface Refusal {
  code: number;
  message: string;
}

/** A transaction that waits for a block. `fee` in satoshi. */
export interface Waiting {
  transaction: UtxoTransaction;
  fee: bigint;
}

/** Minimum fee that a replacement adds, in satoshi per virtual byte. */
const incrementalFee = 1n;
/** Maximum number of transactions that one replacement may evict (BIP 125). */
const mostEvicted = 100;
/** Maximum number of unconfirmed ancestors (or descendants) of a transaction, including itself. */
const longestChain = 25;

const refuse = (message: string, code = -26): Refusal => ({ code, message });

/** Transactions that wait for a block, in order of arrival, with the policy of Bitcoin Core. */
export class UtxoPool {
  readonly #byId = new Map<string, Waiting>();
  /** Ids of the transactions that spend coins, by coin. */
  readonly #spenders = new Map<string, string>();

  get entries(): readonly Waiting[] {
    return [...this.#byId.values()];
  }

  get(txId: string): Waiting | undefined {
    return this.#byId.get(txId);
  }

  spenderOf(coin: string): string | undefined {
    return this.#spenders.get(coin);
  }

  /** Returns an output of a waiting transaction. */
  coin(id: string): Coin | undefined {
    const [txId = '', index = ''] = id.split(':');
    const output = this.#byId.get(txId)?.transaction.outputs[Number(index)];
    return output === undefined ? undefined : { id, txId, index: Number(index), ...output };
  }

  /** Adds a transaction whose coins no waiting transaction spends. */
  put(entry: Waiting): void {
    const { txId, inputs } = entry.transaction;
    this.#byId.set(txId, entry);
    for (const { coin } of inputs) this.#spenders.set(coin, txId);
  }

  /** Adds a transaction, if the policy allows it, and evicts those that it replaces. */
  add(entry: Waiting): Refusal | undefined {
    const { transaction, fee } = entry;
    const conflicts = this.#conflictsOf(transaction);
    const evicted = new Set(conflicts.flatMap(({ txId }) => this.descendantsOf(txId)));
    const refusal =
      conflicts.length === 0 ? undefined : this.#refusalOfReplacement(entry, conflicts, evicted);
    if (refusal !== undefined) return refusal;
    const ancestors = this.#ancestorsOf(transaction);
    const isLong = [...ancestors].some((txId) => this.descendantsOf(txId).length >= longestChain);
    if (ancestors.size >= longestChain || isLong) return refuse('too-long-mempool-chain');
    for (const txId of evicted) this.#remove(txId);
    this.put({ transaction, fee });
    return undefined;
  }

  /** Returns the transaction and all transactions that depend on its outputs. */
  descendantsOf(txId: string): string[] {
    const found = new Set([txId]);
    for (const one of found) {
      const outputs = this.#byId.get(one)?.transaction.outputs ?? [];
      for (const index of outputs.keys()) {
        const child = this.#spenders.get(coinId(one, index));
        if (child !== undefined) found.add(child);
      }
    }
    return [...found];
  }

  /** Returns the number of unconfirmed ancestors, including the transaction itself. */
  ancestorCountOf(transaction: UtxoTransaction): number {
    return this.#ancestorsOf(transaction).size + 1;
  }

  /** Removes a transaction that is now in a block, and all transactions that conflict with it. */
  confirm(transaction: UtxoTransaction): void {
    this.#remove(transaction.txId);
    for (const { txId } of this.#conflictsOf(transaction)) this.evict(txId);
  }

  /** Removes a transaction and its descendants. */
  evict(txId: string): void {
    for (const one of this.descendantsOf(txId)) this.#remove(one);
  }

  clear(): void {
    this.#byId.clear();
    this.#spenders.clear();
  }

  #remove(txId: string): void {
    for (const { coin } of this.#byId.get(txId)?.transaction.inputs ?? []) {
      if (this.#spenders.get(coin) === txId) this.#spenders.delete(coin);
    }
    this.#byId.delete(txId);
  }

  #conflictsOf({ txId, inputs }: UtxoTransaction): UtxoTransaction[] {
    const ids = new Set(inputs.flatMap(({ coin }) => this.#spenders.get(coin) ?? []));
    ids.delete(txId);
    return [...ids].flatMap((one) => this.#byId.get(one)?.transaction ?? []);
  }

  #ancestorsOf(transaction: UtxoTransaction): Set<string> {
    const found = new Set<string>();
    const open = [transaction];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      for (const { coin } of one.inputs) {
        const [parent = ''] = coin.split(':');
        const entry = this.#byId.get(parent);
        if (entry === undefined || found.has(parent)) continue;
        found.add(parent);
        open.push(entry.transaction);
      }
    }
    return found;
  }

  /** Returns the refusal of a replacement that violates BIP 125, otherwise undefined. */
  #refusalOfReplacement(
    { transaction, fee }: Waiting,
    conflicts: readonly UtxoTransaction[],
    evicted: ReadonlySet<string>,
  ): Refusal | undefined {
    if (!conflicts.every(isReplaceable)) return refuse('txn-mempool-conflict');
    if (evicted.size > mostEvicted) return refuse('too many potential replacements');
    const known = new Set(conflicts.flatMap(({ inputs }) => inputs.map(({ coin }) => coin)));
    for (const { coin } of transaction.inputs) {
      const [parent = ''] = coin.split(':');
      if (evicted.has(parent)) return refuse('bad-txns-spends-conflicting-tx');
      if (this.#byId.has(parent) && !known.has(coin)) return refuse('replacement-adds-unconfirmed');
    }
    const feesOf = (txIds: Iterable<string>) =>
      [...txIds].reduce((sum, txId) => sum + (this.#byId.get(txId)?.fee ?? 0n), 0n);
    const size = BigInt(transaction.vsize);
    const isLower = conflicts.some(({ txId, vsize }) => fee * BigInt(vsize) <= feesOf([txId]) * size);
    const least = feesOf(evicted) + incrementalFee * size;
    return isLower || fee < least
      ? refuse(`insufficient fee, rejecting replacement ${transaction.txId}; new fee ${fee} < ${least}`)
      : undefined;
  }
}
