import { Problem } from '@ledger-ops/base';
import { type Store, StoreError } from '@ledger-ops/store';
import type { Log, OpenLedger, Vault, WalletKey } from '../types.ts';
import { type Account, type Accounts, available, createAccounts } from './accounts.ts';
import type { Faults } from './faults.ts';
import { createIndependent, type Independent, type ReadyAction } from './independent.ts';
import { AlreadyThere, insertActions, markSigned, SequenceMoved, settle } from './journal.ts';
import { createLeases, LeaseLost, type Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import { readLive } from './live-rows.ts';
import { failure, type LiveAction, type NewAction, type Settlement, type ToSign } from './model.ts';
import { createMutex } from './mutex.ts';
import { createReadyQueue, type ReadyQueue } from './ready-queue.ts';
import { type Candidate, createSigner, nonceConflict } from './signer.ts';

/** Actions that are signed and stored in one transaction. */
const signLimit = 256;
/** Signed transactions of one wallet under way at once, unless the ledger says otherwise. */
const defaultWindow = 16;
/** Times a batch is tried again after another server or an outside transaction was first. */
const maxTries = 4;

/** An operation that passed every check and whose wallet is unlocked. */
export interface Acceptance {
  action: NewAction;
  sign: ToSign;
  key: WalletKey;
  /** The adapter knows everything already. */
  ready: boolean;
}

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
  /** Prepares an independent action at once. False when this is not the server for it, or has no room at present. */
  take(line: LedgerLine, action: ReadyAction): boolean;
  /** A commit ended without an answer: what is in memory may differ from the rows, and is read again. */
  doubt(): void;
  /** An action ended, or its transaction: its account has room again. */
  ended(action: LiveAction): void;
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

interface Queued {
  acceptance: Acceptance;
  account: Account;
  line: LedgerLine;
  resolve: (signed: boolean) => void;
  reject: (error: unknown) => void;
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
    chain,
    leases,
    faults: options.faults,
    now,
    doubt,
  });
  const queue: Queued[] = [];
  let flushing: Promise<void> | null = null;
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
        .filter(({ retired }) => !retired)
        .flatMap(({ open }) => [lineKey(open), `${open.record.uid} `]),
    room,
    sign: signReady,
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
      ({ open: { record, pluginUid }, retired }) =>
        !retired && record.uid === ledgerUid && (plugin === null || plugin === pluginUid),
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
    if (account.backlog || room(account, line) <= 0) return false;
    const left = available(account);
    if (left !== undefined && left < sign.cost) return false;
    return new Promise<boolean>((resolve, reject) => {
      account.reserved.count += 1;
      account.reserved.cost += sign.cost;
      queue.push({ acceptance, account, line, resolve, reject });
      flushing ??= flush();
    });
  }

  async function flush(): Promise<void> {
    // Everything that arrives in this turn of the loop goes together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.splice(0, signLimit);
      await mutex
        .run(() => flushBatch(batch))
        .catch((error: unknown) => {
          for (const { reject } of batch) reject(error);
        });
      for (const { account, acceptance } of batch) {
        account.reserved.count -= 1;
        account.reserved.cost -= acceptance.sign.cost;
      }
    }
    flushing = null;
  }

  async function flushBatch(batch: readonly Queued[]): Promise<void> {
    // An account that was forgotten meanwhile belongs to a lane that went to another server.
    const [current, stale] = split(batch, ({ account }) => accounts.known(account.address) === account);
    for (const { resolve } of stale) resolve(false);
    let rest = current;
    const drop = (ids: ReadonlyMap<string, unknown>) => {
      for (const one of rest) {
        const error = ids.get(one.acceptance.action.id);
        if (error !== undefined) one.reject(error);
      }
      rest = rest.filter((one) => !ids.has(one.acceptance.action.id));
    };
    for (let tries = 0; rest.length > 0; tries += 1) {
      const { signed, failed } = await signer.sign(
        rest.map(({ acceptance, account, line }) => ({
          sign: acceptance.sign,
          account,
          line,
          key: acceptance.key,
        })),
      );
      if (failed.size > 0) {
        drop(failed);
        continue;
      }
      const byId = new Map(rest.map((one) => [one.acceptance.action.id, one]));
      try {
        await signer.commit(
          signed,
          async (tx) => {
            await insertActions(
              tx,
              rest.map(({ acceptance }) => acceptance.action),
              'signed',
            );
          },
          'accept',
        );
      } catch (error) {
        if (error instanceof AlreadyThere) {
          drop(error.problems);
          continue;
        }
        if (error instanceof LeaseLost) {
          for (const one of rest) one.resolve(false);
          return;
        }
        if (error instanceof SequenceMoved && tries < maxTries) {
          for (const { account, line } of rest) await signer.reload(account, line);
          continue;
        }
        if (error instanceof StoreError && error.code === 'constraint' && rest.length > 1) {
          // One of the batch cannot be stored: find it by storing them one by one.
          for (const one of rest) await flushBatch([one]).catch(one.reject);
          return;
        }
        throw error;
      }
      for (const { sign } of signed) byId.get(sign.actionId)?.resolve(true);
      options.announce(signed.map(({ sign }) => sign.actionId));
      return;
    }
  }

  /** Signs a batch that waited in the table. Answers what could not be prepared. */
  async function signReady(candidates: readonly Candidate[]): Promise<Map<string, Problem>> {
    return mutex.run(async () => {
      const failures = new Map<string, Problem>();
      let rest = [...candidates];
      for (let tries = 0; rest.length > 0 && tries <= maxTries; tries += 1) {
        const { signed, failed } = await signer.sign(rest);
        for (const [id, problem] of failed) failures.set(id, problem);
        if (failed.size > 0) {
          rest = rest.filter(({ sign }) => !failed.has(sign.actionId));
          continue;
        }
        let gone: string[] = [];
        try {
          await signer.commit(
            signed,
            async (tx) => {
              const ids = signed.map(({ sign }) => sign.actionId);
              const still = await markSigned(tx, ids, now());
              gone = ids.filter((id) => !still.has(id));
              if (gone.length > 0) throw new SequenceMoved(`${gone.length} actions are no longer ready.`);
            },
            'sign',
          );
          options.announce(signed.map(({ sign }) => sign.actionId));
          return failures;
        } catch (error) {
          if (!(error instanceof SequenceMoved)) throw error;
          rest = rest.filter(({ sign }) => !gone.includes(sign.actionId));
          if (gone.length === 0) for (const { account, line } of rest) await signer.reload(account, line);
        }
      }
      return failures;
    });
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
    const live = await readLive(store, chain, shards, now());
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
      if (account.next !== undefined && account.next !== sign.demanded) {
        throw nonceConflict(sign.demanded, account.address, account.next);
      }
    },
    async balance(line, address, shard, cost) {
      const account = accounts.get(address, shard);
      await accounts.prepare(account, line.open.session, { sequence: false, cost });
      return account.balance ?? 0n;
    },
    wake,
    take(line, action) {
      const independent = independents.get(line);
      if (independent === undefined || stopped || suspect || !leases.holds(action.row.shard)) return false;
      return independent.take(action);
    },
    doubt,
    ended(action) {
      const account = accounts.known(action.address);
      account?.live.delete(action.id);
      readyQueue.roomFor(action.address);
      for (const independent of independents.values()) independent.roomFor(action.address);
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
        const gone = accounts.forget(stale).map(({ id }) => id);
        for (const line of lines.values()) line.remove(gone);
        const fresh = suspect ? leases.held() : gained;
        if (fresh.length > 0) await takeOver(fresh);
        suspect = false;
        if (fresh.length > 0) wake();
      });
    },
    async expire(at) {
      const held = leases.held();
      if (held.length === 0) return;
      const late = await store.read.all<{ id: string; waiting: string | null }>(
        `SELECT id, waiting FROM action WHERE chain = $1 AND shard IN (${held.join(', ')}) AND status = 'PENDING' AND stage IN ('blocked', 'ready') AND deadline <= $2 ORDER BY deadline LIMIT 500`,
        [chain, at],
      );
      if (late.length === 0) return;
      await failUnsigned(
        late.map(({ id, waiting }) => failure(id, false, deadlinePassed(waiting).toDocument())),
      );
    },
    async stop() {
      stopped = true;
      await readyQueue.stop();
      for (const independent of independents.values()) await independent.stop();
      await flushing;
      await leases.release();
    },
  };
}

/** A ledger has one line for each plugin that serves it. */
export function lineKey({ record, pluginUid }: Pick<OpenLedger, 'record' | 'pluginUid'>): string {
  return `${record.uid} ${pluginUid}`;
}

function deadlinePassed(waiting: string | null): Problem {
  return new Problem(
    'deadline-passed',
    waiting === null
      ? 'The deadline passed before the action could be signed.'
      : `The deadline passed before the action could be signed. It waited because: ${waiting}`,
  );
}

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
