import type { Store } from '@ledger-ops/store';
import type { Log, OpenLedger, Vault } from '../types.ts';
import { type Acceptance, createAcceptNow } from './accept-now.ts';
import { type Account, type Accounts, available, createAccounts, nextFree } from './accounts.ts';
import { readLate } from './deadlines.ts';
import type { Faults } from './faults.ts';
import { createFillers, type Fillers } from './fillers.ts';
import { agedGap, type SeenGap } from './gaps.ts';
import { createIndependent, type Independent, type ReadyAction } from './independent.ts';
import { createLeases, type Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import { readLive } from './live-rows.ts';
import type { LiveAction, Settlement } from './model.ts';
import { createMutex } from './mutex.ts';
import { createReadyQueue, type ReadyQueue } from './ready-queue.ts';
import { createReplacements, type Replacements } from './replacements.ts';
import { settle } from './settle.ts';
import { signReady } from './sign-ready.ts';
import { createSigner, nonceConflict } from './signer.ts';
import { createLaneWishes } from './wishes.ts';

/** Signed transactions of one wallet under way at once, unless the ledger says otherwise. */
const defaultWindow = 16;

/** Signs for the accounts of one chain: what is accepted now, and what waited in the table. */
export interface ChainWorker {
  readonly chain: string;
  readonly leases: Leases;
  /**
   * Signs and stores at once when nothing must be waited for. False when it has to be stored unsigned.
   * @throws Problem
   */
  acceptSigned(acceptance: Acceptance, line: LedgerLine): Promise<boolean>;
  /** An unsigned action that demands a sequence must demand the next free one. @throws Problem `nonce-conflict` */
  checkDemand(acceptance: Acceptance, line: LedgerLine): Promise<void>;
  /** What the account holds, read again when it is old or does not cover `cost`. */
  balance(line: LedgerLine, address: string, shard: number, cost: bigint): Promise<bigint>;
  /** Something may have become ready. */
  wake(): void;
  /** Something may be wished of signed actions. */
  wish(): void;
  /** Signs other transactions in the place of those that are late. */
  readonly replacements: Replacements;
  /** Signs empty ones where the ledger wants a sequence that nobody can send. */
  readonly fillers: Fillers;
  /** Prepares an independent action at once. False when this is not the server for it, or has no room at present. */
  take(line: LedgerLine, action: ReadyAction): boolean;
  /** A commit ended without an answer: what is in memory may differ from the rows, and is read again. */
  doubt(): void;
  /** An action ended, or its transaction: its account has room again. */
  ended(action: LiveAction): void;
  /** What the ledger wants of an account that waits for it, and nobody here can send; null: nothing. */
  gap(address: string, seen: SeenGap | null): void;
  /** Ready again, for another transaction, after so many milliseconds. */
  again(line: LedgerLine, action: LiveAction, delay: number): void;
  addLine(line: LedgerLine): void;
  /** The line follows what a plugin that is no more has signed. */
  adopt(line: LedgerLine, plugin: string): void;
  /** Resolves when nothing is being signed for the line any more. */
  removeLine(line: LedgerLine): Promise<void>;
  lines(): Iterable<LedgerLine>;
  /** Renews the leases, takes over what was gained, drops what was lost. */
  renew(): Promise<void>;
  /** Fails what was not signed in time. */
  expire(now: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ChainWorkerOptions {
  store: Store;
  vault: Vault;
  chain: string;
  owner: string;
  leaseDuration: number;
  alone: boolean;
  faults: Faults;
  log: Log;
  now: () => number;
  /** Tells everyone that actions changed. */
  announce: (actionIds: readonly string[]) => void;
  /** Another chain has something to do. */
  wakeChain: (chain: string) => void;
}

export function createChainWorker(options: ChainWorkerOptions): ChainWorker {
  const { store, vault, chain, log, now } = options;
  const leases = createLeases({
    store,
    chain,
    owner: options.owner,
    duration: options.leaseDuration,
    alone: options.alone,
  });
  const accounts: Accounts = createAccounts({ chain, read: store.read, now });
  const lines = new Map<string, LedgerLine>();
  /** What signs for lines whose transactions are independent; all others are signed here. */
  const independents = new Map<LedgerLine, Independent>();
  const mutex = createMutex();
  const signer = createSigner({
    store,
    vault,
    chain,
    leases,
    faults: options.faults,
    now,
    doubt,
  });
  const replacements = createReplacements({
    store,
    vault,
    chain,
    leases,
    accounts,
    mutex,
    faults: options.faults,
    now,
    doubt,
  });
  const wishes = createLaneWishes({
    ...{ store, chain, leases, log, now },
    lines: () => lines.values(),
    replace: replacements.make,
  });
  const fillers = createFillers({
    ...{ store, chain, leases, accounts, replacements, mutex, faults: options.faults, now, doubt },
  });
  const acceptNow = createAcceptNow({ accounts, signer, mutex, announce: options.announce });
  let stopped = false;
  /** A commit ended without an answer: what is in memory may differ from the rows, and is read again. */
  let suspect = false;

  const readyQueue: ReadyQueue = createReadyQueue({
    store,
    vault,
    chain,
    log,
    now,
    leases,
    accounts,
    line: signingLine,
    others: () =>
      [...independents.keys()]
        .filter(({ retired, inDoubt }) => !retired && !inDoubt)
        .flatMap(({ open }) => [lineKey(open), `${open.record.uid} `]),
    room,
    // An account that was forgotten meanwhile was read anew: what waits for it is looked at again.
    sign: (batch) =>
      mutex.run(() =>
        signReady(
          batch.filter(({ account }) => accounts.known(account.address) === account),
          { signer, now, announce: options.announce },
        ),
      ),
    fail: failUnsigned,
  });

  function doubt(): void {
    suspect = true;
  }

  /** How many more transactions of the account may be under way on this ledger. */
  function room(account: Account, line: LedgerLine): number {
    const limit = line.open.record.properties.max_in_flight;
    return (typeof limit === 'number' ? limit : defaultWindow) - account.live.size - account.reserved.count;
  }

  function signingLine(ledgerUid: string, plugin: string | null): LedgerLine | undefined {
    return [...lines.values()].find(
      ({ open: { record, pluginUid }, retired, inDoubt }) =>
        !retired && !inDoubt && record.uid === ledgerUid && (plugin === null || plugin === pluginUid),
    );
  }

  async function acceptSigned(acceptance: Acceptance, line: LedgerLine): Promise<boolean> {
    const { sign, action } = acceptance;
    if (
      independents.has(line) ||
      stopped ||
      suspect ||
      !leases.holds(sign.shard) ||
      !acceptance.ready ||
      action.dependencies.length > 0
    )
      return false;
    const { capabilities } = line.open.definition;
    const account = accounts.get(sign.wallet.address, sign.shard);
    await accounts.prepare(account, line.open.session, {
      sequence: true,
      cost: capabilities.balance ? sign.cost : null,
    });
    if (!leases.holds(sign.shard)) return false;
    if (account.backlog || room(account, line) <= 0 || nextFree(account, now()) === undefined) return false;
    const left = available(account);
    if (left !== undefined && left < sign.cost) return false;
    return acceptNow.accept(acceptance, account, line);
  }

  function wake(): void {
    readyQueue.wake();
    for (const independent of independents.values()) independent.wake();
  }

  async function failUnsigned(settlements: readonly Settlement[]): Promise<void> {
    const { ended, wake } = await store.transaction((tx) => settle(tx, settlements, now()));
    options.announce(ended);
    for (const other of wake) options.wakeChain(other);
  }

  async function takeOver(shards: readonly number[]): Promise<void> {
    const live = await readLive(store, chain, shards);
    for (const action of live) accounts.get(action.address, action.shard).live.set(action.id, action);
    for (const line of lines.values()) handOver(line, live);
  }

  function handOver(line: LedgerLine, actions: readonly LiveAction[]): void {
    const { record, pluginUid } = line.open;
    const others = [...lines.values()].filter((other) => other !== line);
    line.add(
      actions.filter(
        ({ id, ledgerUid, plugin }) =>
          ledgerUid === record.uid &&
          (plugin === null || plugin === pluginUid || line.adopted.has(plugin)) &&
          !line.live.has(id) &&
          !others.some(({ live }) => live.has(id)),
      ),
      false,
    );
  }

  return {
    chain,
    leases,
    acceptSigned,
    async checkDemand({ action, sign }, line) {
      // Behind a dependency the next free one is not known yet: it is checked when the action is signed.
      if (sign.demanded === null || action.dependencies.length > 0 || independents.has(line)) return;
      const account = accounts.get(sign.wallet.address, sign.shard);
      await accounts.prepare(account, line.open.session, { sequence: true, cost: null });
      const next = account.gap?.from ?? account.next;
      if (next !== undefined && next !== sign.demanded) {
        throw nonceConflict(sign.demanded, account.address, next);
      }
    },
    async balance(line, address, shard, cost) {
      const account = accounts.get(address, shard);
      await accounts.prepare(account, line.open.session, { sequence: false, cost });
      return account.balance ?? 0n;
    },
    wake,
    wish: wishes.look,
    replacements,
    fillers,
    take(line, action) {
      const independent = independents.get(line);
      if (independent === undefined || stopped || suspect || !leases.holds(action.row.shard)) return false;
      return independent.take(action);
    },
    doubt,
    ended(action) {
      const account = accounts.known(action.address);
      account?.live.delete(action.id);
      // The ledger has come further.
      if (account !== undefined) account.gap = null;
      readyQueue.roomFor(action.address);
      for (const independent of independents.values()) independent.roomFor(action.address);
    },
    gap(address, seen) {
      const account = accounts.known(address);
      if (account !== undefined) account.gap = agedGap(account.gap, seen, now());
    },
    again(line, action, delay) {
      independents.get(line)?.again(action.id, action.address, delay);
      wake();
    },
    addLine(line) {
      lines.set(lineKey(line.open), line);
      if (line.open.definition.capabilities.sequence === 'none') {
        independents.set(
          line,
          createIndependent({
            line,
            store,
            vault,
            leases,
            accounts,
            faults: options.faults,
            log,
            now,
            announce: options.announce,
            fail: failUnsigned,
            doubt,
          }),
        );
      }
      for (const account of accounts.all()) handOver(line, [...account.live.values()]);
      wake();
    },
    adopt(line, plugin) {
      line.adopted.add(plugin);
      for (const account of accounts.all()) handOver(line, [...account.live.values()]);
    },
    async removeLine(line) {
      if (lines.get(lineKey(line.open)) === line) lines.delete(lineKey(line.open));
      const independent = independents.get(line);
      independents.delete(line);
      await independent?.stop();
    },
    lines: () => lines.values(),
    async renew() {
      if (stopped) return;
      const { gained, lost } = await leases.renew();
      if (lost.length > 0) log('warn', 'lanes.lost', { chain, count: lost.length });
      await mutex.run(async () => {
        const stale = suspect ? [...lost, ...leases.held()] : lost;
        accounts.forget(stale);
        for (const line of lines.values()) {
          const gone = [...line.live.values()].filter(({ shard }) => stale.includes(shard));
          line.remove(gone.map(({ id }) => id));
          line.forgetHistory(lost);
          line.doubtHistory(gained);
        }
        const fresh = suspect ? leases.held() : gained;
        if (fresh.length > 0) await takeOver(fresh);
        suspect = false;
        if (fresh.length > 0) wake();
      });
    },
    async expire(at) {
      const late = await readLate(store.read, chain, leases.held(), at);
      if (late.length > 0) await failUnsigned(late);
    },
    async stop() {
      stopped = true;
      await wishes.stop();
      await readyQueue.stop();
      for (const independent of independents.values()) await independent.stop();
      await acceptNow.idle();
      await leases.release();
    },
  };
}

/** A ledger has one line for each plugin that serves it. */
export function lineKey({ record, pluginUid }: Pick<OpenLedger, 'record' | 'pluginUid'>): string {
  return `${record.uid} ${pluginUid}`;
}
