import { Problem } from '@ledger-ops/base';
import { type Store, StoreError, type Tx } from '@ledger-ops/store';
import { adapterProblemFrom, toProblem } from '../adapter-problem.ts';
import type { Log, Vault, WalletKey } from '../types.ts';
import { type Account, type Accounts, available, createAccounts } from './accounts.ts';
import type { Faults } from './faults.ts';
import {
  AlreadyThere,
  advanceSequence,
  insertActions,
  insertAttempts,
  markSigned,
  SequenceMoved,
  settle,
} from './journal.ts';
import { createLeases, LeaseLost, type Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import {
  type Attempt,
  failure,
  type LiveAction,
  type NewAction,
  type Settlement,
  type ToSign,
} from './model.ts';
import { createMutex } from './mutex.ts';
import { createReadyQueue, type ReadyQueue } from './ready-queue.ts';
import { signBatch } from './sign-batch.ts';

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
  /** An action ended: its account has room again. */
  ended(action: LiveAction): void;
  addLine(line: LedgerLine): void;
  removeLine(line: LedgerLine): void;
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

/** One action of a batch on its way through signing. */
export interface Candidate {
  sign: ToSign;
  account: Account;
  line: LedgerLine;
  key: WalletKey;
}

interface SignedCandidate extends Candidate {
  sequence: number | null;
  attempts: Attempt[];
}

export function createChainWorker(options: ChainWorkerOptions): ChainWorker {
  const { store, vault, chain, faults, log, now } = options;
  const leases = createLeases({
    store,
    chain,
    owner: options.owner,
    duration: options.leaseDuration,
    alone: options.alone,
  });
  const accounts: Accounts = createAccounts({ chain, read: store.read, now });
  const lines = new Map<string, LedgerLine>();
  const mutex = createMutex();
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
    line: (ledgerUid) => lines.get(ledgerUid),
    room,
    sign: signReady,
    fail: failUnsigned,
  });

  /** How many more transactions of the account may be under way on this ledger. */
  function room(account: Account, line: LedgerLine): number {
    const limit = line.open.record.properties.max_in_flight;
    return (typeof limit === 'number' ? limit : defaultWindow) - account.live.size - account.reserved.count;
  }

  async function acceptSigned(acceptance: Acceptance, line: LedgerLine): Promise<boolean> {
    const { sign, action } = acceptance;
    if (
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
      sequence: capabilities.sequence === 'account',
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
    let rest = [...batch];
    const drop = (ids: ReadonlyMap<string, unknown>) => {
      for (const one of rest) {
        const error = ids.get(one.acceptance.action.id);
        if (error !== undefined) one.reject(error);
      }
      rest = rest.filter((one) => !ids.has(one.acceptance.action.id));
    };
    for (let tries = 0; rest.length > 0; tries += 1) {
      const { signed, failed } = await signCandidates(
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
        await commitSigned(
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
          for (const { account } of rest) await reload(account, rest[0]?.line);
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

  /** Reads an account's sequence again after somebody else moved it. */
  async function reload(account: Account, line: LedgerLine | undefined): Promise<void> {
    const [row] = await store.read.all<{ next: number }>(
      'SELECT next FROM sequence WHERE chain = $1 AND address = $2',
      [chain, account.address],
    );
    const [onChain = 0n] = (await line?.open.session.sequences([account.address])) ?? [];
    account.storedNext = row?.next ?? null;
    account.next = Math.max(row?.next ?? 0, account.live.size === 0 ? Number(onChain) : 0);
  }

  /** Takes sequences and signs, in memory only. Failed ones are told by id; then nothing is signed. */
  async function signCandidates(
    candidates: readonly Candidate[],
  ): Promise<{ signed: SignedCandidate[]; failed: Map<string, Problem> }> {
    const failed = new Map<string, Problem>();
    const nexts = new Map<Account, number>();
    const placed = candidates.map((candidate) => {
      const { account, line, sign } = candidate;
      if (line.open.definition.capabilities.sequence === 'none') return { ...candidate, sequence: null };
      const sequence = nexts.get(account) ?? account.next ?? 0;
      if (sign.demanded !== null && sign.demanded !== sequence) {
        failed.set(sign.actionId, nonceConflict(sign.demanded, account.address, sequence));
        return { ...candidate, sequence };
      }
      nexts.set(account, sequence + 1);
      return { ...candidate, sequence };
    });
    if (failed.size > 0) return { signed: [], failed };
    const signed: SignedCandidate[] = [];
    for (const [line, items] of groupBy(placed, ({ line }) => line)) {
      const results = await signBatch(
        line.open.session,
        items.map(({ sign, sequence, key }) => ({ item: sign, sequence, key })),
      ).catch((error: unknown) => {
        const problem = adapterProblemFrom(error);
        return items.map(() => ({ status: 'failed' as const, problem }));
      });
      for (const [index, item] of items.entries()) {
        const result = results[index];
        if (result?.status === 'signed') signed.push({ ...item, attempts: result.attempts });
        else if (result !== undefined) failed.set(item.sign.actionId, toProblem(result.problem));
      }
    }
    return failed.size > 0 ? { signed: [], failed } : { signed, failed };
  }

  /** One transaction: what `write` adds, the attempts, the sequences, fenced by the leases. Then they are sent. */
  async function commitSigned(
    signed: readonly SignedCandidate[],
    write: (tx: Tx) => Promise<void>,
    step: 'accept' | 'sign',
  ): Promise<void> {
    const at = now();
    const moves = new Map<Account, number>();
    for (const { account, sequence } of signed) if (sequence !== null) moves.set(account, sequence + 1);
    faults(`${step}:before-commit`);
    await store
      .transaction(async (tx) => {
        await leases.check(tx, new Set(signed.map(({ account }) => account.shard)));
        await write(tx);
        await insertAttempts(
          tx,
          chain,
          signed.map(({ sign, account, sequence, attempts }) => ({
            actionId: sign.actionId,
            address: account.address,
            shard: account.shard,
            sequence,
            attempts,
          })),
          at,
        );
        for (const [account, next] of moves) {
          await advanceSequence(tx, chain, account.address, account.storedNext, next);
        }
      })
      .catch((error: unknown) => {
        if (error instanceof StoreError && (error.code === 'unavailable' || error.code === 'timeout'))
          suspect = true;
        throw error;
      });
    for (const [account, next] of moves) {
      account.next = next;
      account.storedNext = next;
    }
    faults(`${step}:after-commit`);
    const byLine = new Map<LedgerLine, LiveAction[]>();
    for (const { sign, account, line, sequence, attempts } of signed) {
      const action: LiveAction = {
        id: sign.actionId,
        ledgerUid: sign.ledgerUid,
        address: account.address,
        shard: account.shard,
        sequence,
        attempts,
        signedAt: at,
        released: 0,
        sentAt: at,
        complaint: null,
      };
      account.live.set(action.id, action);
      account.spent += sign.cost;
      const list = byLine.get(line);
      if (list === undefined) byLine.set(line, [action]);
      else list.push(action);
    }
    for (const [line, actions] of byLine) line.add(actions, true);
  }

  /** Signs a batch that waited in the table. Answers what could not be prepared. */
  async function signReady(candidates: readonly Candidate[]): Promise<Map<string, Problem>> {
    return mutex.run(async () => {
      const failures = new Map<string, Problem>();
      let rest = [...candidates];
      for (let tries = 0; rest.length > 0 && tries <= maxTries; tries += 1) {
        const { signed, failed } = await signCandidates(rest);
        for (const [id, problem] of failed) failures.set(id, problem);
        if (failed.size > 0) {
          rest = rest.filter(({ sign }) => !failed.has(sign.actionId));
          continue;
        }
        let gone: string[] = [];
        try {
          await commitSigned(
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
          if (gone.length === 0) for (const { account, line } of rest) await reload(account, line);
        }
      }
      return failures;
    });
  }

  async function failUnsigned(settlements: readonly Settlement[]): Promise<void> {
    const { ended, wake } = await store.transaction((tx) => settle(tx, settlements, now()));
    options.announce(ended);
    for (const other of wake) options.wakeChain(other);
  }

  async function takeOver(shards: readonly number[]): Promise<void> {
    const rows = await store.read.all<{
      tx_id: string;
      action_id: string;
      n: number;
      kind: string;
      address: string;
      shard: number;
      sequence: number | null;
      bytes: Uint8Array;
      cost: string;
      created_at: number;
      ledger_uid: string;
    }>(
      `SELECT attempt.tx_id, attempt.action_id, attempt.n, attempt.kind, attempt.address, attempt.shard, attempt.sequence,
        attempt.bytes, attempt.cost, attempt.created_at, action.ledger_uid
        FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.chain = $1 AND attempt.settled_at IS NULL AND attempt.bytes IS NOT NULL
        AND action.status = 'PENDING' AND action.stage = 'signed'
        ORDER BY attempt.sequence, attempt.n`,
      [chain],
    );
    const taken = new Map<string, LiveAction>();
    for (const row of rows) {
      if (!shards.includes(row.shard)) continue;
      let action = taken.get(row.action_id);
      if (action === undefined) {
        action = {
          id: row.action_id,
          ledgerUid: row.ledger_uid,
          address: row.address,
          shard: row.shard,
          sequence: row.sequence,
          attempts: [],
          signedAt: row.created_at,
          released: 0,
          sentAt: 0,
          complaint: null,
        };
        taken.set(action.id, action);
      }
      action.attempts.push({
        txId: row.tx_id,
        n: row.n,
        kind: row.kind === 'bump' || row.kind === 'noop' ? row.kind : 'main',
        bytes: row.bytes,
        cost: BigInt(row.cost),
      });
    }
    for (const action of taken.values())
      accounts.get(action.address, action.shard).live.set(action.id, action);
    for (const line of lines.values()) handOver(line, [...taken.values()]);
  }

  function handOver(line: LedgerLine, actions: readonly LiveAction[]): void {
    line.add(
      actions.filter((action) => action.ledgerUid === line.open.record.uid && !line.live.has(action.id)),
      false,
    );
  }

  return {
    chain,
    leases,
    acceptSigned,
    async checkDemand({ action, sign }, line) {
      // Behind a dependency the next free one is not known yet: it is checked when the action is signed.
      if (sign.demanded === null || action.dependencies.length > 0) return;
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
    wake: () => readyQueue.wake(),
    ended(action) {
      const account = accounts.known(action.address);
      account?.live.delete(action.id);
      readyQueue.roomFor(action.address);
    },
    addLine(line) {
      lines.set(line.open.record.uid, line);
      for (const account of accounts.all()) handOver(line, [...account.live.values()]);
      readyQueue.wake();
    },
    removeLine(line) {
      if (lines.get(line.open.record.uid) === line) lines.delete(line.open.record.uid);
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
        if (fresh.length > 0) readyQueue.wake();
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
      await flushing;
      await leases.release();
    },
  };
}

function nonceConflict(demanded: number, address: string, next: number): Problem {
  return new Problem(
    'nonce-conflict',
    `The nonce ${demanded} was demanded in meta, but the next free one of ${address} is ${next}. Leave it out, or send it when it is free.`,
  );
}

function deadlinePassed(waiting: string | null): Problem {
  return new Problem(
    'deadline-passed',
    waiting === null
      ? 'The deadline passed before the action could be signed.'
      : `The deadline passed before the action could be signed. It waited because: ${waiting}`,
  );
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
