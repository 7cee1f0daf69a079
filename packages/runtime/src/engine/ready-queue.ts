import type { Estimated, JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import type { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { adapterProblemFrom, isPassing, toProblem } from '../adapter-problem.ts';
import type { Log, Vault, WalletKey } from '../types.ts';
import { type Account, type Accounts, available, nextFree, shortOfFunds } from './accounts.ts';
import { createDeferrals } from './deferrals.ts';
import { estimateEach } from './estimate-each.ts';
import { gapWords } from './gaps.ts';
import { type Grant, openGrant, unopened } from './grant.ts';
import type { Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import { failure, type Settlement } from './model.ts';
import { planNow } from './plan-now.ts';
import { type ReadyRow, readReady, walletOf } from './ready-rows.ts';
import type { Candidate } from './signer.ts';

/** Actions that are looked at in one turn. */
const turnLimit = 200;

/** Problems of an estimate that earlier actions of the wallet may yet cure. */
const curable = new Set(['reverted', 'out-of-gas', 'unknown-contract']);

/** Signs what waits in the table, in the order of acceptance, as far as room, funds and fees allow. */
export interface ReadyQueue {
  wake(): void;
  /** A transaction of the account ended: what waited for it may go. */
  roomFor(address: string): void;
  stop(): Promise<void>;
}

export interface ReadyQueueOptions {
  store: Store;
  vault: Vault;
  chain: string;
  leases: Leases;
  accounts: Accounts;
  log: Log;
  now: () => number;
  /** The line that may sign for the plugin that made the plan. */
  line(ledgerUid: string, plugin: string | null): LedgerLine | undefined;
  /** What others sign: uids of ledger and plugin with a blank between. */
  others(): string[];
  room(account: Account, line: LedgerLine): number;
  /** Signs and stores; answers what could not be prepared. */
  sign(candidates: readonly Candidate[]): Promise<Map<string, Problem>>;
  fail(settlements: readonly Settlement[]): Promise<void>;
}

interface Ready {
  row: ReadyRow;
  line: LedgerLine;
  account: Account;
  wallet: WalletIdentity;
}

/** With what it is signed by. */
interface Planned extends Ready {
  plan: JsonObject;
  secret: JsonObject | undefined;
  key: WalletKey;
}

export function createReadyQueue(options: ReadyQueueOptions): ReadyQueue {
  const { store, vault, chain, leases, accounts, log, now } = options;
  const deferrals = createDeferrals({ store, now, log, due: wake });
  /** Accounts without room, and the line that has none for them. */
  const full = new Map<string, LedgerLine>();
  /** Accounts of which something was left in this look through the table: what comes after it waits for its turn. */
  const left = new Set<string>();
  /** The last row of this look that was read; null at its start. */
  let last: ReadyRow | null = null;
  let moved = false;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  function wake(): void {
    again = true;
    if (stopped || running !== null) return;
    running = run().finally(() => {
      running = null;
      if (again) wake();
    });
  }

  async function run(): Promise<void> {
    while (again && !stopped) {
      again = false;
      try {
        if (await turn()) again = true;
      } catch (error) {
        last = null;
        log('error', 'ready.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
        retry = setTimeout(wake, 1_000);
      }
    }
  }

  /** A part of a look through the table. True when there may be more to do at once. */
  async function turn(): Promise<boolean> {
    if (last === null) {
      moved = false;
      left.clear();
      // Room comes not only when transactions end: what was to become one may have failed, or have to wait.
      for (const [address, line] of full) {
        const account = accounts.known(address);
        if (account === undefined || options.room(account, line) > 0) full.delete(address);
      }
    }
    const rows: ReadyRow[] = await readReady(store, {
      chain,
      shards: leases.held(),
      withoutIds: deferrals.late(),
      withoutAddresses: [...full.keys(), ...left],
      lines: { without: options.others() },
      after: last,
      limit: turnLimit,
    });
    const isEnd = rows.length < turnLimit;
    last = isEnd ? null : (rows.at(-1) ?? null);
    const ready = rows.flatMap((row): Ready[] => {
      const line = options.line(row.ledger_uid, row.plugin);
      if (line === undefined) {
        deferrals.defer(
          row,
          'The plugin that planned this action does not run on this server: it was deactivated, changed or deleted, or cannot be loaded.',
        );
        return [];
      }
      const account = accounts.get(row.address, row.shard);
      return [{ row, line, account, wallet: walletOf(row) }];
    });
    // Side by side, so that a plugin that is slow delays the others no longer than it may take.
    const turns = await Promise.allSettled(
      [...Map.groupBy(ready, ({ line }) => line)].map(([line, items]) => signLine(line, items)),
    );
    const failed = turns.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    moved ||= turns.some((one) => one.status === 'fulfilled' && one.value);
    if (!isEnd) return true;
    for (const account of accounts.all())
      account.backlog = full.has(account.address) || left.has(account.address);
    return moved;
  }

  /** True when something was signed or failed. */
  async function signLine(line: LedgerLine, items: readonly Ready[]): Promise<boolean> {
    const settlements: Settlement[] = [];
    const taken: Planned[] = [];
    const grants: Grant[] = [];
    try {
      for (const ready of takeRoom(line, items)) {
        const grant = openGrant(vault, ready.row, ready.row.key_type);
        if (grant === null) {
          settlements.push(failure(ready.row.id, false, unopened()));
          continue;
        }
        grants.push(grant);
        const { plan: text } = ready.row;
        const planned = await planNow(store.read, line.open.session, { ...ready, ...grant, plan: text });
        if (planned.status === 'wait') deferrals.defer(ready.row, planned.detail);
        else if (planned.status === 'failed')
          settlements.push(failure(ready.row.id, false, planned.problem.toDocument()));
        else taken.push({ ...ready, ...planned, key: grant.key });
      }
      return await signPlanned(line, taken, settlements);
    } finally {
      for (const { key } of grants) key.destroy();
    }
  }

  /** True when something was signed or failed. */
  async function signPlanned(
    line: LedgerLine,
    taken: readonly Planned[],
    settlements: Settlement[],
  ): Promise<boolean> {
    if (taken.length === 0 && settlements.length === 0) return false;
    const { session, record } = line.open;
    const requests = taken.map(({ row, wallet, plan }) => ({ wallet, plan, minHeight: row.min_height }));
    const estimates = await estimateEach(session, record.ledgerId, requests);
    const candidates: { ready: Ready; candidate: Candidate }[] = [];
    for (const [index, ready] of taken.entries()) {
      const estimate = estimates[index];
      if (estimate === undefined) continue;
      if (estimate.status !== 'ready') {
        const end = await judge(ready, estimate);
        if (end !== null) settlements.push(end);
        continue;
      }
      const candidate = await reserve(ready, estimate.plan, estimate.cost);
      if (candidate !== null) candidates.push({ ready, candidate });
    }
    if (candidates.length > 0) {
      try {
        const failures = await options.sign(candidates.map(({ candidate }) => candidate));
        for (const { ready } of candidates) {
          const problem = failures.get(ready.row.id);
          if (problem === undefined) deferrals.forget(ready.row.id);
          else if (problem.status >= 500) deferrals.defer(ready.row, problem.message);
          else settlements.push(failure(ready.row.id, false, problem.toDocument()));
        }
      } finally {
        for (const { candidate } of candidates) {
          candidate.account.reserved.count -= 1;
          candidate.account.reserved.cost -= candidate.sign.cost;
        }
      }
    }
    if (settlements.length > 0) await options.fail(settlements);
    for (const { actionId } of settlements) deferrals.forget(actionId);
    return candidates.length > 0 || settlements.length > 0;
  }

  /** As many of each account as its window takes; the account of the rest is left alone until it has room. */
  function takeRoom(line: LedgerLine, items: readonly Ready[]): Ready[] {
    const counts = new Map<Account, number>();
    const taken: Ready[] = [];
    for (const ready of items) {
      const used = counts.get(ready.account) ?? 0;
      if (used >= options.room(ready.account, line)) {
        left.add(ready.account.address);
        if (options.room(ready.account, line) <= 0) full.set(ready.account.address, line);
        ready.account.backlog = true;
        continue;
      }
      counts.set(ready.account, used + 1);
      taken.push(ready);
    }
    return taken;
  }

  /** Funds and reservation. Null when it has to wait. */
  async function reserve(ready: Planned, plan: JsonObject, cost: bigint): Promise<Candidate | null> {
    const { row, line, account, wallet, key, secret } = ready;
    const { capabilities } = line.open.definition;
    try {
      await accounts.prepare(account, line.open.session, {
        sequence: capabilities.sequence === 'account',
        cost: capabilities.balance ? cost : null,
      });
    } catch (error) {
      deferrals.defer(row, adapterProblemFrom(error).detail);
      return null;
    }
    if (account.gap !== null && nextFree(account, now()) === undefined) {
      deferrals.defer(row, gapWords(account.address, account.gap));
      return null;
    }
    const left = available(account);
    if (left !== undefined && left < cost) {
      deferrals.defer(row, shortOfFunds(account.address, left, cost));
      return null;
    }
    account.reserved.count += 1;
    account.reserved.cost += cost;
    const sign = {
      actionId: row.id,
      walletUid: row.wallet_uid,
      ledgerUid: row.ledger_uid,
      operation: row.operation,
      wallet,
      shard: row.shard,
      plan,
      secret,
      demanded: row.sequence,
      cost,
    };
    return { sign, account, line, key };
  }

  /** Whether a failed estimate ends the action, or only makes it wait. */
  async function judge(
    { row, account }: Ready,
    { status, problem }: Exclude<Estimated, { status: 'ready' }>,
  ): Promise<Settlement | null> {
    if (status === 'wait' || isPassing(problem)) {
      deferrals.defer(row, problem.detail);
      return null;
    }
    if (curable.has(problem.code)) {
      const [earlier] = await store.read.all(
        `SELECT id FROM action WHERE chain = $1 AND shard = $2 AND address = $3 AND status = 'PENDING'
          AND (created_at < $4 OR (created_at = $4 AND id < $5)) LIMIT 1`,
        [chain, row.shard, row.address, row.created_at, row.id],
      );
      if (earlier !== undefined || account.live.size > 0) {
        deferrals.defer(
          row,
          `${problem.detail} An earlier action of the wallet, still under way, may change that.`,
        );
        return null;
      }
    }
    return failure(row.id, false, toProblem(problem).toDocument());
  }

  return {
    wake,
    roomFor(address) {
      const wasFull = full.delete(address);
      if (deferrals.hasten(address) || wasFull) wake();
    },
    async stop() {
      stopped = true;
      deferrals.stop();
      clearTimeout(retry);
      await running;
    },
  };
}
