import type { Outcome, PendingTransaction } from '@ledger-ops/adapter';
import { createSleeper } from '../../concurrency/sleeper.ts';
import {
  comparePast,
  type PastAction,
  type PastPlace,
  readPast,
  type Shown,
} from '../../rows/actions/past.ts';
import type { PastChange } from '../../rows/actions/retract.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { SettlementWriter } from '../chains/settlement-writer.ts';
import { describeFailure } from './describe-failure.ts';
import { countByOne, readLost } from './lost-transactions.ts';
import { pendingTransaction } from './pending-transaction.ts';
import type { Tracker } from './types.ts';

/** Past actions that are looked at in one turn. */
const turnSize = 100;
/** Past actions that may wait for the ledger's word at once. */
const mostOpen = 1_000;

/**
 * Holds what has ended against the ledger: blocks may be taken back while nobody looks. In parts, beside the tracker's
 * own work, so that a long history delays nothing.
 */
export interface History {
  /** The past of these shards is to be looked at. */
  doubt(shards: readonly number[]): void;
  /** These shards are another server's. */
  forget(shards: readonly number[]): void;
  apply(outcomes: readonly Outcome[]): void;
  start(): void;
  stop(): Promise<void>;
}

/** A past action for which the ledger's word is awaited. */
interface Open {
  action: PastAction;
  shown: Map<string, Shown>;
  since: number;
  isTold: boolean;
}

export function createHistory(
  { store, chain, trackers, log, now, timing }: ChainContext,
  tracker: Tracker,
  settlements: Pick<SettlementWriter, 'past'>,
): History {
  const { open: ledger } = tracker;
  const place = { ledgerId: ledger.record.ledgerId, chain };
  /** Shards whose past is to be looked at, and how far that was done. */
  const doubted = new Map<number, PastPlace | null>();
  const open = new Map<string, Open>();
  const byTx = new Map<string, Open>();
  let resendAt = Number.POSITIVE_INFINITY;
  let isFailing = false;
  let isWanted = false;
  let stopped = false;
  const { sleep, wake, stop } = createSleeper();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (!stopped) {
      const began = performance.now();
      let pause: number;
      try {
        await turn();
        isFailing = false;
        // At most a quarter of the time goes into it.
        pause = Math.max(timing.historyPause, 3 * (performance.now() - began));
      } catch (error) {
        if (!isFailing) log('warn', 'history.failed', { ...place, detail: describeFailure(error) });
        isFailing = true;
        pause = timing.historyAgain;
      }
      await sleep(pause);
      if (doubted.size === 0 && !isWanted) await sleep(open.size === 0 ? undefined : timing.historyAgain);
    }
  }

  async function turn(): Promise<void> {
    isWanted = false;
    if (tracker.inDoubt) return;
    await write();
    // Transactions without a sequence were sent again when it was seen that blocks are lost.
    if (ledger.definition.capabilities.sequence === 'account' && now() >= resendAt) {
      resendAt = now() + timing.historyResend;
      const shards = new Set([...doubted.keys(), ...[...open.values()].map((one) => one.action.shard)]);
      const { kept } = await readLost(store, chain, [...shards], { ended: true, count: countByOne(tracker) });
      tracker.resend(kept);
    }
    const [next] = doubted;
    if (next === undefined || open.size >= mostOpen) return;
    const [shard, before] = next;
    const { actions, last } = await readPast(store, tracker, shard, otherPlugins(), before, turnSize);
    await look(actions);
    // Doubted anew, or let go, meanwhile.
    if (doubted.get(shard) !== before) return;
    if (actions.length < turnSize) doubted.delete(shard);
    else doubted.set(shard, last);
  }

  /** Transactions that the ledger finds by their ids are all right. Of the rest it is asked what became of them. */
  async function look(actions: readonly PastAction[]): Promise<void> {
    const { session, definition } = ledger;
    const found = await Promise.all(
      actions.map(async ({ attempts, locator }) => {
        const shown = new Map<string, Shown>();
        if (!definition.capabilities.lookup) return shown;
        const ids = locator === null ? attempts.map(({ txId }) => txId) : [locator];
        await Promise.all(
          ids.map(async (txId) => {
            const status = (await session.lookup(txId))?.status;
            if (status === 'SUCCEEDED') shown.set(txId, { status: 'succeeded' });
            if (status === 'FAILED') shown.set(txId, { status: 'failed' });
          }),
        );
        return shown;
      }),
    );
    const reinstated: PastChange[] = [];
    const unclear: PastAction[] = [];
    for (const [index, action] of actions.entries()) {
      const retracted = comparePast(action, found[index] ?? new Map(), now());
      if (retracted !== null) {
        // An action that never was on the ledger is not expected there.
        if (retracted !== undefined || action.locator !== null || action.isRetracted) unclear.push(action);
      } else if (action.isRetracted) reinstated.push({ action, retracted: null });
    }
    if (reinstated.length > 0) await settlements.past(tracker, reinstated);
    ask(unclear);
  }

  function ask(actions: readonly PastAction[]): void {
    const transactions = new Map<string, PendingTransaction>();
    for (const action of actions) {
      if (open.has(action.id)) continue;
      const one: Open = { action, shown: new Map(), since: now(), isTold: false };
      open.set(action.id, one);
      for (const attempt of action.attempts) {
        byTx.set(attempt.txId, one);
        transactions.set(attempt.txId, pendingTransaction(action.address, attempt.sequence, attempt));
      }
    }
    if (transactions.size > 0) tracker.follow(transactions);
  }

  function drop(gone: readonly Open[]): void {
    for (const { action } of gone) {
      open.delete(action.id);
      for (const { txId } of action.attempts) byTx.delete(txId);
    }
    tracker.unfollow(gone.flatMap(({ action }) => action.attempts.map(({ txId }) => txId)));
  }

  /** Of what is clear now, whatever is to be told is stored; the rest waits, for as long as its bytes are kept. */
  async function write(): Promise<void> {
    const clear: Open[] = [];
    const changes: PastChange[] = [];
    let unclear = 0;
    for (const one of open.values()) {
      const { action, shown, since, isTold } = one;
      const retracted = comparePast(action, shown, now());
      if (retracted === undefined) {
        if (now() - since >= timing.historyLongest) clear.push(one);
        if (isTold || now() - since < timing.historyUnclear) continue;
        one.isTold = true;
        unclear += 1;
        continue;
      }
      clear.push(one);
      if (action.isRetracted !== (retracted !== null)) changes.push({ action, retracted });
    }
    if (unclear > 0) log('warn', 'history.unclear', { ...place, count: unclear });
    if (changes.length > 0) await settlements.past(tracker, changes);
    if (clear.length > 0) drop(clear);
  }

  /** Plugins whose actions other trackers of the ledger follow. */
  function otherPlugins(): string[] {
    return [...trackers()].flatMap((other) =>
      other === tracker || other.open.record.uid !== ledger.record.uid
        ? []
        : [other.open.pluginUid, ...other.adopted],
    );
  }

  return {
    doubt(shards) {
      if (shards.length === 0) return;
      for (const shard of shards) doubted.set(shard, null);
      // Words about other blocks count no more.
      for (const { action, shown } of open.values()) if (shards.includes(action.shard)) shown.clear();
      resendAt = Number.NEGATIVE_INFINITY;
      isWanted = true;
      wake();
    },
    forget(shards) {
      for (const shard of shards) doubted.delete(shard);
      drop([...open.values()].filter(({ action }) => shards.includes(action.shard)));
    },
    apply(outcomes) {
      for (const outcome of outcomes) {
        const one = byTx.get(outcome.txId);
        if (one === undefined) continue;
        const { status } = outcome;
        const by = status === 'superseded' ? outcome.by : undefined;
        one.shown.set(outcome.txId, { status, ...(by === undefined ? {} : { by }) });
        isWanted = true;
      }
      if (isWanted) wake();
    },
    start() {
      running = run();
    },
    async stop() {
      stopped = true;
      stop();
      await running;
    },
  };
}
