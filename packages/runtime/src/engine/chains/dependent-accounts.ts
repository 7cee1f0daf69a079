import { ledgerFailure } from '../../adapter-problem.ts';
import { endsWithin } from '../../concurrency/ends-within.ts';
import type { Ledgers } from '../../ledgers.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import {
  accountKey,
  type DependentAccount,
  readDependentAccounts,
  type Uncompared,
} from '../../rows/actions/dependents.ts';
import { isExclusive } from '../../rows/unknown-transactions.ts';
import type { EngineContext } from '../context.ts';
import { compareAccount } from '../signing/compare-account.ts';

/** Maximum number of accounts that are compared before an action fails. Further accounts count as not compared. */
const mostCompared = 100;

type Context = Pick<EngineContext, 'store' | 'log' | 'meter' | 'now' | 'timing' | 'isCurrent'>;

/**
 * Compares accounts with their ledgers before their unsigned actions fail: a restored database may not know
 * that an action was executed. If it was, the account has unknown transactions afterwards, and its wallets
 * are suspended.
 */
export class DependentAccounts {
  readonly #context: Context;
  readonly #ledgers: Pick<Ledgers, 'open' | 'reopen'>;

  constructor(context: Context, ledgers: Pick<Ledgers, 'open' | 'reopen'>) {
    this.#context = context;
    this.#ledgers = ledgers;
  }

  /**
   * Compares the accounts of all actions that depend on actions that are about to fail. Returns those that
   * could not be compared in time. @throws StoreError
   */
  async compareOf(failing: readonly string[]): Promise<Uncompared> {
    if (failing.length === 0) return new Set();
    return await this.compareAll(
      await readDependentAccounts(this.#context.store.read, failing, mostCompared + 1),
    );
  }

  /** Compares accounts. Returns those that could not be compared in time. @throws StoreError */
  async compareAll(accounts: readonly DependentAccount[]): Promise<Uncompared> {
    const answers = await Promise.all(
      accounts.map(async (account, place) => {
        const { chain, address } = account;
        if (!(await isExclusive(this.#context.store.read, chain, address))) return [];
        return place < mostCompared && (await this.#compareOne(account)) ? [] : [accountKey(chain, address)];
      }),
    );
    return new Set(answers.flat());
  }

  /** Compares an account. Returns false if the ledger cannot be read in time. */
  async compare(open: OpenLedger, chain: string, address: string): Promise<boolean> {
    const { timing, log } = this.#context;
    try {
      const work = compareAccount(this.#context, open, chain, address);
      return (await endsWithin(work, timing.prepare)) && (await work);
    } catch (error) {
      const { detail } = ledgerFailure(error);
      log('info', 'account.not-compared', { ledgerId: open.record.ledgerId, chain, address, detail });
      return false;
    }
  }

  async #compareOne({ chain, address, ledgerUid, plugin, projectUid }: DependentAccount): Promise<boolean> {
    const opening =
      plugin === null
        ? this.#ledgers.open(ledgerUid, { projectUid })
        : this.#ledgers.reopen(ledgerUid, plugin);
    const open = await opening.catch(() => null);
    return open !== null && (await this.compare(open, chain, address));
  }
}
