import type { LedgerSession } from '@ledger-ops/adapter';
import type { Queries } from '@ledger-ops/store';
import { agedGap, type Gap, isLasting, readGap } from './gaps.ts';
import type { LiveAction } from './model.ts';

/** How long a balance may be believed while it covers what is asked, in milliseconds. */
const balanceAge = 5_000;
/** What was read just now is not read again, so that callers that wait together share one answer. */
const justNow = 50;

/** One account of a chain, as far as signing needs it. In memory only; rebuilt from the rows. */
export interface Account {
  readonly address: string;
  readonly shard: number;
  /** Signed and not settled, by action id. */
  readonly live: Map<string, LiveAction>;
  /** Next sequence; undefined until read. */
  next: number | undefined;
  /** Sequences below the next one that the ledger wants first, and nobody here can send; null: none that is known. */
  gap: Gap | null;
  /** What table `sequence` holds, for compare-and-swap; null when it has no row. */
  storedNext: number | null;
  /** Accepted in memory, about to be signed. */
  reserved: { count: number; cost: bigint };
  /** Actions of this account wait in the table: later ones queue behind them. */
  backlog: boolean;
  /** When the sequence was last compared with the chain. */
  sequenceAt: number;
  balance: bigint | undefined;
  balanceAt: number;
  /** Cost of everything signed since the balance was read. */
  spent: bigint;
}

export interface Accounts {
  get(address: string, shard: number): Account;
  known(address: string): Account | undefined;
  all(): Iterable<Account>;
  /** Reads the sequence, and the balance when it is old or does not cover `cost`. */
  prepare(
    account: Account,
    session: LedgerSession,
    needs: { sequence: boolean; cost: bigint | null },
  ): Promise<void>;
  forget(shards: readonly number[]): void;
}

/** The next free sequence; undefined when it is not known, or the account has to wait until it is. */
export function nextFree({ next, gap }: Account, now: number): number | undefined {
  if (gap === null) return next;
  return isLasting(gap, now) ? gap.from : undefined;
}

/** What the account can still spend, as far as is known; undefined when it is not known. */
export function available(account: Account): bigint | undefined {
  return account.balance === undefined ? undefined : account.balance - account.spent - account.reserved.cost;
}

/** Why an action of the account waits, for people. */
export function shortOfFunds(address: string, left: bigint, cost: bigint): string {
  const can = left < 0n ? 0n : left;
  return `The wallet ${address} can spend ${can} beside what is under way, and this needs up to ${cost}.`;
}

/** Cost of what is signed and not settled. */
function liveCost(account: Account): bigint {
  let sum = 0n;
  for (const action of account.live.values()) sum += maxCost(action);
  return sum;
}

/** The most that an action's attempts can take: only one of them is ever mined. */
export function maxCost(action: LiveAction): bigint {
  let most = 0n;
  for (const { cost } of action.attempts) if (cost > most) most = cost;
  return most;
}

export function createAccounts(options: { chain: string; read: Queries; now: () => number }): Accounts {
  const { chain, read, now } = options;
  const accounts = new Map<string, Account>();
  const loading = new Map<string, Promise<void>>();

  /** Milliseconds; what was read before the clock was set back is old. */
  function ageOf(at: number): number {
    const age = now() - at;
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  async function load(
    account: Account,
    session: LedgerSession,
    needs: { sequence: boolean; cost: bigint | null },
  ) {
    const idle = account.live.size === 0 && account.reserved.count === 0;
    const reads: Promise<void>[] = [];
    if (needs.sequence && (account.next === undefined || (idle && ageOf(account.sequenceAt) > justNow))) {
      reads.push(loadSequence(account, session));
    }
    const age = ageOf(account.balanceAt);
    const left = available(account);
    const short = needs.cost !== null && left !== undefined && left < needs.cost && age > justNow;
    if (needs.cost !== null && (left === undefined || age > balanceAge || short)) {
      reads.push(loadBalance(account, session));
    }
    await Promise.all(reads);
  }

  async function loadBalance(account: Account, session: LedgerSession) {
    const [balance] = await session.balances([account.address]);
    account.balance = balance ?? 0n;
    account.balanceAt = now();
    account.spent = liveCost(account);
  }

  async function loadSequence(account: Account, session: LedgerSession) {
    const [row] = await read.all<{ next: number }>(
      'SELECT next FROM sequence WHERE chain = $1 AND address = $2',
      [chain, account.address],
    );
    // Someone outside may have used the key while nothing of ours was under way.
    const expected = row === undefined ? null : BigInt(row.next);
    const [onChain = 0n] = await session.sequences([account.address], [expected]);
    const isBusy = account.live.size > 0 || account.reserved.count > 0;
    if (isBusy && account.next !== undefined) return;
    // Taken over with transactions under way: the chain does not count those yet.
    account.next = Math.max(row?.next ?? 0, account.live.size > 0 ? 0 : Number(onChain));
    account.storedNext = row?.next ?? null;
    account.sequenceAt = now();
    if (account.live.size > 0) return;
    const gap = await readGap(
      read,
      session,
      { chain, address: account.address },
      Number(onChain),
      account.next,
    );
    account.gap = agedGap(account.gap, gap, now());
  }

  return {
    get(address, shard) {
      let account = accounts.get(address);
      if (account === undefined) {
        account = {
          address,
          shard,
          live: new Map(),
          next: undefined,
          gap: null,
          storedNext: null,
          reserved: { count: 0, cost: 0n },
          backlog: false,
          sequenceAt: 0,
          balance: undefined,
          balanceAt: 0,
          spent: 0n,
        };
        accounts.set(address, account);
      }
      return account;
    },
    known: (address) => accounts.get(address),
    all: () => accounts.values(),
    async prepare(account, session, needs) {
      for (
        let running = loading.get(account.address);
        running !== undefined;
        running = loading.get(account.address)
      ) {
        await running.catch(() => {});
      }
      const work = load(account, session, needs).finally(() => loading.delete(account.address));
      loading.set(account.address, work);
      await work;
    },
    forget(shards) {
      for (const account of [...accounts.values()])
        if (shards.includes(account.shard)) accounts.delete(account.address);
    },
  };
}
