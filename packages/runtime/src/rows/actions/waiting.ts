import type { Queries, SqlValue } from '@ledger-ops/store';
import type { PendingCode } from '../../pending-codes.ts';
import { textList } from '../sql.ts';
import { suspendedSql } from './suspensions.ts';

/** Unsigned actions of a ledger that wait for one reason. */
export interface WaitingRow extends Record<string, SqlValue> {
  ledger_id: string;
  stage: string;
  code: string | null;
  count: number;
  /** When the oldest of them was accepted. */
  oldest: number;
}

/** Rows that are read of each shard and stage: its oldest. */
const waitingLimit = 1_000;

/** Things that the memory of a server adds to the stored reasons of pending actions. */
export interface KnownReasons {
  /** Ledgers that cannot be followed, by the plugins of actions; null: actions that no plugin planned yet. */
  readonly troubled: readonly { readonly ledgerUid: string; readonly plugin: string | null }[];
  /** Ids of signed actions of which nodes tell why they are not mined, by the codes of that. */
  readonly unmined: ReadonlyMap<PendingCode, readonly string[]>;
}

/** Where nothing else is known of why an action is pending. */
export const codeOfStage = { blocked: 'dependencies', ready: 'turn', signed: 'confirmation' } as const;

export interface CodeOptions {
  readonly dialect: Queries['dialect'];
  param(value: SqlValue): string;
  /** False: nothing is suspended. Then, and as long as memory adds nothing, the code stands in the index of what is pending. */
  readonly suspended: boolean;
}

/** SQL: why a pending action, named `action`, is so, as it is shown: a suspension is told of what could be signed else. */
export function codeSql(known: KnownReasons, { dialect, param, suspended }: CodeOptions): string {
  const troubled = known.troubled.map(({ ledgerUid, plugin }) => troubledKey(ledgerUid, plugin));
  const within = (texts: readonly string[]) => textList(dialect, param(JSON.stringify(texts)));
  const cases = [
    `action.stage = 'blocked' THEN '${codeOfStage.blocked}'`,
    ...(suspended ? [`action.stage = 'ready' AND ${suspendedSql()} THEN 'suspended'`] : []),
    ...(troubled.length > 0 ? [`${troubledSql} IN ${within(troubled)} THEN 'ledger-unavailable'`] : []),
    'action.waiting_code IS NOT NULL THEN action.waiting_code',
    `action.stage = 'ready' THEN '${codeOfStage.ready}'`,
    ...[...known.unmined].map(([code, ids]) => `action.id IN ${within(ids)} THEN '${code}'`),
  ];
  return `CASE ${cases.map((one) => `WHEN ${one}`).join(' ')} ELSE '${codeOfStage.signed}' END`;
}

const troubledSql = "action.ledger_uid || ':' || COALESCE(action.plugin, '')";

function troubledKey(ledgerUid: string, plugin: string | null): string {
  return `${ledgerUid}:${plugin ?? ''}`;
}

/** Counts what waits unsigned on these shards of a chain, each shard and stage up to a limit, its oldest first. */
export async function readWaiting(
  read: Pick<Queries, 'all' | 'dialect'>,
  chain: string,
  shards: readonly number[],
  { troubled }: Pick<KnownReasons, 'troubled'>,
): Promise<WaitingRow[]> {
  if (shards.length === 0) return [];
  const params: SqlValue[] = [chain];
  const param = (value: SqlValue) => `$${params.push(value)}`;
  const options = { dialect: read.dialect, param, suspended: true };
  return read.all<WaitingRow>(waitingSql(shards, codeSql({ troubled, unmined: new Map() }, options)), params);
}

/** Each part is the beginning of a range of the index `action_lane`. @param code SQL of the reason of an action */
export function waitingSql(shards: readonly number[], code: string): string {
  const parts = shards.flatMap((shard) =>
    ['blocked', 'ready'].map(
      (stage) => `SELECT * FROM (SELECT ledger_id, stage, ${code} AS code, created_at FROM action
        WHERE chain = $1 AND shard = ${shard} AND stage = '${stage}' AND status = 'PENDING'
        ORDER BY created_at, id LIMIT ${waitingLimit}) AS part`,
    ),
  );
  return `SELECT ledger_id, stage, code, COUNT(*) AS count, MIN(created_at) AS oldest
    FROM (${parts.join(' UNION ALL ')}) AS waiting GROUP BY ledger_id, stage, code`;
}

/** Actions whose ends their ledgers took back, at some time, by ledger; of the whole database. */
export async function readRetracted(
  read: Pick<Queries, 'all'>,
): Promise<{ ledger_id: string; count: number }[]> {
  return read.all<{ ledger_id: string; count: number }>(
    'SELECT ledger_id, COUNT(*) AS count FROM action WHERE retracted_at IS NOT NULL GROUP BY ledger_id',
  );
}
