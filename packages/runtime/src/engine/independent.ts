import { AdapterError, type JsonObject, type WalletIdentity } from '@ledger-ops/adapter';
import type { ProblemDocument } from '@ledger-ops/base';
import { type Store, StoreError } from '@ledger-ops/store';
import { adapterProblemFrom, isPassing, toProblem } from '../adapter-problem.ts';
import type { Log, Vault } from '../types.ts';
import { type Account, type Accounts, available, shortOfFunds } from './accounts.ts';
import { createBatches } from './batches.ts';
import { createDeferrals } from './deferrals.ts';
import type { Faults } from './faults.ts';
import { type Grant, openGrant, unopened } from './grant.ts';
import { isInDoubt } from './in-doubt.ts';
import { LeaseLost, type Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import { failure, type LiveAction, type Settlement } from './model.ts';
import { planNow } from './plan-now.ts';
import { type ReadyRow, readReady, walletOf } from './ready-rows.ts';
import { signBatch } from './sign-batch.ts';
import { type SignedStep, storeSteps } from './store-steps.ts';
import { createTally } from './tally.ts';

/** Actions that are prepared at once on one ledger. */
const preparedAtOnce = 256;
/** Actions that are taken in hand, those that are being prepared among them. */
const handLimit = 1_024;
/** Part of the places that one account may take: one whose actions hang in being prepared leaves the rest to others. */
const partOfOne = 1 / 4;
/** Signed actions that are stored in one transaction. */
const storedAtOnce = 128;
/** Transactions of one wallet under way at once, unless the ledger says otherwise. */
const defaultWindow = 4_096;

/** An action that can be prepared, with everything that it takes. */
export interface ReadyAction {
  row: ReadyRow;
  wallet: WalletIdentity;
  /** The adapter knows everything already: nothing is to be estimated. */
  ready: boolean;
  /** It is being stored meanwhile: nothing of it counts before that, nor at all when this says false. Never rejects. */
  stored?: Promise<boolean>;
}

/**
 * Signs for one ledger whose transactions are independent: each action by itself, many at once, in no order. What one
 * waits for, or fails by, is its own.
 */
export interface Independent {
  readonly line: LedgerLine;
  /** Accepted a moment ago: it goes on without a look at the table. False when there is no room for it at present. */
  take(action: ReadyAction): boolean;
  /** Something may wait in the table. */
  wake(): void;
  /** Needs another transaction: it is looked for in the table after so many milliseconds. */
  again(actionId: string, address: string, delay: number): void;
  /** A transaction of the account ended: what waited for it may go. */
  roomFor(address: string): void;
  /** Resolves when nothing is being written any more; what adapters still answer is thrown away. */
  stop(): Promise<void>;
}

export interface IndependentOptions {
  line: LedgerLine;
  store: Store;
  vault: Vault;
  leases: Leases;
  accounts: Accounts;
  faults: Faults;
  log: Log;
  now: () => number;
  announce: (actionIds: readonly string[]) => void;
  fail(settlements: readonly Settlement[]): Promise<void>;
  /** A commit ended without an answer: what is in memory may differ from the rows. */
  doubt: () => void;
}

/** What was made of an action. */
type Made =
  | { status: 'signed'; step: SignedStep }
  | { status: 'wait'; detail: string }
  | { status: 'failed'; problem: ProblemDocument };

export function createIndependent(options: IndependentOptions): Independent {
  const { line, store, vault, leases, accounts, faults, log, now, announce } = options;
  const { session, definition, record, pluginUid } = line.open;
  const { chain } = line;
  const limit = record.properties.max_in_flight;
  const window = typeof limit === 'number' ? limit : defaultWindow;
  const deferrals = createDeferrals({ store, now, log, due: wake });
  /** Taken in hand, by id. */
  const hand = new Set<string>();
  const waiting: ReadyAction[] = [];
  /** By account: actions in hand, and those of them that are being prepared. */
  const inHand = createTally();
  const inPreparation = createTally();
  /** Accounts that have so many in hand that none is added before most of them are done. */
  const crowded = new Set<string>();
  const grants = new Set<Grant>();
  const full = new Set<string>();
  const steps = createBatches({ limit: storedAtOnce, write, separate: isConstraint });
  const ends = createBatches({ limit: storedAtOnce, write: options.fail, separate: isConstraint });
  let preparing = 0;
  let reading: Promise<void> | null = null;
  let again = false;
  /** The table holds more than could be taken in hand. */
  let more = false;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  function take(action: ReadyAction): boolean {
    const { id, address } = action.row;
    if (stopped || hand.has(id) || crowded.has(address)) return false;
    if (hand.size >= handLimit || full.has(address)) {
      more = true;
      return false;
    }
    hand.add(id);
    if (inHand.add(address) >= handLimit * partOfOne) crowded.add(address);
    waiting.push(action);
    pump();
    return true;
  }

  function pump(): void {
    while (!stopped && preparing < preparedAtOnce) {
      const next = waiting.findIndex(({ row }) => inPreparation.of(row.address) < preparedAtOnce * partOfOne);
      const [action] = next < 0 ? [] : waiting.splice(next, 1);
      if (action === undefined) break;
      preparing += 1;
      inPreparation.add(action.row.address);
      void handle(action).finally(() => {
        preparing -= 1;
        done(action.row);
        pump();
      });
    }
    if (more && preparing < preparedAtOnce) wake();
  }

  function done({ id, address }: ReadyRow): void {
    inPreparation.remove(address);
    hand.delete(id);
    const isLeft = inHand.remove(address) <= (handLimit * partOfOne) / 4;
    // What was not taken meanwhile is looked for now.
    if (isLeft && crowded.delete(address)) more = true;
  }

  function wake(): void {
    again = true;
    if (stopped || line.retired || line.inDoubt || reading !== null) return;
    reading = read().finally(() => {
      reading = null;
      if (again) wake();
    });
  }

  async function read(): Promise<void> {
    again = false;
    more = false;
    // Room comes not only when transactions end: what was to become one may have failed, or be another server's.
    for (const address of full) if (roomOf(accounts.known(address)) > 0) full.delete(address);
    const room = handLimit - hand.size;
    if (room <= 0) {
      more = true;
      return;
    }
    try {
      const rows = await readReady(store, {
        chain,
        shards: leases.held(),
        withoutIds: [...hand, ...deferrals.late()],
        withoutAddresses: [...full, ...crowded],
        lines: { only: [`${record.uid} ${pluginUid}`, `${record.uid} `] },
        limit: room,
      });
      for (const row of rows) take({ row, wallet: walletOf(row), ready: row.steps > 0 });
      more ||= rows.length === room;
    } catch (error) {
      log('error', 'ready.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
      retry = setTimeout(wake, 1_000);
    }
  }

  /** How many more transactions of an account may be under way. */
  function roomOf(account: Account | undefined): number {
    return account === undefined ? window : window - account.live.size - account.reserved.count;
  }

  /** Takes one action as far as it goes now. Never rejects. */
  async function handle(action: ReadyAction): Promise<void> {
    const { row } = action;
    const account = accounts.get(row.address, row.shard);
    if (roomOf(account) <= 0) {
      full.add(row.address);
      return;
    }
    const cost = BigInt(row.cost);
    account.reserved.count += 1;
    account.reserved.cost += cost;
    try {
      const made = await make(action, account).catch((error: unknown) => judge(error));
      if (action.stored !== undefined && !(await action.stored)) return;
      if (stopped) return;
      if (made.status === 'wait') {
        deferrals.defer(row, made.detail);
        return;
      }
      await (made.status === 'signed'
        ? steps.add(made.step)
        : ends.add(failure(row.id, false, made.problem)));
      deferrals.forget(row.id);
    } catch (error) {
      // Another server's, or in doubt: what is so is read from the rows.
      if (!(error instanceof LeaseLost)) {
        log('warn', 'sign.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
      }
      if (isConstraint(error))
        deferrals.defer(row, 'Its transaction cannot be stored; its id may be that of another.');
      else deferrals.hold(row.id, row.address, 1_000);
    } finally {
      account.reserved.count -= 1;
      account.reserved.cost -= cost;
      if (full.has(row.address) && roomOf(account) > 0) wake();
    }
  }

  /** Prepares and signs. @throws what the adapter throws */
  async function make(action: ReadyAction, account: Account): Promise<Made> {
    const { row, wallet } = action;
    const grant = openGrant(vault, row, row.key_type);
    if (grant === null) return { status: 'failed', problem: unopened() };
    grants.add(grant);
    try {
      const planned = await planNow(store.read, session, { plan: row.plan, wallet, secret: grant.secret });
      if (planned.status === 'wait') return planned;
      if (planned.status === 'failed') return { status: 'failed', problem: planned.problem.toDocument() };
      const { secret, fresh } = planned;
      const { plan, cost } =
        action.ready && !fresh
          ? { plan: planned.plan, cost: BigInt(row.cost) }
          : await estimate(action, planned.plan);
      const lacking = await fundsLacking(account, cost, BigInt(row.cost));
      if (lacking !== null) return { status: 'wait', detail: lacking };
      const item = {
        actionId: row.id,
        walletUid: row.wallet_uid,
        ledgerUid: row.ledger_uid,
        operation: row.operation,
        wallet,
        shard: row.shard,
        plan,
        secret,
        demanded: null,
        cost,
      };
      const [signed] = await signBatch(session, [{ item, sequence: null, key: grant.key }]);
      if (signed?.status !== 'signed') throw new AdapterError(signed?.problem ?? brokenContract);
      const attempts = signed.attempts.map((attempt) => ({ ...attempt, n: row.steps + attempt.n }));
      // Where the row holds no real plan yet, a later step goes by the one that was signed.
      const rewritten = fresh ? { plan, secret } : null;
      return { status: 'signed', step: { row, account, attempts, cost: signed.cost, rewritten } };
    } finally {
      grants.delete(grant);
      grant.key.destroy();
    }
  }

  async function estimate({ row, wallet }: ReadyAction, plan: JsonObject) {
    const [estimated] = await session.estimate([{ wallet, plan, minHeight: row.min_height }]);
    if (estimated?.status === 'ready') return estimated;
    // What only waits may go well later, whatever its code.
    const problem = estimated?.problem ?? brokenContract;
    throw new AdapterError(estimated?.status === 'wait' ? { ...problem, code: 'unavailable' } : problem);
  }

  /** Null when the account can pay; else why it cannot. */
  async function fundsLacking(account: Account, cost: bigint, reserved: bigint): Promise<string | null> {
    if (!definition.capabilities.balance) return null;
    await accounts.prepare(account, session, { sequence: false, cost });
    const left = available(account);
    if (left === undefined || left + reserved >= cost) return null;
    return shortOfFunds(account.address, left + reserved, cost);
  }

  function judge(error: unknown): Made {
    if (error instanceof StoreError) throw error;
    const problem = adapterProblemFrom(error);
    if (isPassing(problem)) return { status: 'wait', detail: problem.detail };
    return { status: 'failed', problem: toProblem(problem).toDocument() };
  }

  async function write(batch: readonly SignedStep[]): Promise<void> {
    const at = now();
    faults('sign:before-commit');
    const stored = await store
      .transaction(async (tx) => {
        await leases.check(tx, new Set(batch.map(({ row }) => row.shard)));
        return storeSteps(tx, vault, chain, batch, at);
      })
      .catch((error: unknown) => {
        if (isInDoubt(error)) options.doubt();
        throw error;
      });
    faults('sign:after-commit');
    // A lane that went away meanwhile is another server's, and so is what was stored.
    const live = batch
      .filter(({ row }) => stored.has(row.id) && leases.holds(row.shard) && !line.live.has(row.id))
      .map((step) => liveAction(step, at));
    for (const action of live) accounts.get(action.address, action.shard).live.set(action.id, action);
    line.add(live, true);
    announce([...stored]);
  }

  function liveAction({ row, account, attempts, cost }: SignedStep, at: number): LiveAction {
    account.spent += cost;
    return {
      id: row.id,
      ledgerUid: row.ledger_uid,
      plugin: pluginUid,
      address: row.address,
      shard: row.shard,
      sequence: null,
      attempts: [...attempts],
      signedAt: at,
      released: 0,
      releasedAt: at,
      sentAt: at,
      complaint: null,
    };
  }

  return {
    line,
    take,
    wake,
    again(actionId, address, delay) {
      if (delay > 0) deferrals.hold(actionId, address, delay);
      else deferrals.forget(actionId);
    },
    roomFor(address) {
      const wasFull = full.delete(address);
      if (deferrals.hasten(address) || wasFull) wake();
    },
    async stop() {
      stopped = true;
      deferrals.stop();
      clearTimeout(retry);
      // An adapter that hangs holds nothing up: what it still answers is not signed any more.
      for (const { key } of grants) key.destroy();
      await reading;
      await steps.idle();
      await ends.idle();
    },
  };
}

const isConstraint = (error: unknown) => error instanceof StoreError && error.code === 'constraint';

const brokenContract = {
  code: 'adapter-fault',
  phase: 'prepare',
  detail: 'The ledger plugin broke its contract: one answer for each request was expected.',
} as const;
