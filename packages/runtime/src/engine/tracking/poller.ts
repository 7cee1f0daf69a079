import type { ChainIdentity, Cursor } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/base/backoff';
import { ledgerFailure } from '../../adapter-problem.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { SettlementWriter } from '../chains/settlement-writer.ts';
import { fillGaps } from '../replacing/gap-fillers.ts';
import { Overdue } from '../replacing/overdue.ts';
import { describeFailure } from './describe-failure.ts';
import { Resubmission } from './resubmission.ts';
import type { Tracker } from './tracker.ts';

export interface PollerOptions {
  settlements: Pick<SettlementWriter, 'settle'>;
  /**
   * Called after a reorg. Resends the transactions that the chain may have lost, or starts over on another chain.
   * `isBehind` is true if the node has no block at the cursor's height, so that it may only be behind.
   */
  restore(tracker: Tracker, identity: ChainIdentity, isBehind: boolean): Promise<void>;
}

/**
 * Polls the blocks of one tracker's ledger, and passes outcomes to the settlement writer.
 *
 * A poller is new, then running, then stopped. When it starts, it compares the stored mark with the ledger. It then
 * repeats these steps: wait for a head or a wake-up, poll, fill gaps, handle overdue transactions, resend. After each
 * consecutive failure (`#failures`), it waits longer. `#cursor` is the last block read.
 */
export class Poller {
  readonly #context: ChainContext;
  readonly #tracker: Tracker;
  readonly #options: PollerOptions;
  readonly #resubmission: Resubmission;
  readonly #overdue: Overdue | null;
  readonly #unsubscribe: () => void;
  #cursor: Cursor | null = null;
  #polledAt = 0;
  #failures = 0;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(context: ChainContext, tracker: Tracker, options: PollerOptions) {
    this.#context = context;
    this.#tracker = tracker;
    this.#options = options;
    this.#resubmission = new Resubmission(context, tracker);
    this.#overdue = tracker.patience === null ? null : new Overdue(context, tracker, tracker.patience);
    this.#unsubscribe = tracker.open.session.onHead(() => tracker.wake());
  }

  /** @param mark the last block that was read before the restart; null if none was read */
  start(mark: Cursor | null): void {
    this.#tracker.wake();
    this.#running = this.#run(mark);
  }

  /** Resolves when nothing is being sent or read. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#tracker.endWaiting();
    await this.#running;
    await this.#tracker.history.stop();
    await this.#overdue?.stop();
    await this.#tracker.broadcaster.stop();
  }

  async #run(mark: Cursor | null): Promise<void> {
    const { timing, traces } = this.#context;
    const tracker = this.#tracker;
    if (mark !== null) await this.#compare(mark);
    if (!this.#isStopped) tracker.history.start();
    while (!this.#isStopped) {
      await tracker.waitUntilWoken(timing.resend);
      if (this.#isStopped) return;
      try {
        await traces.reading(() => this.#poll());
        const stuck = tracker.isChainUncertain ? [] : this.#resubmission.stuck();
        if (stuck.length > 0) await fillGaps(this.#context, tracker, stuck);
        this.#failures = 0;
        if (!tracker.isChainUncertain) {
          tracker.lastError = null;
          this.#overdue?.check();
        }
      } catch (error) {
        await this.#backOff(error);
      }
      if (!tracker.isChainUncertain) this.#resubmission.resend();
    }
  }

  /** Reads the chain from the cursor to the newest block, and stores the outcomes. */
  async #poll(): Promise<void> {
    const { now, timing, log } = this.#context;
    const { actions, open, history, reasons } = this.#tracker;
    const { session, record } = open;
    const { pending } = actions;
    const from = this.#cursor;
    if (pending.size === 0 && from !== null && now() - this.#polledAt < timing.idleConfirm) return;
    this.#polledAt = now();
    const searched = this.#tracker.takeSearch();
    try {
      // This is an extra call without a cursor. The call with the cursor is still needed: only it detects a reorg.
      const isSearch = searched.size > 0 && from !== null;
      const passed = isSearch ? (await session.confirm({ cursor: null, pending: searched })).outcomes : [];
      const result = await session.confirm({ cursor: from, pending });
      this.#tracker.warnings = (result.warnings ?? []).map((warning) => plainWords(warning));
      this.#tracker.height = this.#tracker.hasBlocks ? result.head.height : null;
      this.#tracker.figures.note(result, now());
      const isBehind = from !== null && result.head.height < from.height;
      if (result.reorganised) {
        log('warn', 'chain.reorganised', { ledgerId: record.ledgerId, height: result.head.height });
        actions.forgetSuperseded();
        await this.#options.restore(this.#tracker, await session.chain(), isBehind);
      }
      const outcomes = result.reorganised ? result.outcomes : [...passed, ...result.outcomes];
      // Changes of finished actions come first, so that a failed write of the other outcomes does not delay them.
      history.apply(outcomes);
      await this.#options.settlements.settle(this.#tracker, outcomes, result.cursor);
      if (result.reorganised || !isBehind) this.#tracker.isChainUncertain = false;
      this.#cursor = result.cursor;
      await reasons.apply(result.remarks ?? []);
    } catch (error) {
      this.#tracker.repeatSearch(searched.keys());
      throw error;
    }
  }

  /**
   * After a restart, checks whether the last block that was read is still part of the chain. Waits for a node that is
   * behind, because it cannot tell.
   */
  async #compare(mark: Cursor): Promise<void> {
    const { now, timing } = this.#context;
    const { session, definition } = this.#tracker.open;
    const catchUp = definition.capabilities.sequence === 'none' ? 0 : timing.catchUp;
    let end = now() + catchUp;
    while (!this.#isStopped) {
      try {
        const { reorganised, head } = await session.confirm({ cursor: mark, pending: new Map() });
        const isBehind = head.height < mark.height;
        if (reorganised) await this.#options.restore(this.#tracker, await session.chain(), isBehind);
        if (reorganised || !isBehind || now() >= end) return;
        await this.#tracker.pause(timing.resend);
        this.#tracker.wake();
      } catch (error) {
        await this.#backOff(error);
        end = now() + catchUp;
      }
    }
  }

  async #backOff(error: unknown): Promise<void> {
    const { log, timing } = this.#context;
    const { record } = this.#tracker.open;
    const { code, detail } = ledgerFailure(error);
    this.#failures += 1;
    this.#tracker.lastError = detail;
    if (this.#failures === 1 || code === 'adapter-fault') {
      log('warn', 'ledger.trouble', { ledgerId: record.ledgerId, code, detail: describeFailure(error) });
    }
    await this.#tracker.pause(backoff(this.#failures, timing.confirmAgain));
    this.#tracker.wake();
  }
}
