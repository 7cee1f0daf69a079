import { ledgerFailure } from '../../adapter-problem.ts';
import { endsWithin } from '../../concurrency/ends-within.ts';
import type { Ledgers } from '../../ledgers.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import {
  accountKey,
  type Compared,
  type DependentAccount,
  readDependentAccounts,
} from '../../rows/actions/dependents.ts';
import { isExclusive } from '../../rows/unknown-transactions.ts';
import type { EngineContext } from '../context.ts';
import { compareAccount } from '../signing/compare-account.ts';

/**
 * Maximum number of accounts that are compared with their ledgers before actions fail. The others count as not
 * compared.
 */
const mostCompared = 100;

type Context = Pick<EngineContext, 'store' | 'log' | 'meter' | 'now' | 'timing' | 'isCurrent'>;

/**
 * Compares accounts with their ledgers before their unsigned actions fail, because a restored database may not contain
 * that an action was executed. If the comparison finds unknown transactions, the wallets of the account are suspended.
 */
export class DependentAccounts {
  readonly #context: Context;
  readonly #ledgers: Pick<Ledgers, 'open' | 'reopen'>;

  constructor(context: Context, ledgers: Pick<Ledgers, 'open' | 'reopen'>) {
    this.#context = context;
    this.#ledgers = ledgers;
  }

  /** Compares the accounts of all actions that depend on the actions `failing`, which are about to fail. */
  async compareOf(failing: readonly string[]): Promise<Compared> {
    if (failing.length === 0) return new Set();
    return await this.compareAll(
      await readDependentAccounts(this.#context.store.read, failing, mostCompared),
    );
  }

  /**
   * Compares accounts. Returns those that were compared in time, and all shared accounts: other programs use these too,
   * so none of their transactions is unexpected. @throws StoreError
   */
  async compareAll(accounts: readonly DependentAccount[]): Promise<Compared> {
    const compared = await Promise.all(
      accounts.slice(0, mostCompared).map(async (account) => {
        const { chain, address } = account;
        const isKnown =
          !(await isExclusive(this.#context.store.read, chain, address)) || (await this.#compareOne(account));
        return isKnown ? [accountKey(chain, address)] : [];
      }),
    );
    return new Set(compared.flat());
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
