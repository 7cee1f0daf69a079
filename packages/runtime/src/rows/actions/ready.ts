import type { FeeRaise, JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { type Queries, readJson, type SqlValue, type Store } from '@ledger-ops/store';
import { keyTypeColumn } from '../../keys/plugin-key.ts';
import type { NewAction } from '../model.ts';
import { textList } from '../sql.ts';
import { suspendedSql } from './suspensions.ts';

/** An unsigned action that is ready to be signed. */
export interface ReadyRow extends Record<string, SqlValue> {
  id: string;
  ledger_uid: string;
  plugin: string | null;
  wallet_uid: string;
  address: string;
  shard: number;
  operation: string;
  plan: string;
  cost: string;
  sequence: number | null;
  min_height: number;
  created_at: number;
  waiting: string | null;
  /** W3C trace context; null if it is derived from the id. */
  trace: string | null;
  /** `expired`: its last transaction expired; `hurry`: a user requested a higher fee. */
  change: string | null;
  change_cap: string | null;
  /** Number of transactions signed for it so far, which is the number of the next one. */
  steps: number;
  material: string | null;
  key_type: string;
  sealed: Uint8Array | null;
  secret: Uint8Array | null;
  others: string | null;
}

export interface ReadyFilter {
  chain: string;
  shards: readonly number[];
  withoutIds: readonly string[];
  withoutAddresses: readonly string[];
  /** Keys of ledgers and plugins (`linesOf`) whose actions are included or excluded. */
  lines: { only: readonly string[] } | { without: readonly string[] };
  /** Only actions accepted after this one. */
  after?: Pick<ReadyRow, 'created_at' | 'id'> | null;
  limit: number;
}

/** The keys of `lines` for a tracker: actions planned by its plugin, and those that any plugin may sign. */
export function linesOf({ open }: { open: { record: { uid: string }; pluginUid: string } }): string[] {
  return [`${open.record.uid} ${open.pluginUid}`, `${open.record.uid} `];
}

/** Returns the actions that are ready to be signed, in the order of acceptance. */
export async function readReady(store: Store, filter: ReadyFilter): Promise<ReadyRow[]> {
  if (filter.shards.length === 0) return [];
  const [test, lines] = 'only' in filter.lines ? ['IN', filter.lines.only] : ['NOT IN', filter.lines.without];
  // Deadlines are compared with the database's clock.
  const now = await store.now();
  return store.read.all<ReadyRow>(
    `SELECT action.id, action.ledger_uid, action.plugin, action.wallet_uid, action.address, action.shard, action.operation,
      action.plan, action.cost, action.sequence, action.min_height, action.created_at, action.waiting, action.trace,
      action.change, action.change_cap,
      (SELECT COALESCE(MAX(attempt.n) + 1, 0) FROM attempt WHERE attempt.action_id = action.id) AS steps,
      wallet.material, wallet.key_type, action_grant.sealed, action_grant.secret, action_grant.others
      FROM action JOIN wallet ON wallet.uid = action.wallet_uid
      LEFT JOIN action_grant ON action_grant.action_id = action.id
      WHERE action.chain = $1 AND action.shard IN (${filter.shards.join(', ')}) AND action.status = 'PENDING'
      AND action.stage = 'ready' AND action.deadline > $2 AND NOT ${suspendedSql()}
      AND action.id NOT IN ${textList(store.dialect, '$3')} AND action.address NOT IN ${textList(store.dialect, '$4')}
      AND action.ledger_uid || ' ' || COALESCE(action.plugin, '') ${test} ${textList(store.dialect, '$5')}
      AND (action.created_at > $6 OR (action.created_at = $6 AND action.id > $7))
      ORDER BY action.created_at, action.id LIMIT ${filter.limit}`,
    [
      filter.chain,
      now,
      JSON.stringify(filter.withoutIds),
      JSON.stringify(filter.withoutAddresses),
      JSON.stringify(lines),
      filter.after?.created_at ?? -1,
      filter.after?.id ?? '',
    ],
  );
}

/** Whether an earlier action of the same account is still pending. */
export async function hasEarlier(read: Queries, chain: string, row: ReadyRow): Promise<boolean> {
  const earlier = await read.all(
    `SELECT id FROM action WHERE chain = $1 AND shard = $2 AND address = $3 AND status = 'PENDING'
      AND (created_at < $4 OR (created_at = $4 AND id < $5)) LIMIT 1`,
    [chain, row.shard, row.address, row.created_at, row.id],
  );
  return earlier.length > 0;
}

/** The row of a newly stored action as `readReady` would return it, without wallet and grant. */
export function acceptedRow(action: NewAction, keyType: string | null): ReadyRow {
  return {
    id: action.id,
    ledger_uid: action.ledgerUid,
    plugin: action.plugin,
    wallet_uid: action.walletUid,
    address: action.address,
    shard: action.shard,
    operation: action.operation,
    plan: action.plan,
    cost: action.cost.toString(),
    sequence: action.sequence,
    min_height: 0,
    created_at: action.createdAt,
    waiting: null,
    trace: action.trace,
    change: null,
    change_cap: null,
    steps: 0,
    material: null,
    key_type: keyTypeColumn(keyType),
    sealed: null,
    secret: null,
    others: null,
  };
}

/** Why the fee of the action's next transaction is raised; undefined if it is not raised. */
export function raiseOf({ steps, change, change_cap: cap }: ReadyRow): FeeRaise | undefined {
  if (steps === 0 || change === null) return undefined;
  if (change !== 'hurry') return { reason: 'expired' };
  return { reason: 'hurried', ...(cap === null ? {} : { cap: BigInt(cap) }) };
}

export function walletOf({ address, material }: ReadyRow): WalletIdentity {
  return { address, ...(material === null ? {} : { material: readJson<JsonObject>(material) }) };
}
