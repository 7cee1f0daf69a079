import type { Queries, SqlValue } from '@ledger-ops/store';
import type { PendingCode } from '../../pending-codes.ts';
import { textList } from '../sql.ts';
import { suspendedSql } from './suspensions.ts';

/** Unsigned actions of a ledger that wait for the same reason, as one row. */
export interface WaitingRow extends Record<string, SqlValue> {
  ledger_id: string;
  stage: string;
  code: string | null;
  count: number;
  /** When the oldest of them was accepted, in milliseconds since the epoch. */
  oldest: number;
}

/** Maximum number of actions read for each shard and stage, oldest first. */
const waitingLimit = 1_000;

/** Actions that cannot proceed, because their ledger cannot be followed or their plugin does not run. */
export interface UnavailableFor {
  readonly ledgerUid: string;
  /** Null means actions for which no plugin is determined yet. */
  readonly plugin: string | null;
  readonly code: PendingCode;
  /** Whether only the unsigned actions are affected, because the signed ones are followed anyway. */
  readonly isUnsignedOnly: boolean;
}

/** Pending reasons that are only in a server's memory, in addition to the stored ones. */
export interface KnownReasons {
  /** Ledgers that cannot be used at present. */
  readonly unavailable: readonly UnavailableFor[];
  /** Ids of signed, unmined actions with a known reason, by the code of the reason. */
  readonly unmined: ReadonlyMap<PendingCode, readonly string[]>;
}

/** The code that is shown in each stage if no other reason is known. */
export const codeOfStage = { blocked: 'dependencies', ready: 'turn', signed: 'confirmation' } as const;

export interface CodeOptions {
  readonly dialect: Queries['dialect'];
  param(value: SqlValue): string;
  /** Whether there are suspensions. If there are neither suspensions nor known reasons, an index covers the query. */
  readonly suspended: boolean;
}

/**
 * SQL expression: the reason code that is shown for a pending action of table `action`. A suspension is shown only for
 * actions that could otherwise be signed.
 */
export function codeSql(known: KnownReasons, { dialect, param, suspended }: CodeOptions): string {
  const within = (texts: readonly string[]) => textList(dialect, param(JSON.stringify(texts)));
  const unavailable = (stage: string, all: readonly UnavailableFor[]) =>
    [...Map.groupBy(all, ({ code }) => code)].map(
      ([code, some]) => `${stage}${keySql} IN ${within(some.map(keyOf))} THEN '${code}'`,
    );
  const cases = [
    `action.stage = 'blocked' THEN '${codeOfStage.blocked}'`,
    ...(suspended ? [`action.stage = 'ready' AND ${suspendedSql()} THEN 'suspended'`] : []),
    ...unavailable(
      '',
      known.unavailable.filter(({ isUnsignedOnly }) => !isUnsignedOnly),
    ),
    ...unavailable(
      "action.stage = 'ready' AND ",
      known.unavailable.filter(({ isUnsignedOnly }) => isUnsignedOnly),
    ),
    'action.waiting_code IS NOT NULL THEN action.waiting_code',
    `action.stage = 'ready' THEN '${codeOfStage.ready}'`,
    ...[...known.unmined].map(([code, ids]) => `action.id IN ${within(ids)} THEN '${code}'`),
  ];
  return `CASE ${cases.map((one) => `WHEN ${one}`).join(' ')} ELSE '${codeOfStage.signed}' END`;
}

const keySql = "action.ledger_uid || ':' || COALESCE(action.plugin, '')";

function keyOf({ ledgerUid, plugin }: UnavailableFor): string {
  return `${ledgerUid}:${plugin ?? ''}`;
}

/**
 * Counts the unsigned actions of these shards of a chain by reason. For each shard and stage, counts at most
 * `waitingLimit` actions, oldest first.
 */
export async function readWaiting(
  read: Pick<Queries, 'all' | 'dialect'>,
  chain: string,
  shards: readonly number[],
  { unavailable }: Pick<KnownReasons, 'unavailable'>,
): Promise<WaitingRow[]> {
  if (shards.length === 0) return [];
  const params: SqlValue[] = [chain];
  const param = (value: SqlValue) => `$${params.push(value)}`;
  const options = { dialect: read.dialect, param, suspended: true };
  return read.all<WaitingRow>(
    waitingSql(shards, codeSql({ unavailable, unmined: new Map() }, options)),
    params,
  );
}

/**
 * Builds the statement of `readWaiting`. Each part of the UNION reads the start of a range of the index `action_lane`.
 * @param code SQL expression of an action's reason
 */
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

/** Returns the number of actions in the whole database that were ever retracted, by ledger. */
export async function readRetracted(
  read: Pick<Queries, 'all'>,
): Promise<{ ledger_id: string; count: number }[]> {
  return read.all<{ ledger_id: string; count: number }>(
    'SELECT ledger_id, COUNT(*) AS count FROM action WHERE retracted_at IS NOT NULL GROUP BY ledger_id',
  );
}
