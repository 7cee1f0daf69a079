import type { Cursor, Outcome } from '@ledger-ops/adapter';
import { continueActions } from '../../rows/actions/continue.ts';
import { type RegisterDeployed, registerDeployed } from '../../rows/actions/register-deployed.ts';
import { type PastChange, retract } from '../../rows/actions/retract.ts';
import { type Settled, settle } from '../../rows/actions/settle.ts';
import { storeSignedReasons } from '../../rows/actions/store-pending-reasons.ts';
import { storeNote } from '../../rows/attempts/signed.ts';
import { storeMark } from '../../rows/chains/chains.ts';
import type { LiveAction, Settlement } from '../../rows/model.ts';
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
  note(action: LiveAction, txId: string, note: string): Promise<void>;
  /** Why actions have no outcome. */
  pendingReasons(changes: readonly PendingReasonChange[]): Promise<void>;
  /** Transactions that the ledger shows no more of actions that have ended, or shows again. */
  past(tracker: Tracker, changes: readonly PastChange[]): Promise<void>;
}

export function createSettlementWriter(
  { context, ended, again }: Pick<ChainWorker, 'context' | 'ended' | 'again'>,
  register: RegisterDeployed,
): SettlementWriter {
  const { vault, chain, log, meter, traces, now, announce, fenced } = context;
  /** Heights of the marks that were written last. */
  const marks = new WeakMap<Tracker, number>();

  const liveOf = (tracker: Tracker, ids: readonly string[]) =>
    ids.flatMap((id) => tracker.live.get(id) ?? []);

  /** @param cursor the mark to keep; null: the one before stays */
  async function write(tracker: Tracker, outcomes: Changes, cursor: Cursor | null): Promise<void> {
    // Shards may have gone to another server since the part before.
    const ofLive = <One extends { actionId: string }>(all: readonly One[]) =>
      all.flatMap((one) => {
        const action = tracker.live.get(one.actionId);
        return action === undefined ? [] : { ...one, sentAt: action.takenAt };
      });
    const settlements = ofLive(outcomes.settlements);
    const continuations = ofLive(outcomes.continuations);
    const changes = settlements.length + continuations.length;
    const actions = liveOf(
      tracker,
      [...settlements, ...continuations].map(({ actionId }) => actionId),
    );
    const delays = new Map(continuations.map(({ actionId, delay }) => [actionId, delay]));
    const delayOf = ({ id }: LiveAction) => delays.get(id) ?? 0;
    // Its row may be read as soon as it is ready: what is to wait is known before.
    for (const action of actions) if (delayOf(action) > 0) again(tracker, action, delayOf(action));
    const step = changes > 0 ? 'settle' : null;
    const { unregistered, continued, ...settled } = await fenced(step, shardsOf(actions), async (tx) => {
      const settledAt = changes > 0 ? now() : null;
      if (cursor !== null) await storeMark(tx, tracker.open.record.uid, chain, cursor, settledAt);
      const { ids, stuck } = await continueActions(tx, vault, chain, continuations, now());
      const all = [...settlements, ...stuck];
      const settled = await settle(tx, all, now());
      const refused = await registerDeployed(tx, all, settled.ended, register);
      return { ...settled, unregistered: refused, continued: ids };
    });
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
    leave(tracker, actions, settled);
    announce(continued);
    // Their nonces may have been taken by actions of ours that had lost them before.
    const lost = new Set(
      settlements.filter(({ locator }) => locator === null).map(({ actionId }) => actionId),
    );
    tracker.doubtHistory([...shardsOf(actions.filter(({ id }) => lost.has(id)))]);
    const continues = new Set(continued);
    for (const action of actions) {
      if (continues.has(action.id)) again(tracker, action, delayOf(action));
      else if (action.takenAt !== undefined) meter.step(ledgerId, 'final', now() - action.takenAt);
    }
  }

  /** Follows actions no more that have ended, or go on by another transaction. */
  function leave(tracker: Tracker, actions: readonly LiveAction[], settled: Settled): void {
    tracker.remove(actions.map(({ id }) => id));
    for (const action of actions) ended(action);
    context.settled(settled);
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
      const settled = await fenced('reject', shardsOf(actions), (tx) => settle(tx, settlements, now()));
      leave(tracker, actions, settled);
    },
    note: ({ shard }, txId, note) => fenced('note', [shard], (tx) => storeNote(tx, chain, txId, note)),
    pendingReasons(changes) {
      const rows = changes.map(([{ id }, waiting, code]) => ({ id, waiting, code }));
      const shards = shardsOf(changes.map(([action]) => action));
      return fenced(null, shards, (tx) => storeSignedReasons(tx, rows, now()));
    },
    async past(tracker, changes) {
      const shards = shardsOf(changes.map(({ action }) => action));
      const changed = await fenced(null, shards, (tx) => retract(tx, changes, now()));
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

function shardsOf(actions: readonly { readonly shard: number }[]): Set<number> {
  return new Set(actions.map(({ shard }) => shard));
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
