import {
  AdapterError,
  type ChainIdentity,
  type Cursor,
  type Inspected,
  type Outcome,
  type PendingTransaction,
  type Submission,
} from '@ledger-ops/adapter';
import { failureOf, failureWords, plainWords } from '@ledger-ops/adapter/process';
import { Problem } from '@ledger-ops/base';
import { troubleFrom } from '../adapter-problem.ts';
import type { Log, OpenLedger } from '../types.ts';
import type { Faults } from './faults.ts';
import { createHistory, type PastOwner } from './history.ts';
import { createLateActions, resendAfter } from './late-actions.ts';
import { createLateLooks } from './late-looks.ts';
import type { Attempt, LiveAction, Settlement } from './model.ts';
import { createOutbox } from './outbox.ts';
import { type Moment, patienceOf } from './patience.ts';
import { createRemarks, type RemarkChange } from './remarks.ts';
import type { Replacement, Replacing } from './replacements.ts';

const maxBackoff = 10_000;
/** With nothing pending, blocks are read only this often, to notice a chain that lost history. */
const idleStep = 5_000;
/** Milliseconds that a node which has not come to the mark may take to catch up, or to show that it will not. */
const catchingUp = 30_000;

/** What the line asks of the engine. */
export interface LineOwner {
  /** Writes outcomes; once it resolves they are durable. `cursor` is the mark to keep. */
  settle(line: LedgerLine, outcomes: readonly Outcome[], cursor: Cursor): Promise<void>;
  /** Transactions that were never taken, and are sent no more: once it resolves, their actions have failed. */
  reject(line: LedgerLine, settlements: readonly Settlement[]): Promise<void>;
  /** Stores the ledger's own id of a transaction. */
  note(line: LedgerLine, action: LiveAction, txId: string, note: string): Promise<void>;
  /** Signs and stores other transactions in the place of those that are late; then they are sent. */
  replace(line: LedgerLine, wanted: readonly Replacement[]): Promise<Map<string, Replacing>>;
  /** What the ledger shows of actions that are late, by their ids. */
  inspect(line: LedgerLine, actions: readonly LiveAction[]): Promise<Map<string, Inspected>>;
  /** Stores why actions have no outcome. */
  remark(line: LedgerLine, changes: readonly RemarkChange[]): Promise<void>;
  /**
   * The chain lost blocks: send again what it may have lost. `isBehind`: nothing stands where the last block was read,
   * so that a node which has not caught up looks the same.
   */
  restore(line: LedgerLine, identity: ChainIdentity, isBehind: boolean): Promise<void>;
  /** These are first of their accounts, and not mined: send again what the chain may have lost before them. */
  fillGaps(line: LedgerLine, heads: readonly LiveAction[]): Promise<void>;
  /** What has ended. */
  past: PastOwner;
}

/** One ledger's traffic: sends signed bytes, follows the blocks, hands outcomes to the engine. */
export interface LedgerLine {
  readonly open: OpenLedger;
  readonly chain: string;
  /** Plugins that are no more, whose signed actions it follows beside its own. */
  readonly adopted: Set<string>;
  /** Its plugin or ledger is not as it was opened: it follows what is signed, and signs nothing. */
  retired: boolean;
  /** A node shows another chain, and not all can be asked: nothing is signed or sent until it is known which one it is. */
  inDoubt: boolean;
  /** Signed and not settled, by action. */
  readonly live: ReadonlyMap<string, LiveAction>;
  actionOf(txId: string): { action: LiveAction; attempt: Attempt } | undefined;
  /** What replaces a late transaction is signed when it is needed. */
  readonly replaces: boolean;
  /** The ledger's newest block, as far as it is known. */
  height(): number | null;
  /** Takes signed actions over. `fresh`: never sent; else their blocks may have passed already. */
  add(actions: readonly LiveAction[], fresh: boolean): void;
  /** A live action has another transaction, which is durable: it is sent. */
  extend(action: LiveAction, attempt: Attempt, signed: Moment): void;
  /** Sends the next attempts of an action that were signed beforehand. */
  release(action: LiveAction): void;
  /** What hinders the wishes of actions changed; durable once it resolves. */
  hinder(actions: readonly LiveAction[]): Promise<void>;
  remove(actionIds: readonly string[]): void;
  /** Sends bytes again that belong to no live action. */
  resend(submissions: readonly Submission[]): void;
  /** What has ended on these shards is to be held against the ledger. */
  doubtHistory(shards: readonly number[]): void;
  forgetHistory(shards: readonly number[]): void;
  start(mark: Cursor | null): void;
  /** Resolves when nothing is being sent or read any more. */
  stop(): Promise<void>;
  /** What is wrong with the ledger, or null. */
  trouble(): string | null;
  /** What is wrong with single nodes while it is served. */
  warnings(): readonly string[];
}

export interface LineOptions {
  open: OpenLedger;
  chain: string;
  /** Of the line that it replaces. */
  adopted: ReadonlySet<string>;
  owner: LineOwner;
  faults: Faults;
  log: Log;
  now: () => number;
}

export function createLedgerLine(options: LineOptions): LedgerLine {
  const { open, chain, owner, faults, log, now } = options;
  const { session, record } = open;
  const { capabilities } = open.definition;
  const patience = capabilities.sequence === 'none' ? null : patienceOf(record.properties.replace_after);
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
  let steppedAt = 0;
  let height: number | null = null;
  let wake: () => void = () => {};
  let woken = false;
  let following: Promise<void> | null = null;
  let unsubscribe: () => void = () => {};

  function ring(): void {
    woken = true;
    wake();
  }

  const outbox = createOutbox({
    open,
    owner: {
      actionOf: (txId) => byTx.get(txId),
      reject: (_action, end) => owner.reject(line, [end]),
      async note(action, attempt, note) {
        await owner.note(line, action, attempt.txId, note);
        attempt.note = note;
        if (!pending.has(attempt.txId)) return;
        pending.set(attempt.txId, pendingOf(action, attempt));
        // Its block may have passed already.
        ring();
      },
    },
    faults,
    log,
    now,
  });

  const remarks = createRemarks({
    actionOf: (txId) => byTx.get(txId),
    store: (changes) => owner.remark(line, changes),
  });

  const history = createHistory({
    line: () => line,
    owner: owner.past,
    follow(transactions) {
      for (const [txId, transaction] of transactions) pending.set(txId, transaction);
      anew = true;
      ring();
    },
    unfollow(txIds) {
      for (const txId of txIds) if (!byTx.has(txId)) pending.delete(txId);
    },
    log,
    now,
  });

  const late = createLateActions({ live, release: outbox.release, now });
  const looks =
    patience === null
      ? null
      : createLateLooks({
          open,
          live,
          patience,
          moment: () => ({ at: now(), height }),
          signs: () => !line.retired && !line.inDoubt,
          release: outbox.release,
          sendEverywhere: outbox.everywhere,
          inspect: (actions) => owner.inspect(line, actions),
          replace: (wanted) => owner.replace(line, wanted),
          tell: remarks.tell,
          failed: (error) =>
            log('warn', 'late.failed', { ledgerId: record.ledgerId, detail: describe(error) }),
        });

  async function follow(mark: Cursor | null): Promise<void> {
    if (mark !== null) await untilAnswered(() => checkHistory(mark));
    if (!stopped) history.start();
    while (!stopped) {
      if (!woken) await nextRing();
      woken = false;
      if (stopped) return;
      try {
        await step();
        const stuck = line.inDoubt ? [] : late.stuck();
        if (stuck.length > 0) await owner.fillGaps(line, stuck);
        failures = 0;
        if (!line.inDoubt) {
          trouble = null;
          looks?.look();
        }
      } catch (error) {
        await backOff(error);
      }
      if (!line.inDoubt) late.resend();
    }
  }

  async function step(): Promise<void> {
    if (pending.size === 0 && cursor !== null && now() - steppedAt < idleStep) return;
    steppedAt = now();
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
        await owner.restore(line, await session.chain(), isBehind);
      }
      const outcomes = result.reorganised ? result.outcomes : [...passed, ...result.outcomes];
      await owner.settle(line, outcomes, result.cursor);
      if (result.reorganised || !isBehind) line.inDoubt = false;
      history.hear(outcomes);
      cursor = result.cursor;
      await remarks.hear(result.remarks ?? []);
    } catch (error) {
      anew ||= isAnew;
      throw error;
    }
  }

  /** After a restart: is the block that was read last still part of the chain? A node that is behind cannot say. */
  async function checkHistory(mark: Cursor): Promise<void> {
    const end = now() + (capabilities.sequence === 'none' ? 0 : catchingUp);
    while (!stopped) {
      const { reorganised, head } = await session.confirm({ cursor: mark, pending: new Map() });
      const isBehind = head.height < mark.height;
      if (reorganised) await owner.restore(line, await session.chain(), isBehind);
      if (reorganised || !isBehind || now() >= end) return;
      await nextRing();
    }
  }

  async function untilAnswered(work: () => Promise<void>): Promise<void> {
    while (!stopped) {
      try {
        await work();
        return;
      } catch (error) {
        await backOff(error);
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
        detail: describe(error),
      });
    }
    woken = false;
    await nextRing(Math.min(maxBackoff, 100 * 2 ** Math.min(failures, 10)));
    ring();
  }

  /** Resolves at the next head, at the next addition, or after a while, since resends need the time. */
  function nextRing(limit = resendAfter): Promise<void> {
    if (stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, limit);
      function done(): void {
        clearTimeout(timer);
        wake = () => {};
        resolve();
      }
      wake = done;
    });
  }

  const line: LedgerLine = {
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
        for (const attempt of action.attempts) {
          byTx.set(attempt.txId, { action, attempt });
          pending.set(attempt.txId, pendingOf(action, attempt));
        }
        outbox.release(action);
      }
      remarks.add(actions);
      if (!fresh && actions.length > 0) {
        anew = true;
        ring();
      }
    },
    extend(action, attempt, signed) {
      if (live.get(action.id) !== action) return;
      action.attempts.push(attempt);
      action.released = action.attempts.length - 1;
      action.releasedAt = signed.at;
      action.releasedHeight = signed.height;
      byTx.set(attempt.txId, { action, attempt });
      pending.set(attempt.txId, pendingOf(action, attempt));
      outbox.release(action);
    },
    release: outbox.release,
    hinder: remarks.hinder,
    remove(actionIds) {
      for (const id of actionIds) {
        const action = live.get(id);
        if (action === undefined) continue;
        live.delete(id);
        outbox.forget(action);
        remarks.remove(action);
        for (const { txId } of action.attempts) {
          byTx.delete(txId);
          pending.delete(txId);
        }
      }
    },
    resend(submissions) {
      outbox.resend(submissions);
    },
    doubtHistory: history.doubt,
    forgetHistory: history.forget,
    start(mark) {
      unsubscribe = session.onHead(ring);
      ring();
      following = follow(mark);
    },
    async stop() {
      stopped = true;
      unsubscribe();
      wake();
      await following;
      await history.stop();
      await looks?.stop();
      await outbox.stop();
    },
    trouble: () => trouble,
    warnings: () => warnings,
  };
  return line;
}

function pendingOf({ address, sequence }: LiveAction, { note }: Attempt): PendingTransaction {
  return {
    address,
    ...(sequence === null ? {} : { sequence: BigInt(sequence) }),
    ...(note === null ? {} : { note }),
  };
}

/** What is neither an adapter's answer nor the engine's own may say anything. */
function describe(error: unknown): string {
  const isMeant = error instanceof AdapterError || error instanceof Problem;
  return isMeant ? `${error.name}: ${troubleFrom(error).detail}` : failureWords(failureOf(error));
}
