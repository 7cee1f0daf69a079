import type { ContractEventsRequest, EventPosition } from '@ledger-ops/adapter';
import { isArchived } from '@ledger-ops/auth';
import { type Queries, readJson, type Tx } from '@ledger-ops/store';
import type { Tenant } from '../concurrency/tenant-turns.ts';
import type { OwnedTable } from '../rows/owned.ts';
import type { ContractEventState, ContractSubscriptionView, LateSubscription } from './types.ts';

/** A type alias, because rows need an index signature, which interfaces lack. */
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
    reason: row.reason ?? futureBlockMessage(row),
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

/** Returns the message that is shown while the requested first block does not exist yet; otherwise null. */
function futureBlockMessage({ status, height, behind }: SubscriptionRow): string | null {
  if (status !== 'ACTIVE' || behind === null || behind >= 0) return null;
  return `The subscription starts with block ${height + 1}, but the newest confirmed block is ${height + behind}.`;
}

/** Returns the names of the subscribed events; null if all events are subscribed. */
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

/**
 * Condition for subscriptions that are read. Those of archived projects are not; when the project is restored, they
 * continue where they stopped.
 */
const open = `status = 'ACTIVE' AND NOT ${isArchived('contract_subscription.project_id')}`;

/** Number of blocks by which a subscription is behind the ledger's newest block that has the required depth. */
export type Lag = Pick<SubscriptionRow, 'behind' | 'behind_since'>;

/** Changes a subscription. Returns undefined if it was stopped or deleted. */
export async function updateSubscription(
  tx: Tx,
  uid: string,
  { status, events }: { status?: 'ACTIVE' | 'PAUSED'; events?: string | null },
): Promise<SubscriptionRow | undefined> {
  // Resets the columns about failures and delays, because a paused subscription is neither late nor failing.
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

/** An active subscription with its organization and project. */
export type OpenSubscription = { uid: string } & Tenant;

/** Reads the active subscriptions that no other server leases. */
export async function readOpen(read: Queries, owner: string, now: number): Promise<OpenSubscription[]> {
  return await read.all<OpenSubscription>(
    `SELECT contract_subscription.uid, contract_subscription.project_id AS project,
        COALESCE(project.organization_uid, contract_subscription.project_id) AS organization
      FROM contract_subscription LEFT JOIN project ON project.uid = contract_subscription.project_id
      WHERE contract_subscription.${open} AND (owner = $1 OR owned_until <= $2) ORDER BY contract_subscription.uid`,
    [owner, now],
  );
}

export const subscriptions: OwnedTable = {
  name: 'contract_subscription',
  selected,
  open,
};

/** A contract, and whether its ledger or its project is suspended. */
export type Subject = { address: string; interface: string; suspended: string | null };

/** Reads the contract's current state; undefined if the contract was deleted. */
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

/** Returns the contract's name, or its id if it was deleted. */
export async function readContractName(
  read: Queries,
  { contract_uid, contract_id }: Pick<SubscriptionRow, 'contract_uid' | 'contract_id'>,
): Promise<string> {
  const [row] = await read.all<{ name: string }>('SELECT name FROM contract WHERE uid = $1', [contract_uid]);
  return row?.name ?? contract_id;
}

/** Returns the contract in the form that adapters expect. */
export function contractOf({ address, interface: text }: Subject): ContractEventsRequest['contract'] {
  return { address, ...(text === '' ? {} : { interface: text }) };
}

/** Applies `change`, unless another server owns the subscription or the subscription is not active. */
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
 * Moves the stored position behind the events that were read. Returns false if another server owns or has advanced the
 * subscription, if its events were changed, or if it is not active.
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

/**
 * SQL: the time since which the subscription `one` is late. A subscription is late if it is behind the newest block
 * that has the required depth, if it fails, or if no server reads it. $1 is the current time.
 */
const lateSince =
  'COALESCE(behind_since, failing_since, CASE WHEN owned_until BETWEEN 1 AND $1 THEN owned_until END)';
/** SQL condition: the subscription is not read, because of a suspension or because its project is archived. */
const isHeld = `(EXISTS (SELECT 1 FROM suspension WHERE suspension.subject IN (one.ledger_uid, one.project_id))
  OR ${isArchived('one.project_id')})`;

/** Reads late and stopped subscriptions of all projects. */
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

/**
 * Counts subscriptions by ledger and status, and computes the lag of active subscriptions. Subscriptions that are
 * suspended, or whose project is archived, do not count as late.
 */
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
