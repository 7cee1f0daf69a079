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
    identity: z
      .string()
      .openapi({ description: 'serviceId of the caller; empty if the service made the change.' }),
    appID: z.string(),
    projectID: z.string(),
    pubsubMessageID: z.string(),
    resourceID: z.string(),
    resourceType: z.string(),
    service: z.string(),
    targetObject: z.string().openapi({ description: 'Further affected resources; may be empty.' }),
  })
  .openapi('TimelineRecord');

// Any text, because the timeline validates the format and names the parameter.
const from = text(64).openapi({ format: 'date-time', description: 'Only at or after this time.' });
const query = {
  method: 'get',
  service,
  // Callers see the records of resources that they may read.
  permission: { needs: '<type>:read', on: 'record' },
  deprecated: true,
  answers: {
    200: {
      description: 'Changes, oldest first; at most 10,000 records: continue from the last date.',
      schema: z.array(recordSchema),
    },
  },
} as const;

export function timelineRoutes(deps: TimelineRoutesDeps): Route[] {
  return [...queryRoutes(deps.timeline), followRoute(deps)];
}

function queryRoutes(timeline: Timeline): Route[] {
  return [
    defineRoute({
      ...query,
      path: '/v1/timeline/resources/{resourceId}',
      operationId: 'listActivitiesOfResource',
      summary: 'List changes of a resource',
      params: z.object({ resourceId: pathId('Its resourceID or resourceUUID.') }),
      query: z.object({ from: from.optional() }),
      handle: async ({ principal, params, query }) =>
        ok(await timeline.byResource(principal, params.resourceId, query.from)),
    }),
    defineRoute({
      ...query,
      path: '/v1/timeline/services/{service}/actions/{action}',
      operationId: 'listActivitiesOfAction',
      summary: 'List changes by a service',
      params: z.object({
        service: pathId('Name of the service, such as `ledger-nodes`.'),
        action: pathId('The action, such as `create`.'),
      }),
      query: z.object({ from }),
      handle: async ({ principal, params, query }) =>
        ok(await timeline.byServiceAndAction(principal, params.service, params.action, query.from)),
    }),
    defineRoute({
      ...query,
      path: '/v1/timeline/resource-types/{type}',
      operationId: 'listActivitiesOfType',
      summary: 'List changes of resources of a type',
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
      'Sends new changes of resources that the caller may read at that time. With Last-Event-ID, starts after that event, so a reconnecting client misses no changes.',
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
  throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'is not the id of an event of this stream' }]);
}

const atOnce = 100;

interface Following {
  timeline: Pick<Timeline, 'since'>;
  feed: TimelineFeed;
  principal: Principal;
  /** Position after which the stream starts. */
  start: number;
  /** Rejects a caller that was disabled. The timeline checks only the caller's roles. */
  stillAllowed: () => Promise<void>;
}

/** Sends activities after `start` and then new ones. Each batch checks the permissions again. */
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
