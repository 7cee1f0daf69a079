import type { LedgerSession } from '@ledger-ops/adapter';
import { amountText } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { OpenLedger } from '../../open-ledger.ts';
import { shardOf } from '../../rows/chains/chain-key.ts';
import { readSequence } from '../../rows/chains/sequences.ts';
import type { LiveAction } from '../../rows/model.ts';
import type { Timing } from '../../timing.ts';
import type { EngineContext } from '../context.ts';
import { agedGap, type Gap, isLasting, readGap } from '../replacing/sequence-gaps.ts';
import type { UnknownTransactions } from './unknown-transactions.ts';

/** Maximum number of signed transactions in flight for one wallet; the ledger property `max_in_flight` overrides it. */
const defaultWindow = { sequenced: 16, unsequenced: 4_096 };

/** Maximum number of accounts whose last comparison with the ledger is kept in memory. */
const mostCompared = 100_000;

/**
 * The account state that signing uses. It is only in memory, and is rebuilt from the database and the ledger.
 */
export interface Account {
  readonly address: string;
  readonly shard: number;
  /** Signed actions that are not settled yet, by id. */
  readonly live: Map<string, LiveAction>;
  /** Next sequence; undefined until read. */
  next: number | undefined;
  /**
   * True if the account is exclusive and has unknown transactions. Its next sequence is then unknown until a
   * user resumes its wallets.
   */
  hasUnknown: boolean;
  /**
   * Sequences below `next` that the ledger expects first but for which no transaction is known; null if no gap is
   * known.
   */
  gap: Gap | null;
  /** Next sequence as stored in table `sequence`, for compare-and-swap; null if there is no row. */
  storedNext: number | null;
  /** Number and total cost of the actions that are about to be signed. */
  reserved: { count: number; cost: bigint };
  /** Whether actions of this account wait in the table. Later ones must then queue behind them. */
  backlog: boolean;
  /** Whether unsettled transactions of the account may hold claims; undefined until read. */
  hasClaims: boolean | undefined;
  /** When the sequence was last compared with the ledger. */
  sequenceAt: number;
  balance: bigint | undefined;
  balanceAt: number;
  /** Cost of everything signed since the balance was read. */
  spent: bigint;
}

/** What signing needs to know: the next sequence, and possibly a recent balance that covers a cost. */
interface Needs {
  sequence: boolean;
  /** The cost to cover; null if the balance is not needed. */
  cost: bigint | null;
}

/** Capacity and funds of an account, reserved for an action about to be signed. */
export interface Reservation {
  readonly cost: bigint;
  release(): void;
}

export function reserve({ reserved }: Account, cost: bigint): Reservation {
  reserved.count += 1;
  reserved.cost += cost;
  return {
    cost,
    release() {
      reserved.count -= 1;
      reserved.cost -= cost;
    },
  };
}

/** Returns how many more transactions of the account may be in flight on this ledger. */
export function capacityOf(
  { live, reserved }: Pick<Account, 'live' | 'reserved'>,
  { record, definition }: Pick<OpenLedger, 'record' | 'definition'>,
): number {
  const limit = record.properties.max_in_flight;
  const isUnsequenced = definition.capabilities.sequence === 'none';
  const usual = isUnsequenced ? defaultWindow.unsequenced : defaultWindow.sequenced;
  return (typeof limit === 'number' ? limit : usual) - live.size - reserved.count;
}

/**
 * Returns the n-th free sequence, counted from 0. The sequences of a permanent gap come first, then unused
 * sequences.
 */
export function freeSequenceAt(
  { next = 0, gap }: Pick<Account, 'next' | 'gap'>,
  n: number,
  now: number,
): number {
  if (gap === null || !isLasting(gap, now)) return next + n;
  const missing = gap.to - gap.from;
  return n < missing ? gap.from + n : next + n - missing;
}

/**
 * Returns the next free sequence. Undefined if it is not known, or if the account must wait because a gap may
 * still close.
 */
export function nextFree(account: Pick<Account, 'next' | 'gap'>, now: number): number | undefined {
  if (account.next === undefined || (account.gap !== null && !isLasting(account.gap, now))) return undefined;
  return freeSequenceAt(account, 0, now);
}

/** Returns the funds that the account can still spend; undefined if its balance is not known. */
export function available(account: Pick<Account, 'balance' | 'spent' | 'reserved'>): bigint | undefined {
  return account.balance === undefined ? undefined : account.balance - account.spent - account.reserved.cost;
}

/** Returns the reason, for users, why an action of the account waits for funds. */
export function shortOfFunds(
  address: string,
  left: bigint,
  cost: bigint,
  unit: Parameters<typeof amountText>[1],
): string {
  const text = (amount: bigint) => amountText(amount.toString(), unit);
  const can = text(left < 0n ? 0n : left);
  return `The wallet ${address} can spend ${can} in addition to its pending transactions, but this action needs up to ${text(cost)}. Fund the wallet.`;
}

/** Returns the total cost of the signed, unsettled actions. */
function liveCost(account: Account): bigint {
  let sum = 0n;
  for (const action of account.live.values()) sum += maxCost(action);
  return sum;
}

/** Returns the highest cost among an action's attempts, of which at most one is ever mined. */
export function maxCost(action: Pick<LiveAction, 'attempts'>): bigint {
  let most = 0n;
  for (const { cost } of action.attempts) if (cost > most) most = cost;
  return most;
}

/**
 * The accounts of one chain that this server signs for. `#accounts` caches values from the database and the ledger
 * while this server holds their shards. `#loading` contains the refresh in progress of each account. `#comparedUnmined`
 * contains the accounts whose unmined transactions were already compared with the database.
 */
export class Accounts {
  readonly #read: Store['read'];
  readonly #now: () => number;
  readonly #timing: Timing;
  readonly #chain: string;
  readonly #unknown: Pick<UnknownTransactions, 'isAhead' | 'isExclusive'>;
  readonly #accounts = new Map<string, Account>();
  readonly #loading = new Map<string, Promise<void>>();
  /** Accounts whose unmined transactions were compared with the database, by address, with their shards. */
  readonly #comparedUnmined = new Map<string, number>();

  constructor(
    { store, now, timing }: Pick<EngineContext, 'store' | 'now' | 'timing'>,
    chain: string,
    unknown: Pick<UnknownTransactions, 'isAhead' | 'isExclusive'>,
  ) {
    this.#read = store.read;
    this.#now = now;
    this.#timing = timing;
    this.#chain = chain;
    this.#unknown = unknown;
  }

  /** Returns the account. If it is not in memory, adds an empty one. */
  get(address: string, shard: number): Account {
    let account = this.#accounts.get(address);
    if (account === undefined) {
      account = {
        address,
        shard,
        live: new Map(),
        next: undefined,
        hasUnknown: false,
        gap: null,
        storedNext: null,
        reserved: { count: 0, cost: 0n },
        backlog: false,
        hasClaims: undefined,
        sequenceAt: 0,
        balance: undefined,
        balanceAt: 0,
        spent: 0n,
      };
      this.#accounts.set(address, account);
    }
    return account;
  }

  /** Returns the account if it is in memory. */
  loaded(address: string): Account | undefined {
    return this.#accounts.get(address);
  }

  all(): Iterable<Account> {
    return this.#accounts.values();
  }

  /** Reads the needed values that are missing or too old. */
  async refresh(account: Account, session: LedgerSession, needs: Needs): Promise<void> {
    if (!this.#loading.has(account.address) && this.#missing(account, needs) === undefined) return;
    while (this.#loading.has(account.address)) await this.#loading.get(account.address)?.catch(() => {});
    const work = this.#load(account, session, needs).finally(() => this.#loading.delete(account.address));
    this.#loading.set(account.address, work);
    await work;
  }

  /** Reads the sequence again after another server or an external transaction used it. */
  async reload(account: Account, session: LedgerSession): Promise<void> {
    const counts = await this.#readCounts(account, session);
    account.gap = null;
    if (!account.hasUnknown) this.#setNext(account, counts);
  }

  evict(shards: readonly number[]): void {
    for (const account of [...this.#accounts.values()])
      if (shards.includes(account.shard)) this.#accounts.delete(account.address);
    for (const [address, shard] of this.#comparedUnmined)
      if (shards.includes(shard)) this.#comparedUnmined.delete(address);
  }

  /** Evicts idle accounts whose cached values are too old to be used. */
  evictIdle(): void {
    for (const account of this.#accounts.values()) {
      const { address, backlog, gap, sequenceAt, balanceAt } = account;
      const isNeeded = !isIdle(account) || backlog || gap !== null || this.#loading.has(address);
      if (!isNeeded && this.#ageOf(Math.max(sequenceAt, balanceAt)) > this.#timing.balanceAge)
        this.#accounts.delete(address);
    }
  }

  /** Returns the age in milliseconds; infinite if the clock was moved back since the value was read. */
  #ageOf(at: number): number {
    const age = this.#now() - at;
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  /** Returns which of the needed values must be read; undefined if none must be. */
  #missing(account: Account, { sequence, cost }: Needs): { sequence: boolean; balance: boolean } | undefined {
    const isOld = isIdle(account) && this.#ageOf(account.sequenceAt) > this.#timing.accountAge;
    const readsSequence = sequence && (account.next === undefined || isOld);
    const readsBalance = cost !== null && this.#lacksBalance(account, cost);
    return readsSequence || readsBalance ? { sequence: readsSequence, balance: readsBalance } : undefined;
  }

  /** Whether the balance is unknown or too old, or might have grown enough to cover the cost. */
  #lacksBalance(account: Account, cost: bigint): boolean {
    const age = this.#ageOf(account.balanceAt);
    const left = available(account);
    if (left === undefined || age > this.#timing.balanceAge) return true;
    return left < cost && age > this.#timing.accountAge;
  }

  async #load(account: Account, session: LedgerSession, needs: Needs): Promise<void> {
    const missing = this.#missing(account, needs);
    await Promise.all([
      ...(missing?.sequence === true ? [this.#loadSequence(account, session)] : []),
      ...(missing?.balance === true ? [this.#loadBalance(account, session)] : []),
    ]);
  }

  async #loadBalance(account: Account, session: LedgerSession) {
    const [balance] = await session.balances([account.address]);
    account.balance = balance ?? 0n;
    account.balanceAt = this.#now();
    account.spent = liveCost(account);
  }

  /**
   * Reads the next sequence from the database and the ledger. Sets `hasUnknown` if the account is exclusive
   * and the ledger is ahead of the database.
   */
  async #readCounts(account: Account, session: LedgerSession) {
    const { address } = account;
    const stored = await readSequence(this.#read, this.#chain, address);
    // Transactions of other programs may have used sequences while none of our transactions were in flight.
    const [count = 0n] = await session.sequences([address], {
      expected: [stored === null ? null : BigInt(stored)],
    });
    account.hasUnknown =
      (await this.#unknown.isAhead(address, Number(count), stored)) ||
      (await this.#isUnminedAhead(address, session, stored));
    if (account.hasUnknown) account.next = undefined;
    return { stored, count: Number(count) };
  }

  /**
   * Whether mempools contain unknown transactions of the account, which happens if the database was restored.
   * Checked once per account, when this server starts to sign for the account.
   */
  async #isUnminedAhead(address: string, session: LedgerSession, stored: number | null): Promise<boolean> {
    if (stored === null || this.#comparedUnmined.has(address)) return false;
    if (await this.#unknown.isExclusive(address)) {
      const [count = 0n] = await session.sequences([address], { unmined: true });
      if (await this.#unknown.isAhead(address, Number(count), stored)) return true;
    }
    if (this.#comparedUnmined.size >= mostCompared) this.#comparedUnmined.clear();
    this.#comparedUnmined.set(address, shardOf(address));
    return false;
  }

  /**
   * Sets the next sequence. While transactions are in flight, the chain's count is ignored, because it does not include
   * them yet.
   */
  #setNext(account: Account, { stored, count }: { stored: number | null; count: number }): number {
    account.storedNext = stored;
    account.next = Math.max(stored ?? 0, account.live.size > 0 ? 0 : count);
    return account.next;
  }

  async #loadSequence(account: Account, session: LedgerSession) {
    const counts = await this.#readCounts(account, session);
    if (account.hasUnknown) return;
    if (!isIdle(account) && account.next !== undefined) return;
    const next = this.#setNext(account, counts);
    account.sequenceAt = this.#now();
    if (account.live.size > 0) return;
    const { address } = account;
    const gap = await readGap(this.#read, session, { chain: this.#chain, address }, counts.count, next);
    account.gap = agedGap(account.gap, gap, this.#now(), this.#timing);
  }
}

function isIdle({ live, reserved }: Account): boolean {
  return live.size === 0 && reserved.count === 0;
}
