import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import type { EventLog } from '../events/types.ts';
import { addDeliveries, formatOf, type WebhookRow } from './rows.ts';
import { deliveryOf } from './send.ts';
import type { WebhookTiming } from './timing.ts';
import type { Webhooks } from './types.ts';

/** Maximum time in milliseconds by which a caller's clock may be ahead of the database's clock. */
const clockSkew = 60_000;

interface ReplayContext {
  store: Store;
  events: EventLog;
  source: string;
  timing: WebhookTiming;
}

/**
 * Delivers one event again, or all events since a given time.
 * @param record writes the activity record in the same transaction
 */
export async function replay(
  { store, events, source, timing }: ReplayContext,
  row: WebhookRow,
  what: Parameters<Webhooks['replay']>[2],
  record: (tx: Tx) => Promise<void>,
): Promise<void> {
  const at = await store.now();
  if ('from' in what) {
    if (what.from > at + clockSkew)
      throw invalidRequest([{ pointer: '/from', detail: 'must not be in the future' }]);
    const place = await events.placeAt(what.from);
    await store.transaction(async (tx) => {
      // The position is only moved backward: an earlier replay may already have moved it further back.
      await tx.run('UPDATE webhook SET place = $2 WHERE uid = $1 AND place > $2', [row.uid, place]);
      await record(tx);
    });
    return;
  }
  const event = await events.byId(row.project_id, what.eventId);
  if (event === undefined) {
    throw new Problem(
      'not-found',
      `This project has no event ${what.eventId}, or the event was already deleted.`,
    );
  }
  const delivery = deliveryOf(event, formatOf(row), source);
  await store.transaction(async (tx) => {
    await addDeliveries(tx, row.uid, [delivery], at, at + timing.giveUp);
    await record(tx);
  });
}
