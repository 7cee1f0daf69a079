import type { ClaimingTransaction, PendingTransaction } from '@ledger-ops/adapter';
import type { Attempt, LiveAction } from '../../rows/model.ts';

export interface FollowedAttempt {
  readonly action: LiveAction;
  readonly attempt: Attempt;
}

/**
 * The signed, unsettled actions that one tracker follows. `live` contains these actions. `pending` contains the
 * transactions whose outcomes are read: those of live actions, and those of finished actions that are being checked
 * (see `follow`).
 */
export class FollowedActions {
  readonly #live = new Map<string, LiveAction>();
  readonly #byTx = new Map<string, FollowedAttempt>();
  readonly #pending = new Map<string, PendingTransaction>();
  /** Attempts that need other transactions, by transaction id. */
  readonly #needing = new Map<string, FollowedAttempt>();

  get needing(): Iterable<FollowedAttempt> {
    return this.#needing.values();
  }

  /** The followed actions by action id. */
  get live(): ReadonlyMap<string, LiveAction> {
    return this.#live;
  }

  /** The transactions whose outcomes are read, by transaction id. */
  get pending(): ReadonlyMap<string, PendingTransaction> {
    return this.#pending;
  }

  actionOf(txId: string): FollowedAttempt | undefined {
    return this.#byTx.get(txId);
  }

  add(action: LiveAction): void {
    this.#live.set(action.id, action);
    for (const attempt of action.attempts) this.#index(action, attempt);
  }

  /** Adds another attempt. Returns false if the action is no longer followed. */
  addAttempt(action: LiveAction, attempt: Attempt): boolean {
    if (this.#live.get(action.id) !== action) return false;
    action.attempts.push(attempt);
    this.#index(action, attempt);
    return true;
  }

  /** After a reorg, clears `superseded` of all attempts: the transactions that used their claims may be gone. */
  forgetSuperseded(): void {
    for (const { attempt } of this.#byTx.values()) delete attempt.superseded;
  }

  /** Removes an action. Returns the action if it was followed. */
  remove(id: string): LiveAction | undefined {
    const action = this.#live.get(id);
    if (action === undefined) return undefined;
    this.#live.delete(id);
    for (const { txId } of action.attempts) {
      this.#byTx.delete(txId);
      this.#needing.delete(txId);
      this.#pending.delete(txId);
    }
    return action;
  }

  /**
   * Records the ledger's own id of a transaction. Returns false if the transaction's outcome is not being
   * read.
   */
  recordNote(action: LiveAction, attempt: Attempt, note: string): boolean {
    attempt.note = note;
    if (!this.#pending.has(attempt.txId)) return false;
    this.#pending.set(attempt.txId, pendingTransaction(action.address, action.sequence, attempt));
    return true;
  }

  /** Starts to read the outcomes of these transactions, which belong to finished actions. */
  follow(transactions: ReadonlyMap<string, PendingTransaction>): void {
    for (const [txId, transaction] of transactions) this.#pending.set(txId, transaction);
  }

  unfollow(txIds: readonly string[]): void {
    for (const txId of txIds) if (!this.#byTx.has(txId)) this.#pending.delete(txId);
  }

  #index(action: LiveAction, attempt: Attempt): void {
    const followed = { action, attempt };
    this.#byTx.set(attempt.txId, followed);
    if (attempt.needs !== undefined) this.#needing.set(attempt.txId, followed);
    this.#pending.set(attempt.txId, pendingTransaction(action.address, action.sequence, attempt));
  }
}

interface SignedColumns {
  readonly note: string | null;
  readonly validUntil?: number | null;
  readonly claims?: readonly string[] | null;
  readonly needs?: readonly ClaimingTransaction[] | null;
}

/** Returns a signed transaction in the form that `confirm` expects. */
export function pendingTransaction(
  address: string,
  sequence: number | null,
  { note, validUntil, claims, needs }: SignedColumns,
): PendingTransaction {
  return {
    address,
    ...(sequence === null ? {} : { sequence: BigInt(sequence) }),
    ...(note === null ? {} : { note }),
    ...(validUntil === undefined || validUntil === null ? {} : { validUntil }),
    ...(claims === undefined || claims === null ? {} : { claims }),
    ...(needs === undefined || needs === null ? {} : { needs }),
  };
}
