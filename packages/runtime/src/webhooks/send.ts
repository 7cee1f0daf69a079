import type { MasterKey } from '@ledger-ops/base';
import { cloudEventBody, eventBody } from '../events/event-body.ts';
import type { ServiceEvent } from '../events/types.ts';
import type { Poster } from './post.ts';
import { formatOf, type NewDelivery, type WebhookRow } from './rows.ts';
import { openSecret, signedHeaders } from './secret.ts';
import type { EventFormat, Posted } from './types.ts';

export interface SenderOptions {
  masterKey: MasterKey;
  poster: Pick<Poster, 'post'>;
  /**
   * Returns milliseconds since the epoch. Receivers reject signatures whose time differs too much from that of their
   * own clock.
   */
  now: () => number;
}

/** Returns a function that sends a body to a webhook, signed with the current time. */
export function createSender({ masterKey, poster, now }: SenderOptions) {
  return async (row: WebhookRow, id: string, body: string): Promise<Posted> => {
    const at = now();
    const { earlier_secret: earlier, earlier_until: until } = row;
    const sealed = earlier !== null && until !== null && until > at ? [row.secret, earlier] : [row.secret];
    const secrets = sealed.map((one) => openSecret(masterKey, row.uid, one));
    const type = formatOf(row) === 'cloudevents' ? 'application/cloudevents+json' : 'application/json';
    return await poster.post(
      row.url,
      { 'content-type': type, ...signedHeaders(secrets, id, at, body) },
      body,
    );
  };
}

/** Converts an event to the delivery that is stored until it is sent. */
export function deliveryOf(event: ServiceEvent, format: EventFormat, source: string): NewDelivery {
  const body = format === 'cloudevents' ? cloudEventBody(event, source) : eventBody(event);
  return {
    ...{ event_id: event.id, place: event.place, type: event.type, body: JSON.stringify(body) },
    ordered_by: event.orderedBy,
    action_id: 'actionId' in event.data ? event.data.actionId : null,
  };
}
