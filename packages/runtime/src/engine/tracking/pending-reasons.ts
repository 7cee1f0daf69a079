import type { Remark } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { PendingCode } from '../../pending-codes.ts';
import type { LiveAction } from '../../rows/model.ts';
import type { SettlementWriter } from '../chains/settlement-writer.ts';
import { expiryReason } from './expiry-reason.ts';
import type { PendingReasonChange, Tracker } from './types.ts';

/** Keeps what is said of actions that have no outcome, so that whoever asks why one is pending is told. */
export interface PendingReasons {
  /** Signed actions that are followed from now on. */
  add(actions: readonly LiveAction[]): void;
  remove(action: LiveAction): void;
  /** All that the ledger says at present; what changed is durable once it resolves. */
  apply(remarks: readonly Remark[]): Promise<void>;
  /** Why actions are late. It is told as long as the ledger itself says nothing of them; durable once it resolves. */
  tell(reasons: readonly (readonly [action: LiveAction, detail: string | null])[]): Promise<void>;
  /** Stores what changed of these; durable once it resolves. */
  store(actions: Iterable<LiveAction>): Promise<void>;
}

export function createPendingReasons(
  tracker: Pick<Tracker, 'actionOf' | 'height'>,
  settlements: Pick<SettlementWriter, 'pendingReasons'>,
): PendingReasons {
  /** Actions of which something is told. */
  const told = new Set<LiveAction>();
  /** Actions whose transactions expire. */
  const expiring = new Set<LiveAction>();
  /** The ledger's own words on some at present. */
  let said = new Map<LiveAction, string>();

  /** The code is that of the first of them. */
  function reasonOf(action: LiveAction): { words: string | null; code: PendingCode | null } {
    const expiry = expiring.has(action) ? expiryReason(action, tracker.height() ?? 0) : null;
    const remark = said.get(action);
    const all: readonly [PendingCode, string | null | undefined][] = [
      ['change-hindered', action.hindrance],
      ['plugin-fault', action.impossible],
      ['expiring', expiry],
      remark === undefined ? ['late', action.lateness] : ['ledger-remark', remark],
    ];
    const told = all.flatMap(([code, words]) => (typeof words === 'string' ? [{ code, words }] : []));
    const [first] = told;
    if (first === undefined) return { words: null, code: null };
    return { words: told.map(({ words }) => words).join(' '), code: first.code };
  }

  async function store(actions: Iterable<LiveAction>): Promise<void> {
    const changes = [...actions].flatMap((action): PendingReasonChange[] => {
      const { words, code } = reasonOf(action);
      return (action.remark ?? null) === words ? [] : [[action, words, code]];
    });
    if (changes.length === 0) return;
    await settlements.pendingReasons(changes);
    for (const [action, detail, code] of changes) {
      action.remark = detail;
      action.remarkCode = code;
      if (detail === null || tracker.actionOf(action.attempts[0]?.txId ?? '') === undefined)
        told.delete(action);
      else told.add(action);
    }
  }

  return {
    add(actions) {
      for (const action of actions) {
        if (typeof action.remark === 'string') told.add(action);
        if (action.attempts.some(({ validUntil }) => validUntil !== undefined)) expiring.add(action);
      }
    },
    remove(action) {
      told.delete(action);
      expiring.delete(action);
      said.delete(action);
    },
    async apply(remarks) {
      if (remarks.length === 0 && told.size === 0 && expiring.size === 0) return;
      said = new Map();
      for (const { txId, detail } of remarks) {
        const entry = tracker.actionOf(txId);
        if (entry !== undefined) said.set(entry.action, plainWords(detail));
      }
      await store(new Set([...told, ...expiring, ...said.keys()]));
    },
    async tell(reasons) {
      for (const [action, detail] of reasons) action.lateness = detail;
      await store(reasons.map(([action]) => action));
    },
    store,
  };
}
