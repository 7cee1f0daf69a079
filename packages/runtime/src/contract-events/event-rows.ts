import { type ContractEvent, withoutLongContent } from '@ledger-ops/adapter';
import { bundleActivities, serviceItself } from '@ledger-ops/auth';
import { type Tx, uuidv7 } from '@ledger-ops/store';
import { blockTimeOf } from '../block-time.ts';
import { contractEventAction, contractEventService } from '../events/event-records.ts';
import type { ContractEventData } from '../events/types.ts';
import { rowset } from '../rows/sql.ts';
import { addEventBytes, removeEventBytes } from './event-bytes.ts';
import { bytesOfRows, storedBytes } from './event-size.ts';
import type { SubscriptionRow } from './rows.ts';

const eventColumns = { uid: 'text', event_id: 'text', data: 'text' } as const;

/** The stored form of an event. */
export interface StoredEvent {
  eventId: string;
  /** The event as JSON. */
  data: string;
}

/**
 * Converts events to their stored form. Each has at most `mostEventCharacters` characters, unless its ids are very
 * long.
 */
export function storedEvents(
  row: SubscriptionRow,
  address: string,
  events: readonly ContractEvent[],
): StoredEvent[] {
  return events.map((event) => ({ eventId: event.id, data: JSON.stringify(dataOf(row, address, event)) }));
}

/**
 * Stores events and counts their bytes. Each event gets a timeline record, which determines its position in
 * the event stream. Skips events that are already stored.
 *
 * @throws Problem `storage-limit`
 */
export async function insertEvents(
  tx: Tx,
  row: SubscriptionRow,
  events: readonly StoredEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const made = events.map(({ eventId, data }) => ({ uid: uuidv7(), event_id: eventId, data }));
  const stored = await tx.all<{ uid: string }>(
    `INSERT INTO contract_event (uid, subscription_uid, project_uid, event_id, data, created_at)
      SELECT j.uid, $2, $4, j.event_id, j.data, $3 FROM ${rowset(tx.dialect, '$1', eventColumns)} WHERE true
      ON CONFLICT (subscription_uid, event_id) DO NOTHING RETURNING uid`,
    [JSON.stringify(made), row.uid, now, row.project_id],
  );
  const isNew = new Set(stored.map(({ uid }) => uid));
  const added = made.filter(({ uid }) => isNew.has(uid));
  await addEventBytes(tx, row.uid, row.project_id, storedBytes(added));
  await bundleActivities(
    tx,
    added.map(({ uid }) => ({
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
  const { args = null, raw, contentOmitted } = withoutLongContent(event);
  return {
    subscriptionId: row.uid,
    contractId: row.contract_id,
    contractAddress: address,
    ledgerId: row.ledger_id,
    ledgerEventId: event.id,
    name: event.name ?? null,
    ...{ args, raw, ...(contentOmitted && { contentOmitted }) },
    transactionId: event.txId,
    blockHeight: event.height,
    blockHash: event.blockHash,
    blockTime: blockTimeOf(event.time),
  };
}

/** Maximum number of events that are removed in one transaction. */
const prunedAtOnce = 1_000;

/**
 * Removes up to `prunedAtOnce` expired events and returns whether there may be more. Keeps the timeline record with the
 * newest position, because readers of the stream continue after it.
 */
export async function pruneEvents(tx: Tx, before: number): Promise<boolean> {
  const removed = await tx.all<{ uid: string; subscription: string; project: string | null; bytes: number }>(
    `DELETE FROM contract_event WHERE uid IN
        (SELECT uid FROM contract_event WHERE created_at < $1 ORDER BY created_at LIMIT ${prunedAtOnce})
      RETURNING uid, subscription_uid AS subscription, project_uid AS project, OCTET_LENGTH(data) + ${bytesOfRows} AS bytes`,
    [before],
  );
  if (removed.length === 0) return false;
  await removeEventBytes(tx, removed);
  await tx.run(
    `DELETE FROM timeline WHERE service = '${contractEventService}' AND action = '${contractEventAction}' AND performed_at < $1
      AND seq < (SELECT MAX(seq) FROM timeline)`,
    [before],
  );
  return removed.length === prunedAtOnce;
}
