import type { LedgerSession } from '@ledger-ops/adapter';
import type { OpenLedger } from '../../open-ledger.ts';
import { readSequence } from '../../rows/chains/sequences.ts';
import type { LiveAction } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';
import { agedGap, type Gap, isLasting, readGap } from '../replacing/sequence-gaps.ts';

/** Signed transactions of one wallet under way at once, unless the ledger says otherwise. */
const defaultWindow = { sequenced: 16, unsequenced: 4_096 };

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
  /** As table `sequence` holds it, for compare-and-swap; null when it has no row. */
  storedNext: number | null;
  /** About to be signed. */
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

/** Readings of an account that are needed: the sequence, and a balance that is new or covers a cost. */
interface Needs {
  sequence: boolean;
  /** Null: no balance. */
  cost: bigint | null;
}

export interface Accounts {
  get(address: string, shard: number): Account;
  known(address: string): Account | undefined;
  all(): Iterable<Account>;
  refresh(account: Account, session: LedgerSession, needs: Needs): Promise<void>;
  /** Reads the sequence again after somebody else moved it. */
  reread(account: Account, session: LedgerSession): Promise<void>;
  forget(shards: readonly number[]): void;
  /** Forgets what would be read again before it is used. */
  forgetIdle(): void;
}

/** Of an account, for an action that is about to be signed. */
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

/** How many more transactions of the account may be under way on this ledger. */
export function roomOf(
  { live, reserved }: Pick<Account, 'live' | 'reserved'>,
  { record, definition }: Pick<OpenLedger, 'record' | 'definition'>,
): number {
  const limit = record.properties.max_in_flight;
  const isUnsequenced = definition.capabilities.sequence === 'none';
  const usual = isUnsequenced ? defaultWindow.unsequenced : defaultWindow.sequenced;
  return (typeof limit === 'number' ? limit : usual) - live.size - reserved.count;
}

/** The n-th free sequence from 0, lowest first: those of a gap that lasts, then those that nothing had yet. */
export function freeSequenceAt(
  { next = 0, gap }: Pick<Account, 'next' | 'gap'>,
  n: number,
  now: number,
): number {
  if (gap === null || !isLasting(gap, now)) return next + n;
  const missing = gap.to - gap.from;
  return n < missing ? gap.from + n : next + n - missing;
}

/** The next free sequence; undefined when it is not known, or the account has to wait until it is. */
export function nextFree(account: Pick<Account, 'next' | 'gap'>, now: number): number | undefined {
  if (account.next === undefined || (account.gap !== null && !isLasting(account.gap, now))) return undefined;
  return freeSequenceAt(account, 0, now);
}

/** Undefined when the balance is not known. */
export function available(account: Pick<Account, 'balance' | 'spent' | 'reserved'>): bigint | undefined {
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
export function maxCost(action: Pick<LiveAction, 'attempts'>): bigint {
  let most = 0n;
  for (const { cost } of action.attempts) if (cost > most) most = cost;
  return most;
}

export function createAccounts(
  { store, now, timing }: Pick<EngineContext, 'store' | 'now' | 'timing'>,
  chain: string,
): Accounts {
  const { read } = store;
  const accounts = new Map<string, Account>();
  const loading = new Map<string, Promise<void>>();

  /** Milliseconds; what was read before the clock was set back is old. */
  function ageOf(at: number): number {
    const age = now() - at;
    return age < 0 ? Number.POSITIVE_INFINITY : age;
  }

  const isIdle = ({ live, reserved }: Account) => live.size === 0 && reserved.count === 0;

  async function load(account: Account, session: LedgerSession, needs: Needs) {
    const reads: Promise<void>[] = [];
    const isOld = isIdle(account) && ageOf(account.sequenceAt) > timing.accountAge;
    if (needs.sequence && (account.next === undefined || isOld)) reads.push(loadSequence(account, session));
    const age = ageOf(account.balanceAt);
    const left = available(account);
    const short = needs.cost !== null && left !== undefined && left < needs.cost && age > timing.accountAge;
    if (needs.cost !== null && (left === undefined || age > timing.balanceAge || short)) {
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

  async function readCounts({ address }: Account, session: LedgerSession) {
    const stored = await readSequence(read, chain, address);
    // Someone outside may have used the key while nothing of ours was under way.
    const [count = 0n] = await session.sequences([address], {
      expected: [stored === null ? null : BigInt(stored)],
    });
    return { stored, count: Number(count) };
  }

  /** With transactions under way the chain's count is no guide: it does not have those yet. */
  function setNext(account: Account, { stored, count }: { stored: number | null; count: number }): number {
    account.storedNext = stored;
    account.next = Math.max(stored ?? 0, account.live.size > 0 ? 0 : count);
    return account.next;
  }

  async function loadSequence(account: Account, session: LedgerSession) {
    const counts = await readCounts(account, session);
    if (!isIdle(account) && account.next !== undefined) return;
    const next = setNext(account, counts);
    account.sequenceAt = now();
    if (account.live.size > 0) return;
    const { address } = account;
    const gap = await readGap(read, session, { chain, address }, counts.count, next);
    account.gap = agedGap(account.gap, gap, now(), timing);
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
    async refresh(account, session, needs) {
      while (loading.has(account.address)) await loading.get(account.address)?.catch(() => {});
      const work = load(account, session, needs).finally(() => loading.delete(account.address));
      loading.set(account.address, work);
      await work;
    },
    async reread(account, session) {
      const counts = await readCounts(account, session);
      account.gap = null;
      setNext(account, counts);
    },
    forget(shards) {
      for (const account of [...accounts.values()])
        if (shards.includes(account.shard)) accounts.delete(account.address);
    },
    forgetIdle() {
      for (const account of accounts.values()) {
        const { address, backlog, gap, sequenceAt, balanceAt } = account;
        const isNeeded = !isIdle(account) || backlog || gap !== null || loading.has(address);
        if (!isNeeded && ageOf(Math.max(sequenceAt, balanceAt)) > timing.balanceAge) accounts.delete(address);
      }
    },
  };
}
