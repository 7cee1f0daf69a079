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
  /** `expired` if the action's last transaction expired, `hurry` if a user requested a higher fee. */
  change: string | null;
  change_cap: string | null;
  /** Number of transactions signed for the action so far. The next transaction gets this number. */
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
  /** Keys (see `linesOf`) of the ledgers and plugins whose actions are included or excluded. */
  lines: { only: readonly string[] } | { without: readonly string[] };
  /** If present, only actions accepted after this one are read. */
  after?: Pick<ReadyRow, 'created_at' | 'id'> | null;
  /** Maximum number of actions. */
  limit: number;
  /** Maximum total size of the actions' contents in bytes. One larger action may exceed it. */
  mostBytes: number;
}

/** Columns that can be long: a request can have 10 MiB. */
const longColumns = {
  ...{ operation: 'action.operation', plan: 'action.plan', material: 'wallet.material' },
  ...{ sealed: 'action_grant.sealed', secret: 'action_grant.secret', others: 'action_grant.others' },
} as const;
type Contents = Pick<ReadyRow, keyof typeof longColumns>;
/** Maximum number of bytes in the long columns of an action. Longer ones are read in a separate statement. */
const shortBytes = 32_768;
const bytesSql = Object.values(longColumns)
  .map((column) => `COALESCE(OCTET_LENGTH(${column}), 0)`)
  .join(' + ');

function contentsSql(condition?: string): string {
  return Object.entries(longColumns)
    .map(
      ([name, column]) =>
        `${condition === undefined ? column : `CASE WHEN ${condition} THEN ${column} END`} AS ${name}`,
    )
    .join(', ');
}

/** Returns the number of bytes of an action's operation, plan and signing grant. */
export function bytesOf({ operation, plan, material, sealed, secret, others }: ReadyRow): number {
  return [operation, plan, material, sealed, secret, others].reduce(
    (sum, one) => sum + (one?.length ?? 0),
    0,
  );
}

/**
 * Returns the keys of `lines` that belong to a tracker: of the actions that its plugin planned, and of those that any
 * plugin may sign.
 */
export function linesOf({ open }: { open: { record: { uid: string }; pluginUid: string } }): string[] {
  return [`${open.record.uid} ${open.pluginUid}`, `${open.record.uid} `];
}

/**
 * Returns the actions that are ready to be signed, in the order of acceptance. `more` is true if further
 * actions may follow.
 */
export async function readReady(
  store: Store,
  filter: ReadyFilter,
): Promise<{ rows: ReadyRow[]; more: boolean }> {
  if (filter.shards.length === 0) return { rows: [], more: false };
  const [test, lines] = 'only' in filter.lines ? ['IN', filter.lines.only] : ['NOT IN', filter.lines.without];
  // Deadlines are compared with the database's clock.
  const now = await store.now();
  const found = await store.read.all<ReadyRow & { bytes: number }>(
    `SELECT ${bytesSql} AS bytes, ${contentsSql(`${bytesSql} <= ${shortBytes}`)},
      action.id, action.ledger_uid, action.plugin, action.wallet_uid, action.address, action.shard, action.cost, action.sequence, action.min_height, action.created_at, action.waiting, action.trace,
      action.change, action.change_cap,
      (SELECT COALESCE(MAX(attempt.n) + 1, 0) FROM attempt WHERE attempt.action_id = action.id) AS steps,
      wallet.key_type
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
  let sum = 0;
  const fitting = found.findIndex(({ bytes }, index) => {
    sum += Number(bytes);
    return index > 0 && sum > filter.mostBytes;
  });
  const kept = fitting < 0 ? found : found.slice(0, fitting);
  const rows = await withContents(
    store.read,
    kept.map(({ bytes, ...row }) => ({ row, isLong: Number(bytes) > shortBytes })),
  );
  return { rows, more: fitting >= 0 || found.length === filter.limit };
}

/** Reads the long columns that the first statement left out. Drops actions that were removed in the meantime. */
async function withContents(
  read: Queries,
  found: readonly { row: ReadyRow; isLong: boolean }[],
): Promise<ReadyRow[]> {
  const ids = found.flatMap(({ row, isLong }) => (isLong ? [row.id] : []));
  if (ids.length === 0) return found.map(({ row }) => row);
  const contents = await read.all<Contents & { id: string }>(
    `SELECT action.id, ${contentsSql()} FROM action JOIN wallet ON wallet.uid = action.wallet_uid
      LEFT JOIN action_grant ON action_grant.action_id = action.id WHERE action.id IN ${textList(read.dialect, '$1')}`,
    [JSON.stringify(ids)],
  );
  const byId = new Map(contents.map((one) => [one.id, one]));
  return found.flatMap(({ row, isLong }) => {
    const own = byId.get(row.id);
    return isLong ? (own === undefined ? [] : [{ ...row, ...own }]) : [row];
  });
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

/** Returns the row of a newly accepted action as `readReady` would return it, but without wallet and grant. */
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

/** Returns why the fee of the action's next transaction is raised; undefined if it is not raised. */
export function raiseOf({ steps, change, change_cap: cap }: ReadyRow): FeeRaise | undefined {
  if (steps === 0 || change === null) return undefined;
  if (change !== 'hurry') return { reason: 'expired' };
  return { reason: 'hurried', ...(cap === null ? {} : { cap: BigInt(cap) }) };
}

export function walletOf({ address, material }: ReadyRow): WalletIdentity {
  return { address, ...(material === null ? {} : { material: readJson<JsonObject>(material) }) };
}
