import type { Cursor, Outcome } from '@ledger-ops/adapter';
import { together } from '@ledger-ops/store';
import { continueActions } from '../../rows/actions/continue.ts';
import { type LostAction, prepareAgain } from '../../rows/actions/prepare-again.ts';
import { type RegisterDeployed, registerDeployed } from '../../rows/actions/register-deployed.ts';
import { type PastChange, retract } from '../../rows/actions/retract.ts';
import { type Settled, settle } from '../../rows/actions/settle.ts';
import { storeSignedReasons } from '../../rows/actions/store-pending-reasons.ts';
import { neededBy, readLostForever } from '../../rows/attempts/claims.ts';
import { storeNote } from '../../rows/attempts/signed.ts';
import { storeMark } from '../../rows/chains/chains.ts';
import type { LiveAction, Settlement } from '../../rows/model.ts';
import { type ActionOutcomes, actionOutcomes } from '../tracking/outcomes.ts';
import type { PendingReasonChange } from '../tracking/pending-reasons.ts';
import type { Tracker } from '../tracking/tracker.ts';
import type { ChainContext } from './chain-context.ts';
import type { ChainWorker } from './chain-worker.ts';
import { sortLostActions } from './lost-actions.ts';

/** Number of blocks after which the mark, a ledger's read position, is written even if no action is settled. */
const markEvery = 32;
/** Number of outcomes written in one transaction. On SQLite, all other writes wait for this transaction. */
const writtenTogether = 250;

type Changes = Pick<ActionOutcomes, 'settlements' | 'continuations'> & { again: LostAction[] };

/**
 * Writes the outcomes that trackers read to the database, in database transactions fenced by the leases.
 *
 * `#marks` contains the height of the last written mark of each tracker.
 */
export class SettlementWriter {
  readonly #worker: Pick<ChainWorker, 'context' | 'ended' | 'again'>;
  readonly #context: ChainContext;
  readonly #register: RegisterDeployed;
  readonly #marks = new WeakMap<Tracker, number>();

  constructor(worker: Pick<ChainWorker, 'context' | 'ended' | 'again'>, register: RegisterDeployed) {
    this.#worker = worker;
    this.#context = worker.context;
    this.#register = register;
  }

  /**
   * Settles final outcomes, in several database transactions if there are many. Only the last transaction
   * stores `cursor` as the mark, so that unwritten outcomes are read again after a crash. Durable once the
   * promise resolves.
   */
  async settle(tracker: Tracker, outcomes: readonly Outcome[], cursor: Cursor): Promise<void> {
    const { impossible, taken, ...known } = actionOutcomes(
      tracker,
      outcomes,
      await this.#lostBefore(tracker),
    );
    const { again, ends } = await sortLostActions(this.#context, tracker, taken);
    const all = { ...known, settlements: [...known.settlements, ...ends], again };
    for (const { action, detail } of impossible) {
      if (action.pendingReason.pluginFault === detail) continue;
      action.pendingReason.pluginFault = detail;
      const { ledgerId } = tracker.open.record;
      this.#context.log('warn', 'outcome.impossible', { ledgerId, actionId: action.id, detail });
    }
    if (impossible.length > 0) await tracker.storeReasons(impossible.map(({ action }) => action));
    const marked = this.#marks.get(tracker);
    const markDue = marked === undefined || cursor.height >= marked + markEvery || cursor.height < marked;
    const batches = batchesOf(all);
    if (batches.length === 0 && !markDue) return;
    const last = batches.pop() ?? all;
    for (const batch of batches) await this.#write(tracker, batch, null);
    await this.#write(tracker, last, cursor);
    this.#marks.set(tracker, cursor.height);
  }

  /**
   * Returns ids of transactions that can no longer be executed although followed transactions need them: their actions
   * completed with other transactions, or were retracted.
   */
  #lostBefore({ actions }: Tracker): Promise<Set<string>> {
    const needed = neededBy([...actions.needing].map(({ attempt }) => attempt));
    return readLostForever(this.#context.store.read, this.#context.chain, needed);
  }

  /** Fails actions whose transactions the ledger rejected and that are not sent again. */
  async reject(tracker: Tracker, settlements: readonly Settlement[]): Promise<void> {
    const actions = liveOf(
      tracker,
      settlements.map(({ actionId }) => actionId),
    );
    const compared = await this.#context.dependents.compareOf(settlements.map(({ actionId }) => actionId));
    const settled = await this.#context.fenced('reject', shardsOf(actions), (tx) =>
      settle(tx, settlements, this.#context.now(), compared),
    );
    this.#stopFollowing(tracker, actions, settled);
  }

  /** Stores the ledger's own id of a transaction. */
  async note({ shard }: LiveAction, txId: string, note: string): Promise<void> {
    await this.#context.fenced('note', [shard], (tx) => storeNote(tx, this.#context.chain, txId, note));
  }

  /** Stores the reasons why signed actions are still pending. */
  async pendingReasons(changes: readonly PendingReasonChange[]): Promise<void> {
    const rows = changes.map(([{ id }, stored]) => ({
      id,
      waiting: stored?.detail ?? null,
      code: stored?.code ?? null,
    }));
    const shards = shardsOf(changes.map(([action]) => action));
    await this.#context.fenced(null, shards, (tx) => storeSignedReasons(tx, rows, this.#context.now()));
  }

  /**
   * Marks finished actions as retracted if the ledger no longer contains their transactions, and reinstates
   * them if it contains the transactions again.
   */
  async past(tracker: Tracker, changes: readonly PastChange[]): Promise<void> {
    const shards = shardsOf(changes.map(({ action }) => action));
    const changed = await this.#context.fenced(null, shards, (tx) =>
      retract(tx, changes, this.#context.now()),
    );
    const { ledgerId } = tracker.open.record;
    for (const { action, retracted } of changes) {
      const { id: actionId, locator } = action;
      const fields = { ledgerId, actionId, txId: locator, detail: retracted?.detail };
      if (changed.get(actionId) === 'retract') this.#context.log('warn', 'action.retracted', fields);
      if (changed.get(actionId) === 'reinstate') this.#context.log('info', 'action.reinstated', fields);
    }
    this.#context.announce([...changed.keys()]);
  }

  /** @param cursor the mark to store; null leaves the stored mark unchanged */
  async #write(tracker: Tracker, outcomes: Changes, cursor: Cursor | null): Promise<void> {
    // Another server may have taken over some shards since the previous batch was written.
    const ofLive = <One extends { actionId: string }>(all: readonly One[]) =>
      all.flatMap((one) => {
        const action = tracker.live.get(one.actionId);
        return action === undefined ? [] : { ...one, sentAt: action.takenAt };
      });
    const settlements = ofLive(outcomes.settlements);
    const continuations = ofLive(outcomes.continuations);
    const lost = ofLive(outcomes.again);
    const all = [...settlements, ...continuations, ...lost];
    const changes = all.length;
    const actions = liveOf(
      tracker,
      all.map(({ actionId }) => actionId),
    );
    const delays = new Map(continuations.map(({ actionId, delay }) => [actionId, delay]));
    const delayOf = ({ id }: LiveAction) => delays.get(id) ?? 0;
    // The delays are set before the commit, because the scheduler may read the action right after it.
    for (const action of actions)
      if (delayOf(action) > 0) this.#worker.again(tracker, action, delayOf(action));
    const mayFail = all.filter((one) => !('status' in one) || one.status !== 'SUCCEEDED');
    const compared = await this.#context.dependents.compareOf(mayFail.map(({ actionId }) => actionId));
    const step = changes > 0 ? 'settle' : null;
    const { unregistered, continued, ...settled } = await this.#context.fenced(
      step,
      shardsOf(actions),
      async (tx) => {
        const now = this.#context.now();
        const { vault, chain } = this.#context;
        const settledAt = changes > 0 ? now : null;
        const mark =
          cursor === null ? undefined : storeMark(tx, tracker.open.record.uid, chain, cursor, settledAt);
        const change = async () => {
          const { ids, stuck } = await continueActions(tx, vault, chain, continuations, now);
          const again = await prepareAgain(tx, vault, lost, now);
          const ends = [...settlements, ...stuck, ...again.ends];
          const settled = await settle(tx, ends, now, compared);
          const refused = await registerDeployed(tx, ends, settled.ended, this.#register);
          return { ...settled, unregistered: refused, continued: [...ids, ...again.ids] };
        };
        const [, changed] = await together(mark, change());
        return changed;
      },
    );
    const { ledgerId } = tracker.open.record;
    const found = new Map(settlements.map((one) => [one.actionId, one]));
    this.#context.traces.confirmed(
      ledgerId,
      actions.map((action) => {
        const { locator = null, height = null } = found.get(action.id) ?? {};
        return { action, locator, height };
      }),
    );
    for (const [actionId, { detail }] of unregistered)
      this.#context.log('warn', 'contract.unregistered', { actionId, detail });
    this.#stopFollowing(tracker, actions, settled);
    this.#context.announce(continued);
    // The transaction that used the nonce may belong to another action of this service, which was marked as retracted
    // after a reorg.
    const without = new Set([
      ...settlements.filter(({ locator }) => locator === null).map(({ actionId }) => actionId),
      ...lost.map(({ actionId }) => actionId),
    ]);
    tracker.history.recheck([...shardsOf(actions.filter(({ id }) => without.has(id)))]);
    const continues = new Set(continued);
    for (const action of actions) {
      if (continues.has(action.id)) this.#worker.again(tracker, action, delayOf(action));
      else if (action.takenAt !== undefined)
        this.#context.meter.step(ledgerId, 'final', this.#context.now() - action.takenAt);
    }
  }

  /** Stops following actions that have completed or continue with another transaction. */
  #stopFollowing(tracker: Tracker, actions: readonly LiveAction[], settled: Settled): void {
    tracker.remove(actions.map(({ id }) => id));
    for (const action of actions) this.#worker.ended(action);
    this.#context.settled(settled);
  }
}

function liveOf(tracker: Tracker, ids: readonly string[]): LiveAction[] {
  return ids.flatMap((id) => tracker.live.get(id) ?? []);
}

function shardsOf(actions: readonly { readonly shard: number }[]): Set<number> {
  return new Set(actions.map(({ shard }) => shard));
}

/** Splits outcomes into one batch per database transaction. Returns no batches if there are no outcomes. */
function batchesOf({ settlements, continuations, again }: Changes): Changes[] {
  const none: Changes = { settlements: [], continuations: [], again: [] };
  return [
    ...partsOf(settlements).map((part) => ({ ...none, settlements: part })),
    ...partsOf(continuations).map((part) => ({ ...none, continuations: part })),
    ...partsOf(again).map((part) => ({ ...none, again: part })),
  ];
}

function partsOf<One>(all: readonly One[]): One[][] {
  return Array.from({ length: Math.ceil(all.length / writtenTogether) }, (_, index) =>
    all.slice(index * writtenTogether, (index + 1) * writtenTogether),
  );
}
