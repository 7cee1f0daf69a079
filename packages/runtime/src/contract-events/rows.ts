import type { ContractEvent, ContractEventsRequest, EventPosition } from '@ledger-ops/adapter';
import { bundleActivities, isArchived, serviceItself } from '@ledger-ops/auth';
import { type Queries, readJson, type Tx, uuidv7 } from '@ledger-ops/store';
import { contractEventAction, contractEventService } from '../events/event-log.ts';
import type { ContractEventData } from '../events/types.ts';
import type { OwnedTable } from '../rows/owned.ts';
import { rowset } from '../rows/sql.ts';
import type { ContractEventState, ContractSubscriptionView, LateSubscription } from './types.ts';

/** A type alias, since an interface has no index signature that rows need. */
export type SubscriptionRow = {
  uid: string;
  project_id: string;
  contract_uid: string;
  contract_id: string;
  ledger_uid: string;
  ledger_id: string;
  events: string | null;
  genesis: string;
  height: number;
  hash: string | null;
  event_index: number | null;
  status: string;
  reason: string | null;
  failures: number;
  failing_since: number | null;
  error: string | null;
  behind: number | null;
  behind_since: number | null;
  created_at: number;
};

const columns = [
  'uid',
  'project_id',
  'contract_uid',
  'contract_id',
  'ledger_uid',
  'ledger_id',
  'events',
  'genesis',
  'height',
  'hash',
  'event_index',
  'status',
  'reason',
  'failures',
  'failing_since',
  'error',
  'behind',
  'behind_since',
  'created_at',
] as const;
const selected = columns.join(', ');

export async function insertSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  await tx.insertMany(
    'contract_subscription',
    [...columns, 'owner', 'owned_until'],
    [[...columns.map((name) => row[name]), null, 0]],
  );
}

export async function readSubscriptions(read: Queries, projectUid: string): Promise<SubscriptionRow[]> {
  return await read.all<SubscriptionRow>(
    `SELECT ${selected} FROM contract_subscription WHERE project_id = $1 ORDER BY uid`,
    [projectUid],
  );
}

export async function readSubscription(
  read: Queries,
  projectUid: string,
  uid: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await read.all<SubscriptionRow>(
    `SELECT ${selected} FROM contract_subscription WHERE uid = $1 AND project_id = $2`,
    [uid, projectUid],
  );
  return row;
}

export async function deleteSubscription(tx: Tx, uid: string): Promise<boolean> {
  return (await tx.run('DELETE FROM contract_subscription WHERE uid = $1', [uid])) > 0;
}

export function subscriptionView(row: SubscriptionRow): ContractSubscriptionView {
  return {
    id: row.uid,
    contractId: row.contract_id,
    ledgerId: row.ledger_id,
    events: namesOf(row),
    status: statusOf(row),
    reason: row.reason ?? toCome(row),
    blockHeight: row.height,
    blocksBehind: row.behind === null ? null : Math.max(0, row.behind),
    failingSince: row.failing_since,
    lastError: row.error,
    createdAt: row.created_at,
  };
}

function statusOf({ status }: SubscriptionRow): ContractSubscriptionView['status'] {
  return status === 'ACTIVE' || status === 'PAUSED' ? status : 'STOPPED';
}

/** In words, where the first block that is asked for does not stand on the ledger yet. */
function toCome({ status, height, behind }: SubscriptionRow): string | null {
  if (status !== 'ACTIVE' || behind === null || behind >= 0) return null;
  return `It begins with block ${height + 1}; the newest one that is as deep as the ledger asks is ${height + behind}.`;
}

/** Names that are told; null: all. */
export function namesOf({ events }: SubscriptionRow): string[] | null {
  return readJson<string[]>(events);
}

export function positionOf({ height, hash, event_index }: SubscriptionRow): EventPosition {
  return {
    height,
    ...(hash === null ? {} : { hash }),
    ...(event_index === null ? {} : { index: event_index }),
  };
}

export function positionColumns({ height, hash, index }: EventPosition) {
  return { height, hash: hash ?? null, event_index: index ?? null };
}

/** Nothing is read for an archived project; its subscriptions go on where they were when it is restored. */
const open = `status = 'ACTIVE' AND NOT ${isArchived('contract_subscription.project_id')}`;

/** How far a reading stands behind the ledger's newest block at depth. */
export type Lag = Pick<SubscriptionRow, 'behind' | 'behind_since'>;

/** Changes one that was not stopped; undefined: it was, or is gone. */
export async function updateSubscription(
  tx: Tx,
  uid: string,
  { status, events }: { status?: 'ACTIVE' | 'PAUSED'; events?: string | null },
): Promise<SubscriptionRow | undefined> {
  // It stands still on purpose: nothing is late, and nothing fails.
  const paused = `, owner = NULL, owned_until = 0, failures = 0, failing_since = NULL, error = NULL, behind = NULL,
    behind_since = NULL`;
  const [row] = await tx.all<SubscriptionRow>(
    `UPDATE contract_subscription SET status = COALESCE($2, status), events = CASE WHEN $3 = 1 THEN $4 ELSE events END
        ${status === 'PAUSED' ? paused : ''}
      WHERE uid = $1 AND status <> 'STOPPED' RETURNING ${selected}`,
    [uid, status ?? null, events === undefined ? 0 : 1, events ?? null],
  );
  return row;
}

/** Active subscriptions that no other server reads. */
export async function readOpen(read: Queries, owner: string, now: number): Promise<string[]> {
  const rows = await read.all<{ uid: string }>(
    `SELECT uid FROM contract_subscription WHERE ${open} AND (owner = $1 OR owned_until <= $2) ORDER BY uid`,
    [owner, now],
  );
  return rows.map(({ uid }) => uid);
}

/** Each is one server's at a time. */
export const subscriptions: OwnedTable = {
  name: 'contract_subscription',
  selected,
  open,
};

/** A contract, and which of its ledger and project is suspended. */
export type Subject = { address: string; interface: string; suspended: string | null };

/** As it is now; undefined: it was deleted. */
export async function readSubject(
  read: Queries,
  { contract_uid, project_id }: Pick<SubscriptionRow, 'contract_uid' | 'project_id'>,
): Promise<Subject | undefined> {
  const [row] = await read.all<Subject>(
    `SELECT native_reference AS address, parsed_interface AS interface, (SELECT MIN(kind) FROM suspension
        WHERE suspension.subject IN (contract.ledger_uid, contract.project_id)) AS suspended
      FROM contract WHERE uid = $1 AND project_id = $2`,
    [contract_uid, project_id],
  );
  return row;
}

/** As adapters take it. */
export function contractOf({ address, interface: text }: Subject): ContractEventsRequest['contract'] {
  return { address, ...(text === '' ? {} : { interface: text }) };
}

/** Writes these columns, unless another server has the subscription now, or it was paused. */
export async function updateOwned(
  tx: Tx,
  { uid }: SubscriptionRow,
  owner: string,
  change: Partial<
    Pick<
      SubscriptionRow,
      'status' | 'reason' | 'failures' | 'failing_since' | 'error' | 'behind' | 'behind_since'
    >
  >,
): Promise<void> {
  const names = Object.keys(change);
  const sets = names.map((name, index) => `${name} = $${index + 3}`).join(', ');
  await tx.run(
    `UPDATE contract_subscription SET ${sets} WHERE uid = $1 AND owner = $2 AND status = 'ACTIVE'`,
    [uid, owner, ...Object.values(change)],
  );
}

/**
 * Moves on behind what was read. False: another server has the subscription, or has moved it, or it was paused, or is to tell
 * other events, or is gone.
 */
export async function advance(
  tx: Tx,
  { uid, height, event_index, events }: SubscriptionRow,
  owner: string,
  after: EventPosition,
  lag: Lag,
): Promise<boolean> {
  const next = positionColumns(after);
  const moved = await tx.run(
    `UPDATE contract_subscription SET height = $5, hash = $6, event_index = $7, failures = 0, failing_since = NULL,
        error = NULL, behind = $9, behind_since = $10
      WHERE uid = $1 AND owner = $2 AND height = $3 AND COALESCE(event_index, -1) = $4 AND status = 'ACTIVE'
        AND COALESCE(events, '') = $8`,
    [
      ...[uid, owner, height, event_index ?? -1, next.height, next.hash, next.event_index, events ?? ''],
      ...[lag.behind, lag.behind_since],
    ],
  );
  return moved > 0;
}

const eventColumns = { uid: 'text', event_id: 'text', data: 'text' } as const;

/**
 * Writes events for those who are told them: each as a row, and a record of the timeline that gives it its place among all
 * events. One that was written before is left out.
 */
export async function insertEvents(
  tx: Tx,
  row: SubscriptionRow,
  address: string,
  events: readonly ContractEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const made = events.map((event) => ({
    ...{ uid: uuidv7(), event_id: event.id, data: JSON.stringify(dataOf(row, address, event)) },
  }));
  const stored = await tx.all<{ uid: string }>(
    `INSERT INTO contract_event (uid, subscription_uid, event_id, data, created_at)
      SELECT j.uid, $2, j.event_id, j.data, $3 FROM ${rowset(tx.dialect, '$1', eventColumns)} WHERE true
      ON CONFLICT (subscription_uid, event_id) DO NOTHING RETURNING uid`,
    [JSON.stringify(made), row.uid, now],
  );
  const isNew = new Set(stored.map(({ uid }) => uid));
  await bundleActivities(
    tx,
    made
      .filter(({ uid }) => isNew.has(uid))
      .map(({ uid }) => ({
        actor: serviceItself,
        activity: {
          ...{ action: contractEventAction, service: contractEventService, targetObject: uid },
          ...{ resourceUid: row.contract_uid, resourceId: row.contract_id },
          ...{ resourceType: 'smart-contract-instance', scope: row.project_id },
        },
      })),
    now,
  );
}

function dataOf(
  row: SubscriptionRow,
  address: string,
  event: ContractEvent,
): Omit<ContractEventData, 'projectId'> {
  return {
    subscriptionId: row.uid,
    contractId: row.contract_id,
    contractAddress: address,
    ledgerId: row.ledger_id,
    ledgerEventId: event.id,
    name: event.name ?? null,
    args: event.args ?? null,
    raw: event.raw,
    transactionId: event.txId,
    blockHeight: event.height,
    blockHash: event.blockHash,
    blockTime: event.time ?? null,
  };
}

/** Older ones are told no more. The newest place of the timeline stays, for readers go on behind it. */
export async function pruneEvents(tx: Tx, before: number): Promise<void> {
  if ((await tx.run('DELETE FROM contract_event WHERE created_at < $1', [before])) === 0) return;
  await tx.run(
    `DELETE FROM timeline WHERE service = '${contractEventService}' AND action = '${contractEventAction}' AND performed_at < $1
      AND seq < (SELECT MAX(seq) FROM timeline)`,
    [before],
  );
}

/** Since when a subscription, `one`, has not reached the newest block at depth, or nobody has read it; $1 is now. */
const lateSince =
  'COALESCE(behind_since, failing_since, CASE WHEN owned_until BETWEEN 1 AND $1 THEN owned_until END)';
/** Whether it is not read on purpose. */
const isHeld = `(EXISTS (SELECT 1 FROM suspension WHERE suspension.subject IN (one.ledger_uid, one.project_id))
  OR ${isArchived('one.project_id')})`;

/** Of every project: those that are late, and those that were stopped. */
export async function readLate(read: Queries, now: number, limit: number): Promise<LateSubscription[]> {
  const rows = await read.all<SubscriptionRow & { project_name: string | null; late: number | null }>(
    `SELECT every.*, project.project_id AS project_name
      FROM (SELECT ${selected}, ${lateSince} AS late FROM contract_subscription AS one
        WHERE status = 'STOPPED' OR (status = 'ACTIVE' AND NOT ${isHeld})) AS every
        LEFT JOIN project ON project.uid = every.project_id
      WHERE status = 'STOPPED' OR late IS NOT NULL ORDER BY COALESCE(late, every.created_at), every.uid LIMIT ${limit}`,
    [now],
  );
  return rows.map((row) => ({
    ...{ id: row.uid, projectId: row.project_name, contractId: row.contract_id, ledgerId: row.ledger_id },
    ...{ status: statusOf(row), reason: row.reason, blockHeight: row.height, lastError: row.error },
    lateSince: row.late === null ? null : Number(row.late),
  }));
}

/** Counts subscriptions by ledger and status, and how late the active ones are; what is suspended or archived is not late. */
export async function readSubscriptionState(read: Queries, now: number): Promise<ContractEventState> {
  const rows = await read.all<{
    ledger_id: string;
    status: string;
    n: number;
    behind: number | null;
    since: number | null;
  }>(
    `SELECT ledger_id, status, COUNT(*) AS n, MAX(CASE WHEN suspended = 0 THEN behind END) AS behind,
        MIN(CASE WHEN suspended = 0 THEN late END) AS since
      FROM (SELECT ledger_id, status, behind, ${lateSince} AS late, CASE WHEN ${isHeld} THEN 1 ELSE 0 END AS suspended
        FROM contract_subscription AS one) AS every
      GROUP BY ledger_id, status`,
    [now],
  );
  return rows.map(({ ledger_id: ledgerId, status, n, behind, since }) => ({
    ...{ ledgerId, status: status.toLowerCase(), count: Number(n), behind: Math.max(0, Number(behind ?? 0)) },
    since: since === null || status !== 'ACTIVE' ? null : Number(since),
  }));
}
