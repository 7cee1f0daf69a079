import { type AccountTransactions, adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { StoreError } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { endsWithin } from '../../concurrency/ends-within.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { type PendingReason, pendingCodeOf } from '../../pending-codes.ts';
import { shardOf } from '../../rows/chains/chain-key.ts';
import {
  isComparedBeforeReset,
  readComparedAccount,
  storeCompared,
  storeIncomplete,
  storeKnownHeight,
} from '../../rows/compared-accounts.ts';
import { readStoredIds } from '../../rows/unknown-transactions.ts';
import type { EngineContext } from '../context.ts';
import { type UnknownTransactions, unknownTransactionsReason } from './unknown-transactions.ts';

/** Maximum number of accounts whose last comparison with the ledger is kept in memory. */
const mostCompared = 100_000;
/** Number of ids per database query, and number of transactions whose signers are read from the ledger concurrently. */
const [storedAtOnce, readAtOnce] = [1_000, 100];

interface Comparison {
  readonly shard: number;
  /** When the account first needed a comparison; undefined while it does not need one. */
  since: number | undefined;
  /** When the account was last compared with its ledger, or when the comparison was given up. */
  at: number | undefined;
  /**
   * True if the account could not be compared for too long. From then on, failures do not delay signatures, until a
   * comparison succeeds.
   */
  isGivenUp: boolean;
  running: Promise<PendingReason | undefined> | undefined;
}

type Context = Pick<EngineContext, 'store' | 'log' | 'now' | 'timing' | 'isCurrent'>;

/**
 * Compares exclusive accounts of ledgers without sequences with their transactions on the ledger: before the first
 * signature after startup or a takeover, and from time to time while they sign.
 *
 * If the database may have been restored to an earlier state, transactions that it lacks may still wait for a block. So
 * nothing is signed until these have expired and the account has been compared again.
 *
 * `#accounts` contains the comparisons of this server's shards, only in memory. `#expiresBy` is the height at which
 * transactions that were signed before the first comparison have expired.
 */
export class Comparisons {
  readonly #context: Context;
  readonly #chain: string;
  readonly #unknown: Pick<UnknownTransactions, 'isExclusive' | 'noteSigned'>;
  readonly #accounts = new Map<string, Comparison>();
  #expiresBy: number | undefined;

  constructor(
    context: Context,
    chain: string,
    unknown: Pick<UnknownTransactions, 'isExclusive' | 'noteSigned'>,
  ) {
    this.#context = context;
    this.#chain = chain;
    this.#unknown = unknown;
  }

  /** Returns why one of these accounts may not sign now; undefined if all may sign. @throws StoreError */
  async hinders(open: OpenLedger, addresses: readonly string[]): Promise<PendingReason | undefined> {
    const { sequence, listsTransactions } = open.definition.capabilities;
    if (sequence !== 'none' || listsTransactions !== true) return undefined;
    const reasons = await Promise.all(addresses.map((address) => this.#hinders(open, address)));
    return reasons.find((reason) => reason !== undefined);
  }

  /**
   * Compares an account with the ledger unless it was compared recently. Suspends its wallets if it signed an
   * unknown transaction.
   * @throws AdapterError, StoreError if it cannot be compared now
   */
  async compare(open: OpenLedger, address: string): Promise<void> {
    if (open.definition.capabilities.listsTransactions !== true) return;
    const comparison = this.#of(address);
    const isRecent = this.#ageOf(comparison.at) < this.#context.timing.compareAgain;
    if (isRecent && !comparison.isGivenUp) return;
    const hindrance = await this.#compare(open.session, address);
    if (hindrance === undefined) this.#settle(comparison, false);
    else if (hindrance.code !== 'suspended')
      throw adapterError('unavailable', hindrance.reason, { phase: 'lookup' });
  }

  /**
   * Compares an account with the transactions in blocks, even if the account has nothing to sign. Suspends
   * its wallets if it signed an unknown transaction.
   * @throws AdapterError, StoreError
   */
  async compareIdle(session: LedgerSession, address: string): Promise<void> {
    await this.#compare(session, address);
  }

  /** Removes the comparisons of accounts in these shards: another server may sign for the accounts in the meantime. */
  evict(shards: readonly number[]): void {
    for (const [address, { shard }] of this.#accounts)
      if (shards.includes(shard)) this.#accounts.delete(address);
  }

  async #hinders(open: OpenLedger, address: string): Promise<PendingReason | undefined> {
    const comparison = this.#of(address);
    if (this.#ageOf(comparison.at) < this.#context.timing.compareAgain) return undefined;
    comparison.since ??= this.#context.now();
    comparison.running ??= this.#run(open, address, comparison).finally(() => {
      comparison.running = undefined;
    });
    const { running } = comparison;
    if (await endsWithin(running, this.#context.timing.prepare)) return running;
    return this.#giveUp(address, comparison, late(address));
  }

  #of(address: string): Comparison {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    if (this.#accounts.size >= mostCompared) this.#accounts.clear();
    const comparison = {
      ...{ shard: shardOf(address), since: undefined, at: undefined },
      ...{ isGivenUp: false, running: undefined },
    };
    this.#accounts.set(address, comparison);
    return comparison;
  }

  /** Returns the age in milliseconds; infinite if the clock was moved back in the meantime. */
  #ageOf(at: number | undefined): number {
    const age = this.#context.now() - (at ?? Number.POSITIVE_INFINITY);
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  async #run(open: OpenLedger, address: string, comparison: Comparison): Promise<PendingReason | undefined> {
    try {
      const hindrance = await this.#compare(open.session, address);
      // The account was compared, but something else prevents signing. The next attempt compares again, and this one
      // does not count as a failed comparison.
      if (hindrance === undefined) this.#settle(comparison, false);
      else comparison.since = undefined;
      return hindrance;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const problem = adapterProblemFrom(error);
      const reason = { code: pendingCodeOf(problem), reason: notYet(address, problem.detail) };
      return this.#giveUp(address, comparison, reason);
    }
  }

  /** Allows signing after a time limit, even if the nodes do not respond. */
  async #giveUp(
    address: string,
    comparison: Comparison,
    reason: PendingReason,
  ): Promise<PendingReason | undefined> {
    const isPatient = this.#ageOf(comparison.since) < this.#context.timing.comparePatience;
    if (isPatient && !comparison.isGivenUp) return reason;
    await this.#noteIncomplete(address, reason.reason);
    this.#settle(comparison, true);
    return undefined;
  }

  #settle(comparison: Comparison, isGivenUp: boolean): void {
    comparison.at = this.#context.now();
    comparison.since = undefined;
    comparison.isGivenUp = isGivenUp;
  }

  /**
   * Compares the account, and returns why it may not sign now. Suspends its wallets if it signed an unknown
   * transaction.
   */
  async #compare(session: LedgerSession, address: string): Promise<PendingReason | undefined> {
    const { store, now } = this.#context;
    if (session.transactionsOf === undefined || !(await this.#unknown.isExclusive(address))) return undefined;
    const stored = await readComparedAccount(store.read, this.#chain, address);
    const known = stored ?? (await this.#begin(session, address));
    const found = await session.transactionsOf({ address, since: known.height });
    // `#expiresBy` is set at the first comparison, even if a user has yet to decide about unknown transactions.
    this.#expiresBy ??= found.expiresBy;
    if (found.head < known.height) {
      const detail = `The ledger is at block ${found.head}, but block ${known.height} was read before.`;
      throw adapterError('unavailable', detail, { phase: 'lookup' });
    }
    const { unknown, unread } = await this.#search(session, address, found);
    if (unknown.length > 0) {
      await this.#unknown.noteSigned(address, unknown, found.head);
      return unknownTransactionsReason(address);
    }
    const incomplete = found.incomplete ?? unread;
    if (incomplete !== undefined) await this.#noteIncomplete(address, incomplete);
    else {
      const height = Math.max(known.height, found.completeTo);
      await store.transaction((tx) => storeCompared(tx, { chain: this.#chain, height }, address, now()));
    }
    return this.#unexpired(address, found.head);
  }

  /**
   * Stores the height from which an account without a stored height is compared. It is 0 if this service created the
   * account's key while no node responded: the database then contains all of its transactions. After a chain reset, it
   * is the current height.
   */
  async #begin(session: LedgerSession, address: string): Promise<{ height: number }> {
    const chain = this.#chain;
    const isReset = await isComparedBeforeReset(this.#context.store.read, chain, address);
    const found = isReset ? await session.transactionsOf?.({ address, since: null }) : undefined;
    const height = found?.head ?? 0;
    await this.#context.store.transaction((tx) => storeKnownHeight(tx, { chain, height }, address));
    return { height };
  }

  /**
   * Returns why the account may not sign: unknown transactions of it may still be executed. Undefined once they have
   * expired.
   */
  #unexpired(address: string, head: number): PendingReason | undefined {
    const expiresBy = this.#expiresBy;
    if (this.#context.isCurrent || expiresBy === undefined || head > expiresBy) return undefined;
    return early(address, expiresBy, head);
  }

  /**
   * Returns those of the listed transactions that the account signed and that the database lacks. Reads the database
   * after the ledger, because other servers store their transactions before they send them.
   */
  async #search(session: LedgerSession, address: string, { txIds }: AccountTransactions) {
    const unknown: string[] = [];
    let unread: string | undefined;
    for (const listed of chunksOf(txIds, storedAtOnce)) {
      const stored = await readStoredIds(this.#context.store.read, this.#chain, listed);
      for (const some of chunksOf(
        listed.filter((txId) => !stored.has(txId)),
        readAtOnce,
      )) {
        const signers = (await session.signersOf?.(some)) ?? [];
        for (const [index, txId] of some.entries()) {
          const all = signers[index] ?? null;
          if (all === null) unread ??= `No node returns the transaction ${plainWords(txId, 200)}.`;
          else if (all.includes(address)) unknown.push(txId);
        }
      }
    }
    return { unknown, unread };
  }

  async #noteIncomplete(address: string, detail: string): Promise<void> {
    const { store, log } = this.#context;
    const reason = plainWords(detail);
    const known = await readComparedAccount(store.read, this.#chain, address);
    if (known === null || known.incomplete === reason) return;
    await store.transaction((tx) => storeIncomplete(tx, this.#chain, address, reason));
    log('warn', 'wallet.not-compared', { chain: this.#chain, address, detail: reason });
  }
}

function chunksOf<Item>(all: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function early(address: string, expiresBy: number, head: number): PendingReason {
  const reason = `The service was stopped for a while, so its database may have been restored to an earlier state and lack transactions of the wallet ${address}. The ledger may still execute them until block ${expiresBy}; the newest block is ${head}. After that block, the service compares the wallet with the ledger and then signs.`;
  return { code: 'turn', reason };
}

function notYet(address: string, detail: string): string {
  return `The wallet ${address} could not be compared with the ledger yet: ${detail}`;
}

function late(address: string): PendingReason {
  return { code: 'ledger-unavailable', reason: notYet(address, 'the nodes have not responded yet.') };
}
