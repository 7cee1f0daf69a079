import { z } from '@hono/zod-openapi';
import type { Principal } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import {
  cloudEventBody,
  type EventFilter,
  type EventLog,
  eventBody,
  type ServiceEvent,
} from '@ledger-ops/runtime';
import { collapse } from '../../http/collapse.ts';
import { gatheredLooks } from '../../http/gathered.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import type { EventWriter, Streams } from '../../http/streams.ts';
import type { TimelineFeed } from '../../ports/timeline-feed.ts';
import { eventTypeSchema } from '../../present/event.ts';

export interface EventRoutesDeps {
  readonly events: Pick<EventLog, 'latest' | 'checkPlace' | 'visible'>;
  readonly feed: TimelineFeed;
  readonly streams: Streams;
  /** The `source` of CloudEvents. */
  readonly baseUrl: string;
}

/** Members of an event filter, in queries and webhooks. */
export const eventFilterFields = {
  types: z.array(eventTypeSchema).min(1).max(16),
  ledgers: z.array(text(64)).min(1).max(64).openapi({ description: 'Ids of ledgers.' }),
  wallets: z
    .array(text(64))
    .min(1)
    .max(64)
    .openapi({ description: 'Ids of sending wallets; events of contracts have none.' }),
};

/** Live events of actions and contracts. */
export function eventRoutes({ events, feed, streams, baseUrl }: EventRoutesDeps): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/events',
      operationId: 'followEvents',
      summary: 'Follow the events of all actions and subscribed contracts',
      description:
        'Sends new events of the actions that the caller may see (`GET /v1/ledger-ops/actions`), and of subscribed contracts that the caller may read. With Last-Event-ID, the stream resumes after that event without a gap, even after a restart or on another server. If the event is older than 7 days, the response is 410. Each filter is a list of alternatives. The stream ends when the access token expires: connect again with a new one.',
      service: 'events',
      permission: { needs: 'wallet:read', on: 'record' },
      query: z.strictObject({
        types: eventFilterFields.types.optional(),
        ledgers: eventFilterFields.ledgers.optional(),
        wallets: eventFilterFields.wallets.optional(),
        format: z
          .enum(['standard', 'cloudevents'])
          .default('standard')
          .openapi({ description: '`cloudevents`: CloudEvents 1.0 in JSON.' }),
      }),
      answers: {
        200: {
          description:
            'Server-sent events named `event`; each carries an event as JSON (docs/events.md), or a CloudEvent.',
          contentType: 'text/event-stream',
        },
      },
      problems: ['event-too-old'],
      async handle({ principal, query, header, signal, isHead, reauthenticate }) {
        const { format, ...filter } = query;
        const seen = readPlace(header('last-event-id'));
        if (seen !== undefined) await events.checkPlace(seen);
        if (isHead) return { status: 200, headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } };
        const start = seen ?? (await events.latest());
        const body = (event: ServiceEvent) =>
          format === 'cloudevents' ? cloudEventBody(event, baseUrl) : eventBody(event);
        const follow = followEvents({ events, feed, principal, filter, start, body });
        return streams.open({ holder: principal, signal, stillAllowed: reauthenticate, follow });
      },
    }),
  ];
}

function readPlace(given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined;
  if (/^[0-9]{1,15}$/.test(given)) return Number(given);
  throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'is not the id of an event of this stream' }]);
}

interface Following {
  events: Pick<EventLog, 'visible'>;
  feed: TimelineFeed;
  principal: Principal;
  filter: EventFilter;
  /** Position after which the stream starts. */
  start: number;
  body: (event: ServiceEvent) => object;
}

/** Sends events after `start` and then new ones. Each batch checks the permissions again. */
function followEvents({ events, feed, principal, filter, start, body }: Following) {
  return (writer: EventWriter): (() => void) => {
    let place = start;
    const look = collapse(async () => {
      for (let more = true; more && !writer.signal.aborted; ) {
        const part = await events.visible(principal, filter, place);
        for (const event of part.events) {
          writer.send({ id: String(event.place), event: 'event', data: body(event) });
        }
        ({ next: place, more } = part);
        await writer.drained();
      }
    }, writer.end);
    const looks = gatheredLooks(writer.pace, look);
    const stop = feed.onGrowth(looks.soon);
    looks.soon();
    return () => {
      stop();
      looks.stop();
    };
  };
}
