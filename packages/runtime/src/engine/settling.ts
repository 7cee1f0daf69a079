import type { Cursor, Outcome } from '@ledger-ops/adapter';
import type { Store, Tx } from '@ledger-ops/store';
import type { Log, Vault } from '../types.ts';
import type { ChainWorker } from './chain-worker.ts';
import { continueActions } from './continue.ts';
import type { Faults } from './faults.ts';
import { isInDoubt } from './in-doubt.ts';
import type { LedgerLine } from './ledger-line.ts';
import type { LiveAction, Settlement } from './model.ts';
import { judgeOutcomes } from './outcomes.ts';
import { type RegisterDeployed, registerDeployed } from './registrations.ts';
import type { RemarkChange } from './remarks.ts';
import { type PastChange, retract } from './retract.ts';
import { settle } from './settle.ts';
import { rowset } from './sql.ts';

/** Blocks between two writes of a ledger's mark when nothing is settled. */
const markEvery = 32;

/** Writes what a ledger said of signed transactions, each in one transaction fenced by the lanes' leases. */
export interface Settling {
  /** What is final. `cursor` is the mark to keep. */
  outcomes(line: LedgerLine, outcomes: readonly Outcome[], cursor: Cursor): Promise<void>;
  /** Transactions that were never taken, and are sent no more: their actions have failed. */
  reject(line: LedgerLine, settlements: readonly Settlement[]): Promise<void>;
  /** The ledger's own id of a transaction. */
  note(line: LedgerLine, action: LiveAction, txId: string, note: string): Promise<void>;
  /** Why actions have no outcome. */
  remark(line: LedgerLine, changes: readonly RemarkChange[]): Promise<void>;
  /** What the ledger shows no more of actions that have ended, or shows again. */
  past(line: LedgerLine, changes: readonly PastChange[]): Promise<void>;
  /** Forgets a line that is closed. */
  forget(line: LedgerLine): void;
}

export interface SettlingOptions {
  store: Store;
  vault: Vault;
  /** Registers what a deployment put on the ledger. */
  register: RegisterDeployed;
  faults: Faults;
  log: Log;
  now: () => number;
  workerFor: (chain: string) => Promise<ChainWorker>;
  announce: (actionIds: readonly string[]) => void;
  wakeChain: (chain: string) => void;
}

export function createSettling(options: SettlingOptions): Settling {
  const { store, vault, register, faults, log, now, workerFor, announce, wakeChain } = options;
  const marks = new Map<LedgerLine, number>();

  const liveOf = (line: LedgerLine, ids: readonly string[]) => ids.flatMap((id) => line.live.get(id) ?? []);

  return {
    async outcomes(line, outcomes, cursor) {
      const { settlements, continuations } = judgeOutcomes(line, outcomes);
      const marked = marks.get(line);
      const markDue = marked === undefined || cursor.height >= marked + markEvery || cursor.height < marked;
      const changes = settlements.length + continuations.length;
      if (changes === 0 && !markDue) return;
      const worker = await workerFor(line.chain);
      const actions = liveOf(
        line,
        [...settlements, ...continuations].map(({ actionId }) => actionId),
      );
      if (changes > 0) faults('settle:before-commit');
      const work = async (tx: Tx) => {
        await worker.leases.check(tx, new Set(actions.map(({ shard }) => shard)));
        await tx.run(
          `INSERT INTO chain_mark (ledger_uid, chain, height, hash, settled_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (ledger_uid) DO UPDATE SET chain = excluded.chain, height = excluded.height, hash = excluded.hash,
            settled_at = coalesce(excluded.settled_at, chain_mark.settled_at)`,
          [line.open.record.uid, line.chain, cursor.height, cursor.hash, changes > 0 ? now() : null],
        );
        const { ids, stuck } =
          continuations.length === 0
            ? { ids: [], stuck: [] }
            : await continueActions(tx, vault, line.chain, continuations, now());
        const all = [...settlements, ...stuck];
        const settled = await settle(tx, all, now());
        const refused = await registerDeployed(tx, all, settled.ended, register);
        return { ...settled, unregistered: refused, continued: ids };
      };
      const { ended, wake, unregistered, continued } = await store
        .transaction(work)
        .catch((error: unknown) => {
          // An action that goes on may be signed anew before this line hears of it.
          if (isInDoubt(error)) worker.doubt();
          throw error;
        });
      if (changes > 0) faults('settle:after-commit');
      for (const [actionId, { detail }] of unregistered)
        log('warn', 'contract.unregistered', { actionId, detail });
      marks.set(line, cursor.height);
      line.remove(actions.map(({ id }) => id));
      for (const action of actions) worker.ended(action);
      announce([...ended, ...continued]);
      // What took their nonces may be one of ours, which had lost it before.
      const lost = new Set(
        settlements.filter(({ locator }) => locator === null).map(({ actionId }) => actionId),
      );
      line.doubtHistory([...new Set(actions.filter(({ id }) => lost.has(id)).map(({ shard }) => shard))]);
      const delays = new Map(continuations.map(({ actionId, delay }) => [actionId, delay]));
      for (const action of actions)
        if (continued.includes(action.id)) worker.again(line, action, delays.get(action.id) ?? 0);
      for (const chain of wake) wakeChain(chain);
    },
    async reject(line, settlements) {
      const worker = await workerFor(line.chain);
      const actions = liveOf(
        line,
        settlements.map(({ actionId }) => actionId),
      );
      faults('reject:before-commit');
      const { ended, wake } = await store.transaction(async (tx) => {
        await worker.leases.check(tx, new Set(actions.map(({ shard }) => shard)));
        return settle(tx, settlements, now());
      });
      faults('reject:after-commit');
      line.remove(actions.map(({ id }) => id));
      for (const action of actions) worker.ended(action);
      announce(ended);
      for (const chain of wake) wakeChain(chain);
    },
    async note(line, action, txId, note) {
      const worker = await workerFor(line.chain);
      faults('note:before-commit');
      await store.transaction(async (tx) => {
        await worker.leases.check(tx, [action.shard]);
        await tx.run('UPDATE attempt SET note = $3 WHERE chain = $1 AND tx_id = $2', [
          line.chain,
          txId,
          note,
        ]);
      });
      faults('note:after-commit');
    },
    async remark(line, changes) {
      const worker = await workerFor(line.chain);
      const rows = changes.map(([{ id }, waiting]) => ({ id, waiting }));
      await store.transaction(async (tx) => {
        await worker.leases.check(tx, new Set(changes.map(([{ shard }]) => shard)));
        await tx.run(
          `UPDATE action SET waiting = j.waiting FROM ${rowset(tx.dialect, '$1', { id: 'text', waiting: 'text' })}
            WHERE action.id = j.id AND action.status = 'PENDING' AND action.stage = 'signed'`,
          [JSON.stringify(rows)],
        );
      });
    },
    async past(line, changes) {
      const worker = await workerFor(line.chain);
      const changed = await store.transaction(async (tx) => {
        await worker.leases.check(tx, new Set(changes.map(({ action }) => action.shard)));
        return retract(tx, changes, now());
      });
      const { ledgerId } = line.open.record;
      for (const { action, retracted } of changes) {
        const { id: actionId, locator } = action;
        const fields = { ledgerId, actionId, txId: locator, detail: retracted?.detail };
        if (changed.get(actionId) === 'retract') log('warn', 'action.retracted', fields);
        if (changed.get(actionId) === 'reinstate') log('info', 'action.reinstated', fields);
      }
      announce([...changed.keys()]);
    },
    forget: (line) => void marks.delete(line),
  };
}
