import type { Remark } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { PendingCode } from '../../pending-codes.ts';
import type { LiveAction, PendingReason } from '../../rows/model.ts';
import { expiryReason } from './expiry-reason.ts';
import type { FollowedActions } from './followed-actions.ts';

/** A change of an action's stored reason; null removes the reason. */
export type PendingReasonChange = readonly [action: LiveAction, stored: PendingReason['stored']];

/**
 * Stores why signed actions have no outcome yet, for display. `#remarks` contains the ledger's current remarks about
 * transactions, `#stored` the actions whose rows contain a reason, and `#expiring` the actions whose transactions
 * expire.
 */
export class PendingReasons {
  readonly #actions: Pick<FollowedActions, 'actionOf'>;
  readonly #height: () => number | null;
  readonly #write: (changes: readonly PendingReasonChange[]) => Promise<void>;
  readonly #stored = new Set<LiveAction>();
  readonly #expiring = new Set<LiveAction>();
  #remarks = new Map<LiveAction, string>();

  /** @param height the ledger's newest block, if known */
  constructor(
    actions: Pick<FollowedActions, 'actionOf'>,
    height: () => number | null,
    write: (changes: readonly PendingReasonChange[]) => Promise<void>,
  ) {
    this.#actions = actions;
    this.#height = height;
    this.#write = write;
  }

  /** Starts following signed actions. */
  add(actions: readonly LiveAction[]): void {
    for (const action of actions) {
      if (action.pendingReason.stored !== null) this.#stored.add(action);
      if (action.attempts.some(({ validUntil }) => validUntil !== undefined)) this.#expiring.add(action);
    }
  }

  remove(action: LiveAction): void {
    this.#stored.delete(action);
    this.#expiring.delete(action);
    this.#remarks.delete(action);
  }

  /** Replaces the remarks by the ledger's current ones, and stores what changes. Durable once the promise resolves. */
  async apply(remarks: readonly Remark[]): Promise<void> {
    if (remarks.length === 0 && this.#stored.size === 0 && this.#expiring.size === 0) return;
    this.#remarks = new Map();
    for (const { txId, detail } of remarks) {
      const entry = this.#actions.actionOf(txId);
      if (entry !== undefined) this.#remarks.set(entry.action, plainWords(detail));
    }
    await this.store(new Set([...this.#stored, ...this.#expiring, ...this.#remarks.keys()]));
  }

  /**
   * Sets why actions are late. The reason of an action is shown only while the ledger has no remark about it. Durable
   * once the promise resolves.
   */
  async setLate(reasons: readonly (readonly [action: LiveAction, detail: string | null])[]): Promise<void> {
    for (const [action, detail] of reasons) action.pendingReason.late = detail;
    await this.store(reasons.map(([action]) => action));
  }

  /** Stores the reasons of these actions if they changed. Durable once the promise resolves. */
  async store(actions: Iterable<LiveAction>): Promise<void> {
    const changes = [...actions].flatMap((action): PendingReasonChange[] => {
      const reason = this.#reasonOf(action);
      const isSame = action.pendingReason.stored?.detail === reason?.detail;
      return isSame ? [] : [[action, reason]];
    });
    if (changes.length === 0) return;
    await this.#write(changes);
    for (const [action, stored] of changes) {
      action.pendingReason.stored = stored;
      if (stored === null || this.#actions.actionOf(action.attempts[0]?.txId ?? '') === undefined)
        this.#stored.delete(action);
      else this.#stored.add(action);
    }
  }

  /** Joins all reasons of an action into one message, which is stored, with the code of the first reason. */
  #reasonOf(action: LiveAction): PendingReason['stored'] {
    const { change, pluginFault, late } = action.pendingReason;
    const remark = this.#remarks.get(action);
    const all: readonly [PendingCode, string | null][] = [
      ['change-hindered', change],
      ['plugin-fault', pluginFault],
      ['expiring', this.#expiring.has(action) ? expiryReason(action, this.#height() ?? 0) : null],
      remark === undefined ? ['late', late] : ['ledger-remark', remark],
    ];
    const known = all.flatMap(([code, detail]) => (detail === null ? [] : [{ code, detail }]));
    const [first] = known;
    return first === undefined
      ? null
      : { code: first.code, detail: known.map(({ detail }) => detail).join(' ') };
  }
}
