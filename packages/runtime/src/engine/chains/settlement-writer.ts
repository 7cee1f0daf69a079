import type { Cursor, Outcome } from '@ledger-ops/adapter';
import type { Tx } from '@ledger-ops/store';
import { continueActions } from '../../rows/actions/continue.ts';
import { type RegisterDeployed, registerDeployed } from '../../rows/actions/register-deployed.ts';
import { type PastChange, retract } from '../../rows/actions/retract.ts';
import { settle } from '../../rows/actions/settle.ts';
import { storeSignedReasons } from '../../rows/actions/store-pending-reasons.ts';
import { storeNote } from '../../rows/attempts/signed.ts';
import { storeMark } from '../../rows/chains/chains.ts';
import { isCommitUnknown } from '../../rows/commit-unknown.ts';
import type { LiveAction, Settlement } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import { type ActionOutcomes, actionOutcomes } from '../tracking/outcomes.ts';
import type { PendingReasonChange, Tracker } from '../tracking/types.ts';
import type { ChainWorker } from './chain-worker.ts';

/** Blocks between two writes of a ledger's mark when nothing is settled. */
const markEvery = 32;
/** Actions whose outcomes are written in one transaction: on SQLite nothing else happens meanwhile. */
const writtenTogether = 250;

type Changes = Pick<ActionOutcomes, 'settlements' | 'continuations'>;

/** Writes what a ledger says of a tracker's transactions, in transactions fenced by the leases. */
export interface SettlementWriter {
  /**
   * Final outcomes, many of them in several transactions. `cursor` is the mark to keep, from the last one on: whoever
   * goes on from the mark before asks for what was not written. Durable once it resolves.
   */
  settle(tracker: Tracker, outcomes: readonly Outcome[], cursor: Cursor): Promise<void>;
  /** Transactions that were never taken, and are sent no more: their actions have failed. */
  reject(tracker: Tracker, settlements: readonly Settlement[]): Promise<void>;
  /** The ledger's own id of a transaction. */
  note(tracker: Tracker, action: LiveAction, txId: string, note: string): Promise<void>;
  /** Why actions have no outcome. */
  pendingReasons(changes: readonly PendingReasonChange[]): Promise<void>;
  /** Transactions that the ledger shows no more of actions that have ended, or shows again. */
  past(tracker: Tracker, changes: readonly PastChange[]): Promise<void>;
}

export interface SettlementWriterOptions {
  worker: Pick<ChainWorker, 'leases' | 'ended' | 'again' | 'reread'>;
  /** Registers what a deployment put on the ledger. */
  register: RegisterDeployed;
}

export function createSettlementWriter(
  context: EngineContext,
  { worker, register }: SettlementWriterOptions,
): SettlementWriter {
  const { store, vault, log, meter, traces, now, faults, announce } = context;
  /** Heights of the marks that were written last. */
  const marks = new WeakMap<Tracker, number>();

  const liveOf = (tracker: Tracker, ids: readonly string[]) =>
    ids.flatMap((id) => tracker.live.get(id) ?? []);

  /** @param cursor the mark to keep; null: the one before stays */
  async function write(tracker: Tracker, outcomes: Changes, cursor: Cursor | null): Promise<void> {
    // Shards may have gone to another server since the part before.
    const isLive = ({ actionId }: { actionId: string }) => tracker.live.has(actionId);
    const withSent = <One extends { actionId: string }>(one: One) => ({
      ...one,
      sentAt: tracker.live.get(one.actionId)?.takenAt,
    });
    const settlements = outcomes.settlements.filter(isLive).map(withSent);
    const continuations = outcomes.continuations.filter(isLive).map(withSent);
    const changes = settlements.length + continuations.length;
    const actions = liveOf(
      tracker,
      [...settlements, ...continuations].map(({ actionId }) => actionId),
    );
    if (changes > 0) faults('settle:before-commit');
    const work = async (tx: Tx) => {
      await worker.leases.check(tx, new Set(actions.map(({ shard }) => shard)));
      const settledAt = changes > 0 ? now() : null;
      if (cursor !== null) await storeMark(tx, tracker.open.record.uid, tracker.chain, cursor, settledAt);
      const { ids, stuck } =
        continuations.length === 0
          ? { ids: [], stuck: [] }
          : await continueActions(tx, vault, tracker.chain, continuations, now());
      const all = [...settlements, ...stuck];
      const settled = await settle(tx, all, now());
      const refused = await registerDeployed(tx, all, settled.ended, register);
      return { ...settled, unregistered: refused, continued: ids };
    };
    const delays = new Map(continuations.map(({ actionId, delay }) => [actionId, delay]));
    const again = (action: LiveAction) => worker.again(tracker, action, delays.get(action.id) ?? 0);
    // Its row may be read as soon as it is ready: what is to wait is known before.
    for (const action of actions) if ((delays.get(action.id) ?? 0) > 0) again(action);
    const { unregistered, continued, ...settled } = await store.transaction(work).catch((error: unknown) => {
      // An action that goes on may be signed anew before this tracker is told of it.
      if (isCommitUnknown(error)) worker.reread();
      throw error;
    });
    if (changes > 0) faults('settle:after-commit');
    const { ledgerId } = tracker.open.record;
    const found = new Map(settlements.map((one) => [one.actionId, one]));
    traces.confirmed(
      ledgerId,
      actions.map((action) => {
        const { locator = null, height = null } = found.get(action.id) ?? {};
        return { action, locator, height };
      }),
    );
    for (const [actionId, { detail }] of unregistered)
      log('warn', 'contract.unregistered', { actionId, detail });
    tracker.remove(actions.map(({ id }) => id));
    for (const action of actions) worker.ended(action);
    context.settled(settled);
    announce(continued);
    // Their nonces may have been taken by actions of ours that had lost them before.
    const lost = new Set(
      settlements.filter(({ locator }) => locator === null).map(({ actionId }) => actionId),
    );
    tracker.doubtHistory([...new Set(actions.filter(({ id }) => lost.has(id)).map(({ shard }) => shard))]);
    const continues = new Set(continued);
    for (const action of actions) {
      if (continues.has(action.id)) again(action);
      else if (action.takenAt !== undefined) meter.step(ledgerId, 'final', now() - action.takenAt);
    }
  }

  return {
    async settle(tracker, outcomes, cursor) {
      const { impossible, ...all } = actionOutcomes(tracker, outcomes);
      for (const { action, detail } of impossible) {
        if (action.impossible === detail) continue;
        action.impossible = detail;
        const { ledgerId } = tracker.open.record;
        log('warn', 'outcome.impossible', { ledgerId, actionId: action.id, detail });
      }
      if (impossible.length > 0) await tracker.hinder(impossible.map(({ action }) => action));
      const marked = marks.get(tracker);
      const markDue = marked === undefined || cursor.height >= marked + markEvery || cursor.height < marked;
      const batches = batchesOf(all);
      if (batches.length === 0 && !markDue) return;
      const last = batches.pop() ?? all;
      for (const batch of batches) await write(tracker, batch, null);
      await write(tracker, last, cursor);
      marks.set(tracker, cursor.height);
    },
    async reject(tracker, settlements) {
      const actions = liveOf(
        tracker,
        settlements.map(({ actionId }) => actionId),
      );
      faults('reject:before-commit');
      const settled = await store.transaction(async (tx) => {
        await worker.leases.check(tx, new Set(actions.map(({ shard }) => shard)));
        return settle(tx, settlements, now());
      });
      faults('reject:after-commit');
      tracker.remove(actions.map(({ id }) => id));
      for (const action of actions) worker.ended(action);
      context.settled(settled);
    },
    async note(tracker, action, txId, note) {
      faults('note:before-commit');
      await store.transaction(async (tx) => {
        await worker.leases.check(tx, [action.shard]);
        await storeNote(tx, tracker.chain, txId, note);
      });
      faults('note:after-commit');
    },
    async pendingReasons(changes) {
      const rows = changes.map(([{ id }, waiting, code]) => ({ id, waiting, code }));
      await store.transaction(async (tx) => {
        await worker.leases.check(tx, new Set(changes.map(([{ shard }]) => shard)));
        await storeSignedReasons(tx, rows, now());
      });
    },
    async past(tracker, changes) {
      const changed = await store.transaction(async (tx) => {
        await worker.leases.check(tx, new Set(changes.map(({ action }) => action.shard)));
        return retract(tx, changes, now());
      });
      const { ledgerId } = tracker.open.record;
      for (const { action, retracted } of changes) {
        const { id: actionId, locator } = action;
        const fields = { ledgerId, actionId, txId: locator, detail: retracted?.detail };
        if (changed.get(actionId) === 'retract') log('warn', 'action.retracted', fields);
        if (changed.get(actionId) === 'reinstate') log('info', 'action.reinstated', fields);
      }
      announce([...changed.keys()]);
    },
  };
}

/** Outcomes in parts that are written at once; none without any. */
function batchesOf({ settlements, continuations }: Changes): Changes[] {
  const batches: Changes[] = [];
  for (let at = 0; at < settlements.length; at += writtenTogether)
    batches.push({ settlements: settlements.slice(at, at + writtenTogether), continuations: [] });
  for (let at = 0; at < continuations.length; at += writtenTogether)
    batches.push({ settlements: [], continuations: continuations.slice(at, at + writtenTogether) });
  return batches;
}
