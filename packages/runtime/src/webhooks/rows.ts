import { isArchived } from '@ledger-ops/auth';
import { type Queries, readJson, type SqlValue, type Tx } from '@ledger-ops/store';
import type { Tenant } from '../concurrency/tenant-turns.ts';
import type { EventFilter, EventType } from '../events/types.ts';
import type { OwnedTable } from '../rows/owned.ts';
import { rowset } from '../rows/sql.ts';
import type {
  DeliveriesQuery,
  DeliveryView,
  EventFormat,
  GivenFilter,
  LateWebhook,
  WebhookState,
  WebhookView,
} from './types.ts';

/** A type alias, because rows need an index signature, which interfaces lack. */
export type WebhookRow = {
  uid: string;
  project_id: string;
  url: string;
  description: string | null;
  types: string | null;
  ledgers: string | null;
  wallets: string | null;
  format: string;
  status: string;
  reason: string | null;
  secret: Uint8Array;
  earlier_secret: Uint8Array | null;
  earlier_until: number | null;
  place: number;
  failing_since: number | null;
  created_at: number;
  updated_at: number;
};

const columns = [
  'uid',
  'project_id',
  'url',
  'description',
  'types',
  'ledgers',
  'wallets',
  'format',
  'status',
  'reason',
  'secret',
  'earlier_secret',
  'earlier_until',
  'place',
  'failing_since',
  'created_at',
  'updated_at',
] as const;
const selected = columns.join(', ');

export async function insertWebhook(tx: Tx, row: WebhookRow): Promise<void> {
  await tx.insertMany(
    'webhook',
    [...columns, 'owner', 'owned_until'],
    [[...columns.map((name) => row[name] ?? null), null, 0]],
  );
}

export async function readWebhooks(read: Queries, projectUid: string): Promise<WebhookRow[]> {
  return await read.all<WebhookRow>(`SELECT ${selected} FROM webhook WHERE project_id = $1 ORDER BY uid`, [
    projectUid,
  ]);
}

export async function readWebhook(
  read: Queries,
  projectUid: string,
  uid: string,
): Promise<WebhookRow | undefined> {
  const [row] = await read.all<WebhookRow>(
    `SELECT ${selected} FROM webhook WHERE uid = $1 AND project_id = $2`,
    [uid, projectUid],
  );
  return row;
}

/** Applies `change`. Returns false if the webhook was deleted. */
export async function updateWebhook(
  tx: Tx,
  uid: string,
  change: Partial<Omit<WebhookRow, 'uid' | 'project_id'>>,
): Promise<boolean> {
  const given: Partial<WebhookRow> = change;
  const names = columns.filter((name) => given[name] !== undefined);
  const values = names.map((name) => given[name] ?? null);
  const sets = names.map((name, index) => `${name} = $${index + 2}`).join(', ');
  return (await tx.run(`UPDATE webhook SET ${sets} WHERE uid = $1`, [uid, ...values])) > 0;
}

export async function deleteWebhook(tx: Tx, uid: string): Promise<boolean> {
  await tx.run('DELETE FROM webhook_delivery WHERE webhook_uid = $1', [uid]);
  return (await tx.run('DELETE FROM webhook WHERE uid = $1', [uid])) > 0;
}

/** Returns the columns for the members that a filter contains. */
export function filterColumns({ types, ledgers, wallets }: GivenFilter) {
  const list = (values: readonly string[] | null) => (values === null ? null : JSON.stringify(values));
  return {
    ...(types === undefined ? {} : { types: list(types) }),
    ...(ledgers === undefined ? {} : { ledgers: list(ledgers) }),
    ...(wallets === undefined ? {} : { wallets: list(wallets) }),
  };
}

export function filterOf({ types, ledgers, wallets }: WebhookRow): EventFilter {
  return {
    types: readJson<EventType[]>(types) ?? undefined,
    ledgers: readJson<string[]>(ledgers) ?? undefined,
    wallets: readJson<string[]>(wallets) ?? undefined,
  };
}

export function formatOf({ format }: WebhookRow): EventFormat {
  return format === 'cloudevents' ? 'cloudevents' : 'standard';
}

/** @param now milliseconds since the epoch */
export function webhookView(row: WebhookRow, now: number): WebhookView {
  const { earlier_until: until } = row;
  return {
    id: row.uid,
    url: row.url,
    description: row.description,
    filter: filterOf(row),
    format: formatOf(row),
    status: row.status === 'ENABLED' ? 'ENABLED' : 'DISABLED',
    reason: row.reason,
    failingSince: row.failing_since,
    earlierSecretUntil: until !== null && until > now ? until : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function anyEnabled(read: Queries): Promise<boolean> {
  return (await read.all(`SELECT uid FROM webhook WHERE status = 'ENABLED' LIMIT 1`)).length > 0;
}

/**
 * Condition for webhooks to which events are sent. Those of archived projects are not; when the project is restored,
 * they continue where they stopped.
 */
const open = `status = 'ENABLED' AND NOT ${isArchived('webhook.project_id')}`;

/** An enabled webhook with its organization and project. */
export type OpenWebhook = { uid: string } & Tenant;

/** Reads the enabled webhooks that have work to do and that no other server leases. */
export async function readOpen(
  read: Queries,
  owner: string,
  now: number,
  latest: number,
): Promise<OpenWebhook[]> {
  return await read.all<OpenWebhook>(
    `SELECT webhook.uid, webhook.project_id AS project,
        COALESCE(project.organization_uid, webhook.project_id) AS organization
      FROM webhook LEFT JOIN project ON project.uid = webhook.project_id
      WHERE webhook.${open} AND (owner = $1 OR owned_until <= $2) AND (place < $3 OR EXISTS (
        SELECT 1 FROM webhook_delivery AS due
          WHERE due.webhook_uid = webhook.uid AND due.status = 'PENDING' AND due.due_at <= $2))`,
    [owner, now, latest],
  );
}

export const webhooks: OwnedTable = { name: 'webhook', selected, open };

/**
 * Advances a webhook's position in the stream of events. Returns false if another server leases the webhook, or if a
 * replay moved the position back.
 */
export async function advance(
  tx: Tx,
  { uid, place }: WebhookRow,
  owner: string,
  next: number,
): Promise<boolean> {
  const moved = await tx.run('UPDATE webhook SET place = $4 WHERE uid = $1 AND owner = $2 AND place = $3', [
    uid,
    owner,
    place,
    next,
  ]);
  return moved > 0;
}

export interface NewDelivery {
  event_id: string;
  place: number;
  ordered_by: string;
  action_id: string | null;
  type: string;
  body: string;
}

const deliveryColumns = {
  event_id: 'text',
  place: 'bigint',
  ordered_by: 'text',
  action_id: 'text',
  type: 'text',
  body: 'text',
} as const;

/** Queues events for delivery, including events that were already delivered. */
export async function addDeliveries(
  tx: Tx,
  webhookUid: string,
  deliveries: readonly NewDelivery[],
  now: number,
  expiresAt: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.run(
    `INSERT INTO webhook_delivery (webhook_uid, event_id, place, ordered_by, action_id, type, body, status, attempts,
        due_at, expires_at, created_at)
      SELECT $2, j.event_id, j.place, j.ordered_by, j.action_id, j.type, j.body, 'PENDING', 0, $3, $4, $3
      FROM ${rowset(tx.dialect, '$1', deliveryColumns)} WHERE true
      ON CONFLICT (webhook_uid, event_id) DO UPDATE SET status = 'PENDING', attempts = 0, body = excluded.body,
        due_at = excluded.due_at, expires_at = excluded.expires_at, created_at = excluded.created_at`,
    [JSON.stringify(deliveries), webhookUid, now, expiresAt],
  );
}

/** Number of pending deliveries that are always allowed, whatever their size is. */
const fewPending = 100;

/** Whether a webhook has reached its limit of pending deliveries, or of bytes in their bodies. */
export async function isFull(
  read: Queries,
  webhookUid: string,
  most: { deliveries: number; bytes: number },
): Promise<boolean> {
  const pending = `FROM webhook_delivery WHERE webhook_uid = $1 AND status = 'PENDING'`;
  const [row] = await read.all<{ n: number }>(`SELECT COUNT(*) AS n ${pending}`, [webhookUid]);
  const count = Number(row?.n ?? 0);
  if (count < fewPending || count >= most.deliveries) return count >= most.deliveries;
  const [sum] = await read.all<{ bytes: number }>(
    `SELECT COALESCE(SUM(OCTET_LENGTH(body)), 0) AS bytes ${pending}`,
    [webhookUid],
  );
  return Number(sum?.bytes ?? 0) >= most.bytes;
}

export async function hasPending(read: Queries, webhookUid: string): Promise<boolean> {
  const pending = `SELECT event_id FROM webhook_delivery WHERE webhook_uid = $1 AND status = 'PENDING' LIMIT 1`;
  return (await read.all(pending, [webhookUid])).length > 0;
}

export interface DueDelivery extends Record<string, SqlValue> {
  event_id: string;
  body: string;
  attempts: number;
  expires_at: number;
}

/**
 * Reads due deliveries. Of each action or subscription, only the first pending delivery can be due, because the others
 * wait for it.
 */
export async function readDue(
  read: Queries,
  webhookUid: string,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  return await read.all<DueDelivery>(
    `SELECT event_id, body, attempts, expires_at FROM webhook_delivery AS due
      WHERE due.webhook_uid = $1 AND due.status = 'PENDING' AND due.due_at <= $2 AND NOT EXISTS (
        SELECT 1 FROM webhook_delivery AS earlier WHERE earlier.webhook_uid = $1 AND earlier.status = 'PENDING'
          AND earlier.ordered_by = due.ordered_by AND earlier.place < due.place)
      ORDER BY due.due_at, due.place LIMIT ${limit}`,
    [webhookUid, now],
  );
}

export interface TriedDelivery {
  event_id: string;
  status: 'PENDING' | 'DELIVERED' | 'DEAD';
  due_at: number;
  last_status: number | null;
  last_error: string | null;
}

const triedColumns = {
  event_id: 'text',
  status: 'text',
  due_at: 'bigint',
  last_status: 'bigint',
  last_error: 'text',
} as const;

/** Records attempts of deliveries. Erases the body of a delivered or given-up event. A replay stores it again. */
export async function recordAttempts(
  tx: Tx,
  webhookUid: string,
  tried: readonly TriedDelivery[],
  now: number,
): Promise<void> {
  await tx.run(
    `UPDATE webhook_delivery SET status = j.status, due_at = j.due_at, last_status = j.last_status,
        last_error = j.last_error, last_at = $3, body = CASE WHEN j.status = 'PENDING' THEN body ELSE '' END, attempts = webhook_delivery.attempts + 1
      FROM ${rowset(tx.dialect, '$1', triedColumns)}
      WHERE webhook_delivery.webhook_uid = $2 AND webhook_delivery.event_id = j.event_id`,
    [JSON.stringify(tried), webhookUid, now],
  );
}

/** Gives up the pending deliveries of a webhook. */
export async function giveUpPending(tx: Tx, webhookUid: string): Promise<void> {
  await tx.run(
    `UPDATE webhook_delivery SET status = 'DEAD', body = '' WHERE webhook_uid = $1 AND status = 'PENDING'`,
    [webhookUid],
  );
}

/** Removes final deliveries that were created before the given time. */
export async function pruneDeliveries(tx: Tx, before: number): Promise<void> {
  await tx.run(`DELETE FROM webhook_delivery WHERE created_at < $1 AND status <> 'PENDING'`, [before]);
}

/** Maximum number of deliveries that are removed in one transaction. */
const prunedAtOnce = 1_000;

/**
 * Of each final status, keeps the newest `most` deliveries of a webhook, and removes up to `prunedAtOnce` of the
 * others. Returns whether there may be more.
 */
export async function pruneListed(tx: Tx, webhookUid: string, most: number): Promise<boolean> {
  let hasMore = false;
  for (const status of ['DELIVERED', 'DEAD']) {
    const own = `FROM webhook_delivery WHERE webhook_uid = $1 AND status = '${status}'`;
    const removed = await tx.run(
      `DELETE FROM webhook_delivery WHERE webhook_uid = $1 AND event_id IN (
        SELECT event_id ${own} AND place < (SELECT place ${own} ORDER BY place DESC LIMIT 1 OFFSET ${most - 1})
          ORDER BY place LIMIT ${prunedAtOnce})`,
      [webhookUid],
    );
    hasMore ||= removed === prunedAtOnce;
  }
  return hasMore;
}

interface DeliveryRow extends Record<string, SqlValue> {
  event_id: string;
  place: number;
  type: string;
  action_id: string | null;
  status: string;
  attempts: number;
  due_at: number;
  last_at: number | null;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
}

export async function readDeliveries(
  read: Queries,
  webhookUid: string,
  { status, before, size }: DeliveriesQuery,
): Promise<{ items: DeliveryView[]; next: number | null }> {
  const statuses = status === undefined ? (['PENDING', 'DELIVERED', 'DEAD'] as const) : [status];
  // Each part reads one range of the index, for one status. A combined query would have to sort all deliveries.
  const parts = statuses.map(
    (
      one,
    ) => `SELECT * FROM (SELECT event_id, place, type, action_id, status, attempts, due_at, last_at, last_status, last_error,
        created_at FROM webhook_delivery WHERE webhook_uid = $1 AND status = '${one}' AND place < $2
        ORDER BY place DESC LIMIT ${size}) AS part`,
  );
  const rows = await read.all<DeliveryRow>(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) AS deliveries ORDER BY place DESC LIMIT ${size}`,
    [webhookUid, before ?? Number.MAX_SAFE_INTEGER],
  );
  return { items: rows.map(deliveryView), next: rows.length < size ? null : (rows.at(-1)?.place ?? null) };
}

function deliveryView(row: DeliveryRow): DeliveryView {
  const status = row.status === 'PENDING' || row.status === 'DELIVERED' ? row.status : 'DEAD';
  return {
    eventId: row.event_id,
    type: row.type,
    actionId: row.action_id,
    status,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAt: status === 'PENDING' ? row.due_at : null,
    lastAt: row.last_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

interface LateRow extends Record<string, SqlValue> {
  uid: string;
  project_name: string | null;
  url: string;
  status: string;
  reason: string | null;
  failing_since: number | null;
  pending: number;
  oldest: number | null;
  last_error: string | null;
}

/**
 * Reads the webhooks of all projects that are failing, that were disabled because of failures, or whose deliveries are
 * being retried.
 */
export async function readLate(read: Queries, limit: number): Promise<LateWebhook[]> {
  const rows = await read.all<LateRow>(
    `SELECT webhook.uid, project.project_id AS project_name, url, status, reason, failing_since,
        COALESCE(pending, 0) AS pending, oldest,
        (SELECT last_error FROM webhook_delivery AS last WHERE last.webhook_uid = webhook.uid
          AND last.status IN ('PENDING', 'DEAD') AND last.last_at IS NOT NULL ORDER BY last.last_at DESC LIMIT 1) AS last_error
      FROM webhook LEFT JOIN project ON project.uid = webhook.project_id
        LEFT JOIN (SELECT webhook_uid, COUNT(*) AS pending, MIN(created_at) AS oldest, MAX(attempts) AS attempts
          FROM webhook_delivery WHERE status = 'PENDING' GROUP BY webhook_uid) AS waiting ON webhook_uid = webhook.uid
      WHERE (status = 'DISABLED' AND reason IS NOT NULL)
        OR (${open} AND (failing_since IS NOT NULL OR attempts > 0))
      ORDER BY COALESCE(oldest, failing_since, updated_at), webhook.uid LIMIT ${limit}`,
  );
  return rows.map((row) => ({
    ...{ id: row.uid, projectId: row.project_name, host: new URL(row.url).host, reason: row.reason },
    ...{ status: row.status === 'ENABLED' ? 'ENABLED' : 'DISABLED', failingSince: row.failing_since },
    ...{ pending: Number(row.pending), lastError: row.last_error },
    oldestPendingAt: row.oldest === null ? null : Number(row.oldest),
  }));
}

export async function readState(read: Queries): Promise<WebhookState> {
  const [waiting] = await read.all<{ n: number; oldest: number | null }>(
    `SELECT COUNT(*) AS n, MIN(created_at) AS oldest FROM webhook_delivery WHERE status = 'PENDING'`,
  );
  const [webhooks] = await read.all<{ n: number }>(
    `SELECT COUNT(*) AS n FROM webhook WHERE status = 'DISABLED' AND reason IS NOT NULL`,
  );
  return {
    pending: Number(waiting?.n ?? 0),
    oldest: waiting?.oldest == null ? null : Number(waiting.oldest),
    disabled: Number(webhooks?.n ?? 0),
  };
}
