import type { AdapterProblem, Estimated, JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { Problem, SealError } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import { adapterProblemFrom, toProblem } from '../adapter-problem.ts';
import type { Log, Vault, WalletKey } from '../types.ts';
import { type Account, type Accounts, available } from './accounts.ts';
import { readDeferred, withAddress } from './deferred.ts';
import type { Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import { failure, type Settlement } from './model.ts';
import type { Candidate } from './signer.ts';
import { textList } from './sql.ts';

/** Actions that are looked at in one turn. */
const turnLimit = 200;
const firstDelay = 250;
const maxDelay = 10_000;

/** Problems of an estimate that earlier actions of the wallet may yet cure. */
const curable = new Set(['reverted', 'out-of-gas', 'unknown-contract']);
/** Problems of an estimate that time may cure. */
const passing = new Set(['insufficient-funds', 'fee-above-cap', 'unavailable', 'timeout']);

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
  room(account: Account, line: LedgerLine): number;
  /** Signs and stores; answers what could not be prepared. */
  sign(candidates: readonly Candidate[]): Promise<Map<string, Problem>>;
  fail(settlements: readonly Settlement[]): Promise<void>;
}

interface ReadyRow extends Record<string, SqlValue> {
  id: string;
  ledger_uid: string;
  plugin: string | null;
  wallet_uid: string;
  address: string;
  shard: number;
  operation: string;
  plan: string;
  sequence: number | null;
  min_height: number;
  created_at: number;
  waiting: string | null;
  material: string | null;
  key_type: string;
  sealed: Uint8Array | null;
}

interface Ready {
  row: ReadyRow;
  line: LedgerLine;
  account: Account;
  wallet: WalletIdentity;
}

interface Deferral {
  until: number;
  times: number;
  /** Ends early when a transaction of this account ends. */
  address: string;
}

/** The text that a grant is bound to: the operation as accepted, and the plan that will be signed. */
export function grantText(operation: string, plan: string): string {
  return `${operation}\n${plan}`;
}

export function createReadyQueue(options: ReadyQueueOptions): ReadyQueue {
  const { store, vault, chain, leases, accounts, log, now } = options;
  const deferred = new Map<string, Deferral>();
  const full = new Set<string>();
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

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
      clearTimeout(timer);
      try {
        if (await turn()) again = true;
      } catch (error) {
        log('error', 'ready.failed', { chain, detail: error instanceof Error ? error.message : 'unknown' });
        schedule(now() + 1_000);
      }
    }
    for (const { until } of deferred.values()) schedule(until);
  }

  let scheduled = Number.POSITIVE_INFINITY;
  function schedule(at: number): void {
    if (stopped || (at >= scheduled && scheduled > now())) return;
    clearTimeout(timer);
    scheduled = at;
    timer = setTimeout(
      () => {
        scheduled = Number.POSITIVE_INFINITY;
        wake();
      },
      Math.max(1, at - now()),
    );
    timer.unref();
  }

  /** One look at the table. True when there may be more to do at once. */
  async function turn(): Promise<boolean> {
    const rows = await readRows();
    const ready = rows.flatMap((row): Ready[] => {
      const line = options.line(row.ledger_uid, row.plugin);
      if (line === undefined) {
        defer(
          row,
          'The plugin that planned this action does not run on this server: it was deactivated, changed or deleted, or cannot be loaded.',
        );
        return [];
      }
      const account = accounts.get(row.address, row.shard);
      const material = row.material === null ? {} : { material: JSON.parse(row.material) as JsonObject };
      return [{ row, line, account, wallet: { address: row.address, ...material } }];
    });
    let moved = false;
    for (const [line, items] of groupByLine(ready)) {
      if (await signLine(line, items)) moved = true;
    }
    if (rows.length < turnLimit) {
      for (const account of accounts.all()) account.backlog = full.has(account.address);
    }
    return moved && rows.length > 0;
  }

  async function readRows(): Promise<ReadyRow[]> {
    const held = leases.held();
    if (held.length === 0) return [];
    const late = [...deferred].filter(([, { until }]) => until > now()).map(([id]) => id);
    return store.read.all<ReadyRow>(
      `SELECT action.id, action.ledger_uid, action.plugin, action.wallet_uid, action.address, action.shard, action.operation,
        action.plan, action.sequence, action.min_height, action.created_at, action.waiting,
        wallet.material, wallet.key_type, action_grant.sealed
        FROM action JOIN wallet ON wallet.uid = action.wallet_uid
        LEFT JOIN action_grant ON action_grant.action_id = action.id
        WHERE action.chain = $1 AND action.shard IN (${held.join(', ')}) AND action.status = 'PENDING'
        AND action.stage = 'ready' AND action.deadline > $2
        AND action.id NOT IN ${textList(store.dialect, '$3')} AND action.address NOT IN ${textList(store.dialect, '$4')}
        ORDER BY action.created_at, action.id LIMIT ${turnLimit}`,
      [chain, now(), JSON.stringify(late), JSON.stringify([...full])],
    );
  }

  /**
   * The plan of an action, made now where its contract had still to be deployed. Null when it has to wait; then a
   * settlement was added, or it was deferred.
   */
  async function planOf({ row, line, wallet }: Ready, settlements: Settlement[]): Promise<JsonObject | null> {
    const plan = JSON.parse(row.plan) as JsonObject;
    const deferredOperation = readDeferred(plan);
    if (deferredOperation === null) return plan;
    const [deployment] = await store.read.all<{ contract_address: string | null }>(
      'SELECT contract_address FROM action WHERE id = $1',
      [deferredOperation.deployedBy],
    );
    const address = deployment?.contract_address ?? null;
    if (address === null) {
      const detail = `The action ${deferredOperation.deployedBy} succeeded without a contract.`;
      settlements.push(failure(row.id, false, new Problem('unknown-contract', detail).toDocument()));
      return null;
    }
    try {
      const operation = withAddress(deferredOperation.operation, address);
      return (await line.open.session.check({ wallet, operation })).plan;
    } catch (error) {
      const problem = adapterProblemFrom(error);
      if (passing.has(problem.code) || problem.code === 'adapter-fault') defer(row, problem.detail);
      else settlements.push(failure(row.id, false, toProblem(problem).toDocument()));
      return null;
    }
  }

  /** True when something was signed or failed. */
  async function signLine(line: LedgerLine, items: readonly Ready[]): Promise<boolean> {
    const settlements: Settlement[] = [];
    const taken: (Ready & { plan: JsonObject })[] = [];
    for (const ready of takeRoom(line, items)) {
      const plan = await planOf(ready, settlements);
      if (plan !== null) taken.push({ ...ready, plan });
    }
    if (taken.length === 0 && settlements.length === 0) return false;
    const estimates = await line.open.session
      .estimate(
        taken.map(({ row, wallet, plan }) => ({
          wallet,
          plan,
          minHeight: row.min_height,
        })),
      )
      .catch((error: unknown): Estimated[] => {
        const problem = adapterProblemFrom(error);
        return taken.map(() => ({ status: 'wait', problem }));
      });
    const candidates: { ready: Ready; candidate: Candidate }[] = [];
    for (const [index, ready] of taken.entries()) {
      const estimate = estimates[index];
      if (estimate === undefined) continue;
      if (estimate.status !== 'ready') {
        const end = await judge(ready, estimate.problem);
        if (end !== null) settlements.push(end);
        continue;
      }
      const candidate = await prepareCandidate(ready, estimate.plan, estimate.cost, settlements);
      if (candidate !== null) candidates.push({ ready, candidate });
    }
    if (candidates.length > 0) {
      try {
        const failures = await options.sign(candidates.map(({ candidate }) => candidate));
        for (const { ready } of candidates) {
          const problem = failures.get(ready.row.id);
          if (problem === undefined) deferred.delete(ready.row.id);
          else if (problem.status >= 500) defer(ready.row, problem.message);
          else settlements.push(failure(ready.row.id, false, problem.toDocument()));
        }
      } finally {
        for (const { candidate } of candidates) {
          candidate.key.destroy();
          candidate.account.reserved.count -= 1;
          candidate.account.reserved.cost -= candidate.sign.cost;
        }
      }
    }
    if (settlements.length > 0) await options.fail(settlements);
    for (const { actionId } of settlements) deferred.delete(actionId);
    return candidates.length > 0 || settlements.length > 0;
  }

  /** As many of each account as its window takes; the account of the rest is left alone until it has room. */
  function takeRoom(line: LedgerLine, items: readonly Ready[]): Ready[] {
    const counts = new Map<Account, number>();
    const taken: Ready[] = [];
    for (const ready of items) {
      const used = counts.get(ready.account) ?? 0;
      if (used >= options.room(ready.account, line)) {
        full.add(ready.account.address);
        ready.account.backlog = true;
        continue;
      }
      counts.set(ready.account, used + 1);
      taken.push(ready);
    }
    return taken;
  }

  /** Funds, key, reservation. Null when it has to wait or was failed. */
  async function prepareCandidate(
    ready: Ready,
    plan: JsonObject,
    cost: bigint,
    settlements: Settlement[],
  ): Promise<Candidate | null> {
    const { row, line, account, wallet } = ready;
    const { capabilities } = line.open.definition;
    try {
      await accounts.prepare(account, line.open.session, {
        sequence: capabilities.sequence === 'account',
        cost: capabilities.balance ? cost : null,
      });
    } catch (error) {
      defer(row, adapterProblemFrom(error).detail);
      return null;
    }
    const left = available(account);
    if (left !== undefined && left < cost) {
      defer(
        row,
        `The wallet ${account.address} can spend ${left < 0n ? 0n : left} beside what is under way, and this needs up to ${cost}.`,
      );
      return null;
    }
    const key = openKey(row);
    if (key === null) {
      settlements.push(
        failure(
          row.id,
          false,
          new Problem(
            'not-preparable',
            "The action's sealed grant does not open for what is stored with it. Send it again.",
          ).toDocument(),
        ),
      );
      return null;
    }
    account.reserved.count += 1;
    account.reserved.cost += cost;
    return {
      sign: {
        actionId: row.id,
        ledgerUid: row.ledger_uid,
        wallet,
        shard: row.shard,
        plan,
        demanded: row.sequence,
        cost,
      },
      account,
      line,
      key,
    };
  }

  function openKey(row: ReadyRow): WalletKey | null {
    if (row.sealed === null) return null;
    try {
      return vault.openGrant(row.sealed, row.key_type, {
        actionId: row.id,
        walletUid: row.wallet_uid,
        ledgerUid: row.ledger_uid,
        operation: grantText(row.operation, row.plan),
      });
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  }

  /** Whether a failed estimate ends the action, or only makes it wait. */
  async function judge({ row, account }: Ready, problem: AdapterProblem): Promise<Settlement | null> {
    if (passing.has(problem.code) || problem.code === 'adapter-fault') {
      defer(row, problem.detail);
      return null;
    }
    if (curable.has(problem.code)) {
      const [earlier] = await store.read.all(
        `SELECT id FROM action WHERE chain = $1 AND shard = $2 AND address = $3 AND status = 'PENDING'
          AND (created_at < $4 OR (created_at = $4 AND id < $5)) LIMIT 1`,
        [chain, row.shard, row.address, row.created_at, row.id],
      );
      if (earlier !== undefined || account.live.size > 0) {
        defer(row, `${problem.detail} An earlier action of the wallet, still under way, may change that.`);
        return null;
      }
    }
    return failure(row.id, false, toProblem(problem).toDocument());
  }

  function defer(row: ReadyRow, reason: string): void {
    const times = (deferred.get(row.id)?.times ?? 0) + 1;
    const until = now() + Math.min(maxDelay, firstDelay * 2 ** Math.min(times - 1, 10));
    deferred.set(row.id, { until, times, address: row.address });
    schedule(until);
    if (row.waiting !== reason) {
      store
        .transaction((tx) =>
          tx.run(`UPDATE action SET waiting = $2 WHERE id = $1 AND status = 'PENDING'`, [row.id, reason]),
        )
        .catch((error: unknown) => {
          log('warn', 'ready.reason', { detail: error instanceof Error ? error.message : 'unknown' });
        });
    }
  }

  return {
    wake,
    roomFor(address) {
      const wasFull = full.delete(address);
      let freed = wasFull;
      for (const deferral of deferred.values()) {
        if (deferral.address === address && deferral.until > now()) {
          deferral.until = 0;
          freed = true;
        }
      }
      if (freed) wake();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

function groupByLine(items: readonly Ready[]): Map<LedgerLine, Ready[]> {
  const groups = new Map<LedgerLine, Ready[]>();
  for (const item of items) {
    const group = groups.get(item.line);
    if (group === undefined) groups.set(item.line, [item]);
    else group.push(item);
  }
  return groups;
}
