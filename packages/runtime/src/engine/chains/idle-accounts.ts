import { adapterError } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { backoff } from '@ledger-ops/base/backoff';
import { StoreError } from '@ledger-ops/store';
import { ledgerFailure } from '../../adapter-problem.ts';
import { createSleeper } from '../../concurrency/sleeper.ts';
import type { Ledgers } from '../../ledgers.ts';
import {
  type ExclusiveWallet,
  readComparedChains,
  readExclusiveWallets,
} from '../../rows/compared-accounts.ts';
import type { EngineContext } from '../context.ts';
import { compareAccount } from '../signing/compare-account.ts';

/** Number of wallets read per batch. */
const batch = 500;
/** Number of consecutive failures after which a ledger is not read again in the current pass. */
const mostFailures = 3;

type Context = Pick<EngineContext, 'store' | 'log' | 'meter' | 'now' | 'timing' | 'isCurrent'>;

/**
 * Wallets that have not been compared with their ledgers yet: all wallets of some ledgers, and single wallets
 * by uid.
 */
interface Left {
  readonly ledgers: ReadonlySet<string>;
  readonly wallets: ReadonlySet<string>;
}

/** The chain that a ledger serves, during one pass. */
interface Visit {
  /** Number of consecutive failures. */
  failures: number;
  /**
   * True if the ledger was deleted or is on another chain, so that these accounts cannot be compared with it.
   */
  isElsewhere: boolean;
}

/**
 * Compares the accounts of exclusive wallets with their ledgers once after startup, one at a time. Accounts that sign
 * are compared before their first signature. This pass detects a restored database even if the affected wallets have no
 * pending actions. It needs no lease, because a comparison reads the ledger before the database, and signed bytes are
 * stored before they are sent. Runs until all accounts are compared, or until `stop`.
 */
export class IdleAccounts {
  readonly #context: Context;
  readonly #ledgers: Pick<Ledgers, 'open'>;
  readonly #sleeper = createSleeper();
  #isStopped = false;
  #compared = 0;

  constructor(context: Context, ledgers: Pick<Ledgers, 'open'>) {
    this.#context = context;
    this.#ledgers = ledgers;
  }

  /** Resolves when all accounts were compared, or after `stop`. */
  async compare(): Promise<void> {
    const { timing, log } = this.#context;
    let left: Left | undefined;
    for (let passes = 1; !this.#isStopped; passes += 1) {
      try {
        left = await this.#pass(left);
        if (left.ledgers.size + left.wallets.size === 0) break;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        log('warn', 'accounts.not-read', { detail: error.message });
      }
      await this.#sleeper.sleep(backoff(passes, timing.compareIdleAgain));
    }
    if (this.#compared > 0) log('info', 'accounts.compared', { count: this.#compared });
  }

  stop(): void {
    this.#isStopped = true;
    this.#sleeper.stop();
  }

  /** Returns the wallets that could not be compared. */
  async #pass(only: Left | undefined): Promise<Left> {
    const { read } = this.#context.store;
    const visits = new Map<string, Visit>();
    const left = { ledgers: new Set<string>(), wallets: new Set<string>() };
    for (const chain of await readComparedChains(read)) {
      let after: Pick<ExclusiveWallet, 'address' | 'uid'> | undefined = { address: '', uid: '' };
      while (after !== undefined) {
        const wallets: ExclusiveWallet[] = await readExclusiveWallets(read, chain, after, batch);
        for (const wallet of wallets) {
          if (this.#isStopped) return left;
          const key = `${chain} ${wallet.ledgerUid} ${wallet.projectUid}`;
          const isLeft = only === undefined || only.ledgers.has(key) || only.wallets.has(wallet.uid);
          if (!wallet.hasSigned || !isLeft || left.ledgers.has(key)) continue;
          const visit = visits.get(key) ?? { failures: 0, isElsewhere: false };
          visits.set(key, visit);
          if (await this.#visit(chain, wallet, visit)) continue;
          left.wallets.add(wallet.uid);
          if (visit.failures >= mostFailures) left.ledgers.add(key);
        }
        after = wallets.length === batch ? wallets.at(-1) : undefined;
      }
    }
    return left;
  }

  /** Compares a wallet. Returns false if it must be compared again. @throws StoreError */
  async #visit(chain: string, wallet: ExclusiveWallet, visit: Visit): Promise<boolean> {
    if (visit.isElsewhere) return true;
    const { timing } = this.#context;
    try {
      visit.isElsewhere = !(await this.#withinPatience(this.#compareOne(chain, wallet)));
      visit.failures = 0;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (this.#isStopped) return true;
      visit.isElsewhere = error instanceof Problem && error.problem === 'not-found';
      if (visit.isElsewhere) return true;
      visit.failures += 1;
      const { ledgerId, address } = wallet;
      const { detail } = ledgerFailure(error);
      this.#context.log('info', 'account.not-compared', { ledgerId, chain, address, detail });
      return false;
    } finally {
      await this.#sleeper.sleep(timing.compareIdle);
    }
    return true;
  }

  /**
   * Waits for work on a ledger.
   * @throws AdapterError `timeout` if the work takes too long, or after `stop`
   */
  async #withinPatience<Result>(work: Promise<Result>): Promise<Result> {
    const late = this.#sleeper.sleep(this.#context.timing.comparePatience).then((): never => {
      throw adapterError('timeout', 'The nodes did not respond in time.', { phase: 'lookup' });
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      late.catch(() => {});
      this.#sleeper.wake();
    }
  }

  /** Compares an account. Returns false if the ledger is not on this chain. */
  async #compareOne(chain: string, { address, ledgerUid, projectUid }: ExclusiveWallet): Promise<boolean> {
    const open = await this.#ledgers.open(ledgerUid, { projectUid });
    if (!(await compareAccount(this.#context, open, chain, address))) return false;
    this.#compared += 1;
    return true;
  }
}
