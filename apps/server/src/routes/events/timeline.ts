import { z } from '@hono/zod-openapi';
import type { Principal } from '@ledger-ops/auth';
import { invalidRequest } from '@ledger-ops/base';
import type { Timeline } from '@ledger-ops/registry';
import { ok } from '../../http/answer.ts';
import { collapse } from '../../http/collapse.ts';
import { gatheredLooks } from '../../http/gathered.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import type { EventWriter, Streams } from '../../http/streams.ts';
import type { TimelineFeed } from '../../ports/timeline-feed.ts';

/** Dependencies of the timeline's routes. */
export interface TimelineRoutesDeps {
  readonly timeline: Timeline;
  readonly feed: TimelineFeed;
  readonly streams: Streams;
}

const service = 'timeline';
const date = z.string().openapi({ format: 'date-time' });
const recordSchema = z
  .object({
    action: z.string(),
    datePerformed: date,
    dateRegistered: date,
    identity: z.string().openapi({ description: 'serviceId; empty: the service itself.' }),
    appID: z.string(),
    projectID: z.string(),
    pubsubMessageID: z.string(),
    resourceID: z.string(),
    resourceType: z.string(),
    service: z.string(),
    targetObject: z.string().openapi({ description: 'What else it was about; may be empty.' }),
  })
  .openapi('TimelineRecord');

// Its form is the timeline's matter: it names the parameter.
const from = text(64).openapi({ format: 'date-time', description: 'Only what happened then or later.' });
const query = {
  method: 'get',
  service,
  // Whoever may read a resource sees what happened to it: each record is decided by its own resource.
  permission: { needs: '<type>:read', on: 'record' },
  deprecated: true,
  answers: {
    200: {
      description: 'What happened, oldest first; at most 10,000 records: ask again from the last date.',
      schema: z.array(recordSchema),
    },
  },
} as const;

/** The timeline, of section 4.6. */
export function timelineRoutes(deps: TimelineRoutesDeps): Route[] {
  return [...queryRoutes(deps.timeline), followRoute(deps)];
}

function queryRoutes(timeline: Timeline): Route[] {
  return [
    defineRoute({
      ...query,
      path: '/v1/timeline/resources/{resourceId}',
      operationId: 'listActivitiesOfResource',
      summary: 'List what happened to a resource',
      params: z.object({ resourceId: pathId('Its resourceID or resourceUUID.') }),
      query: z.object({ from: from.optional() }),
      handle: async ({ principal, params, query }) =>
        ok(await timeline.byResource(principal, params.resourceId, query.from)),
    }),
    defineRoute({
      ...query,
      path: '/v1/timeline/services/{service}/actions/{action}',
      operationId: 'listActivitiesOfAction',
      summary: 'List what a service did',
      params: z.object({
        service: pathId('Name of the service, such as `ledger-nodes`.'),
        action: pathId('What was done, such as `create`.'),
      }),
      query: z.object({ from }),
      handle: async ({ principal, params, query }) =>
        ok(await timeline.byServiceAndAction(principal, params.service, params.action, query.from)),
    }),
    defineRoute({
      ...query,
      path: '/v1/timeline/resource-types/{type}',
      operationId: 'listActivitiesOfType',
      summary: 'List what happened to resources of a type',
      params: z.object({ type: pathId('Resource type, or `identity`.') }),
      query: z.object({ from }),
      handle: async ({ principal, params, query }) =>
        ok(await timeline.byResourceType(principal, params.type, query.from)),
    }),
  ];
}

function followRoute({ timeline, feed, streams }: TimelineRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/timeline/events',
    operationId: 'followTimeline',
    summary: 'Follow the timeline',
    description:
      'Sends what happens from now on, or after the event of a Last-Event-ID, to resources that the caller may read then. Nothing is missed between two connections.',
    service,
    permission: query.permission,
    answers: {
      200: {
        description: 'Server-sent events `activity`, each with a TimelineRecord as data.',
        contentType: 'text/event-stream',
        schema: z.string(),
      },
    },
    async handle({ principal, header, signal, isHead, reauthenticate }) {
      const seen = readEventId(header('last-event-id'));
      if (isHead) return { status: 200, headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } };
      const start = seen ?? (await timeline.latest());
      const follow = followTimeline({ timeline, feed, principal, start, stillAllowed: reauthenticate });
      return streams.open({ holder: principal, signal, stillAllowed: reauthenticate, follow });
    },
  });
}

function readEventId(given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined;
  if (/^[0-9]{1,15}$/.test(given)) return Number(given);
  throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'is no id of an event of this stream' }]);
}

const atOnce = 100;

interface Following {
  timeline: Pick<Timeline, 'since'>;
  feed: TimelineFeed;
  principal: Principal;
  /** The place behind which it begins. */
  start: number;
  /** The timeline knows roles, and not whether who holds them is enabled. */
  stillAllowed: () => Promise<void>;
}

/** Sends activities after `start`, and goes on whenever the timeline grows. Who may see what is decided anew each time. */
function followTimeline({
  timeline,
  feed,
  principal,
  start,
  stillAllowed,
}: Following): (writer: EventWriter) => () => void {
  return (writer) => {
    let place = start;
    const look = collapse(async () => {
      for (let more = true; more && !writer.signal.aborted; ) {
        await stillAllowed();
        const part = await timeline.since(principal, place, atOnce);
        for (const { id, record } of part.activities) {
          writer.send({ id: String(id), event: 'activity', data: record });
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
