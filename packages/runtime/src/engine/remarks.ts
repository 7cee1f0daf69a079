import type { Remark } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/process';
import type { Attempt, LiveAction } from './model.ts';

/** What a ledger says of an action that has no outcome; null: nothing any more. */
export type RemarkChange = readonly [action: LiveAction, detail: string | null];

/** Keeps what a ledger says of actions that have no outcome, so that whoever asks why one is pending is told. */
export interface Remarks {
  /** Signed actions that are followed from now on. */
  add(actions: readonly LiveAction[]): void;
  remove(action: LiveAction): void;
  /** All that the ledger says at present; what changed is durable once it resolves. */
  hear(remarks: readonly Remark[]): Promise<void>;
}

export interface RemarksOptions {
  actionOf(txId: string): { action: LiveAction; attempt: Attempt } | undefined;
  store(changes: readonly RemarkChange[]): Promise<void>;
}

export function createRemarks({ actionOf, store }: RemarksOptions): Remarks {
  /** Actions of which something is said. */
  const remarked = new Set<LiveAction>();

  return {
    add(actions) {
      for (const action of actions) if (typeof action.remark === 'string') remarked.add(action);
    },
    remove: (action) => void remarked.delete(action),
    async hear(remarks) {
      if (remarks.length === 0 && remarked.size === 0) return;
      const said = new Map<LiveAction, string | null>([...remarked].map((action) => [action, null]));
      for (const { txId, detail } of remarks) {
        const entry = actionOf(txId);
        if (entry !== undefined) said.set(entry.action, plainWords(detail));
      }
      const changes = [...said].filter(([{ remark }, detail]) => (remark ?? null) !== detail);
      if (changes.length === 0) return;
      await store(changes);
      for (const [action, detail] of changes) {
        action.remark = detail;
        if (detail === null || actionOf(action.attempts[0]?.txId ?? '') === undefined)
          remarked.delete(action);
        else remarked.add(action);
      }
    },
  };
}
