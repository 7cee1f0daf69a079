import type { Remark } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/process';
import type { Attempt, LiveAction } from './model.ts';

/** What is said of an action that has no outcome; null: nothing any more. */
export type RemarkChange = readonly [action: LiveAction, detail: string | null];

/** Keeps what is said of actions that have no outcome, so that whoever asks why one is pending is told. */
export interface Remarks {
  /** Signed actions that are followed from now on. */
  add(actions: readonly LiveAction[]): void;
  remove(action: LiveAction): void;
  /** All that the ledger says at present; what changed is durable once it resolves. */
  hear(remarks: readonly Remark[]): Promise<void>;
  /** Why actions are late. It is told as long as the ledger itself says nothing of them; durable once it resolves. */
  tell(reasons: readonly RemarkChange[]): Promise<void>;
  /** What hinders the wishes of actions changed; durable once it resolves. */
  hinder(actions: readonly LiveAction[]): Promise<void>;
}

export interface RemarksOptions {
  actionOf(txId: string): { action: LiveAction; attempt: Attempt } | undefined;
  store(changes: readonly RemarkChange[]): Promise<void>;
}

export function createRemarks({ actionOf, store }: RemarksOptions): Remarks {
  /** Actions of which something is said. */
  const remarked = new Set<LiveAction>();
  /** What the ledger says of some at present. */
  let said = new Map<LiveAction, string>();

  function wordsOf(action: LiveAction): string | null {
    const words = [action.hindrance, said.get(action) ?? action.lateness].flatMap((one) => one ?? []);
    return words.length === 0 ? null : words.join(' ');
  }

  async function keep(actions: Iterable<LiveAction>): Promise<void> {
    const changes = [...actions].flatMap((action): RemarkChange[] => {
      const detail = wordsOf(action);
      return (action.remark ?? null) === detail ? [] : [[action, detail]];
    });
    if (changes.length === 0) return;
    await store(changes);
    for (const [action, detail] of changes) {
      action.remark = detail;
      if (detail === null || actionOf(action.attempts[0]?.txId ?? '') === undefined) remarked.delete(action);
      else remarked.add(action);
    }
  }

  return {
    add(actions) {
      for (const action of actions) if (typeof action.remark === 'string') remarked.add(action);
    },
    remove(action) {
      remarked.delete(action);
      said.delete(action);
    },
    async hear(remarks) {
      if (remarks.length === 0 && remarked.size === 0) return;
      said = new Map();
      for (const { txId, detail } of remarks) {
        const entry = actionOf(txId);
        if (entry !== undefined) said.set(entry.action, plainWords(detail));
      }
      await keep(new Set([...remarked, ...said.keys()]));
    },
    async tell(reasons) {
      for (const [action, detail] of reasons) action.lateness = detail;
      await keep(reasons.map(([action]) => action));
    },
    hinder: keep,
  };
}
