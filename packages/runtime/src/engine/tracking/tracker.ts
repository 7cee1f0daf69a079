import type { ChainIdentity, Cursor, PendingTransaction } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/backoff';
import { troubleFrom } from '../../adapter-problem.ts';
import { createSleeper } from '../../concurrency/sleeper.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import type { Attempt, LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { SettlementWriter } from '../chains/settlement-writer.ts';
import { fillGaps } from '../replacing/gap-fillers.ts';
import { createOverdue } from '../replacing/overdue.ts';
import { patienceOf } from '../replacing/patience.ts';
import { createBroadcaster } from './broadcaster.ts';
import { describeFailure } from './describe-failure.ts';
import { createHistory } from './history.ts';
import { createPendingReasons } from './pending-reasons.ts';
import { pendingTransaction } from './pending-transaction.ts';
import { createResubmission } from './resubmission.ts';
import type { Tracker } from './types.ts';

export interface TrackerOptions {
  open: OpenLedger;
  /** Plugins that the tracker in whose place it is had taken over. */
  adopted: ReadonlySet<string>;
  settlements: SettlementWriter;
  /**
   * The chain lost blocks: sends again what it may have lost, or begins anew on another chain. `isBehind`: nothing stands
   * where the last block was read, so that a node which has not caught up looks the same.
   */
  restore(tracker: Tracker, identity: ChainIdentity, isBehind: boolean): Promise<void>;
}

export function createTracker(context: ChainContext, options: TrackerOptions): Tracker {
  const { chain, log, traces, now, timing } = context;
  const { open, settlements } = options;
  const { session, record } = open;
  const { capabilities } = open.definition;
  const patience =
    capabilities.sequence === 'none' ? null : patienceOf(record.properties.replace_after, timing);
  const live = new Map<string, LiveAction>();
  const byTx = new Map<string, { action: LiveAction; attempt: Attempt }>();
  const pending = new Map<string, PendingTransaction>();
  let cursor: Cursor | null = null;
  /** Blocks of what is pending may have passed already: it is asked for wherever in the chain it is. */
  let anew = false;
  let stopped = false;
  let trouble: string | null = null;
  let warnings: readonly string[] = [];
  let failures = 0;
  let polledAt = 0;
  let height: number | null = null;
  const sleeper = createSleeper();
  let woken = false;
  let running: Promise<void> | null = null;

  const tracker: Tracker = {
    open,
    chain,
    adopted: new Set(options.adopted),
    retired: false,
    inDoubt: false,
    live,
    actionOf: (txId) => byTx.get(txId),
    replaces: patience !== null && capabilities.onDemandReplacement === true,
    height: () => height,
    add(actions, fresh) {
      for (const action of actions) {
        live.set(action.id, action);
        for (const attempt of action.attempts) index(action, attempt);
        broadcaster.release(action);
      }
      reasons.add(actions);
      if (!fresh && actions.length > 0) {
        anew = true;
        wake();
      }
    },
    extend(action, attempt, signed) {
      if (live.get(action.id) !== action) return;
      action.attempts.push(attempt);
      action.released = action.attempts.length - 1;
      action.releasedAt = signed.at;
      action.releasedHeight = signed.height;
      index(action, attempt);
      broadcaster.release(action);
    },
    release: (action) => broadcaster.release(action),
    noted(action, attempt, note) {
      attempt.note = note;
      if (!pending.has(attempt.txId)) return;
      pending.set(attempt.txId, pendingTransaction(action.address, action.sequence, attempt));
      // Its block may have passed already.
      wake();
    },
    hinder: (actions) => reasons.store(actions),
    remove(actionIds) {
      for (const id of actionIds) {
        const action = live.get(id);
        if (action === undefined) continue;
        live.delete(id);
        broadcaster.forget(action);
        reasons.remove(action);
        for (const { txId } of action.attempts) {
          byTx.delete(txId);
          pending.delete(txId);
        }
      }
    },
    resend: (submissions) => broadcaster.resend(submissions),
    follow(transactions) {
      for (const [txId, transaction] of transactions) pending.set(txId, transaction);
      anew = true;
      wake();
    },
    unfollow(txIds) {
      for (const txId of txIds) if (!byTx.has(txId)) pending.delete(txId);
    },
    doubtHistory: (shards) => history.doubt(shards),
    forgetHistory: (shards) => history.forget(shards),
    start(mark) {
      wake();
      running = run(mark);
    },
    async stop() {
      stopped = true;
      unsubscribe();
      sleeper.stop();
      await running;
      await history.stop();
      await overdue?.stop();
      await broadcaster.stop();
    },
    trouble: () => trouble,
    warnings: () => warnings,
  };

  const broadcaster = createBroadcaster(context, tracker, settlements);
  const reasons = createPendingReasons(tracker, settlements);
  const history = createHistory(context, tracker, settlements);
  const resubmission = createResubmission(context, tracker);
  const overdue = patience === null ? null : createOverdue(context, tracker, patience, broadcaster, reasons);
  const unsubscribe = session.onHead(wake);

  function index(action: LiveAction, attempt: Attempt): void {
    byTx.set(attempt.txId, { action, attempt });
    pending.set(attempt.txId, pendingTransaction(action.address, action.sequence, attempt));
  }

  function wake(): void {
    woken = true;
    sleeper.wake();
  }

  async function run(mark: Cursor | null): Promise<void> {
    if (mark !== null) await compare(mark);
    if (!stopped) history.start();
    while (!stopped) {
      if (!woken) await sleeper.sleep(timing.resend);
      woken = false;
      if (stopped) return;
      try {
        await traces.reading(poll);
        const stuck = tracker.inDoubt ? [] : resubmission.stuck();
        if (stuck.length > 0) await fillGaps(context, tracker, stuck);
        failures = 0;
        if (!tracker.inDoubt) {
          trouble = null;
          overdue?.check();
        }
      } catch (error) {
        await backOff(error);
      }
      if (!tracker.inDoubt) resubmission.resend();
    }
  }

  /** Reads the chain from the cursor on, and has written what it says. */
  async function poll(): Promise<void> {
    if (pending.size === 0 && cursor !== null && now() - polledAt < timing.idleConfirm) return;
    polledAt = now();
    const from = cursor;
    const isAnew = anew && from !== null;
    anew = false;
    try {
      // Beside the cursor, which stays: only from there it is seen that blocks were taken back.
      const passed = isAnew ? (await session.confirm({ cursor: null, pending })).outcomes : [];
      const result = await session.confirm({ cursor: from, pending });
      warnings = (result.warnings ?? []).map((warning) => plainWords(warning));
      height = result.head.height;
      const isBehind = from !== null && result.head.height < from.height;
      if (result.reorganised) {
        log('warn', 'chain.reorganised', { ledgerId: record.ledgerId, height: result.head.height });
        await options.restore(tracker, await session.chain(), isBehind);
      }
      const outcomes = result.reorganised ? result.outcomes : [...passed, ...result.outcomes];
      await settlements.settle(tracker, outcomes, result.cursor);
      if (result.reorganised || !isBehind) tracker.inDoubt = false;
      history.apply(outcomes);
      cursor = result.cursor;
      await reasons.apply(result.remarks ?? []);
    } catch (error) {
      anew ||= isAnew;
      throw error;
    }
  }

  /** After a restart: is the block that was read last still part of the chain? A node that is behind cannot say. */
  async function compare(mark: Cursor): Promise<void> {
    const catchUp = capabilities.sequence === 'none' ? 0 : timing.catchUp;
    let end = now() + catchUp;
    while (!stopped) {
      try {
        const { reorganised, head } = await session.confirm({ cursor: mark, pending: new Map() });
        const isBehind = head.height < mark.height;
        if (reorganised) await options.restore(tracker, await session.chain(), isBehind);
        if (reorganised || !isBehind || now() >= end) return;
        await sleeper.sleep(timing.resend);
      } catch (error) {
        await backOff(error);
        end = now() + catchUp;
      }
    }
  }

  async function backOff(error: unknown): Promise<void> {
    const problem = troubleFrom(error);
    failures += 1;
    trouble = problem.detail;
    if (failures === 1 || problem.code === 'adapter-fault') {
      log('warn', 'ledger.trouble', {
        ledgerId: record.ledgerId,
        code: problem.code,
        detail: describeFailure(error),
      });
    }
    woken = false;
    await sleeper.sleep(backoff(failures, timing.confirmAgain));
    wake();
  }

  return tracker;
}
