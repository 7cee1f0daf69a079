import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import { type Timeline, type TimelineRecord, timelineOrders } from '@ledger-ops/registry';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { pageOfSchema, pageQuery } from './cursor.ts';

const time = z.string().openapi({ format: 'date-time' });
const activitySchema = z
  .object({
    activityId: z.string(),
    ...{ service: z.string(), action: z.string() },
    ...{ resourceType: z.string(), resourceId: z.string(), projectId: z.string() },
    target: z.string().openapi({ description: 'More that it was about; may be empty.' }),
    serviceId: z.string().openapi({ description: 'Who did it; empty: the service itself.' }),
    appId: z.string(),
    ...{ performedAt: time, recordedAt: time },
  })
  .openapi('AdminActivity');
function activityBody(record: TimelineRecord) {
  const { pubsubMessageID, service, action, resourceType, resourceID, projectID, appID } = record;
  return {
    ...{ activityId: pubsubMessageID, service, action, resourceType, resourceId: resourceID },
    ...{ projectId: projectID, target: record.targetObject, serviceId: record.identity, appId: appID },
    ...{ performedAt: record.datePerformed, recordedAt: record.dateRegistered },
  };
}

/** The timeline, in pages. */
export function timelineRoutes(timeline: Timeline): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/admin/timeline',
      operationId: 'adminListActivities',
      summary: 'List changes',
      description:
        'Of resources that the caller may read, by the time at which they were made. At least one of the filters is given. One request looks at a bounded number of changes, so that a page may be short, or empty, and yet have a next one.',
      service: 'administration',
      permission: { needs: '<type>:read', on: 'record' },
      query: z.strictObject({
        ...pageQuery,
        cursor: text(256).optional().openapi({ description: 'next of the page before.' }),
        order: z.enum(timelineOrders).default('oldest').openapi({ description: 'Which come first.' }),
        resourceId: fields.id.optional().describe('resourceId or resourceUid.'),
        resourceType: text(64).optional().openapi({ description: 'Resource type, or `identity`.' }),
        service: text(64).optional().openapi({ description: 'Such as `ledger-nodes`.' }),
        action: text(64).optional().openapi({ description: 'Such as `create`; with a `service`.' }),
        from: text(64)
          .optional()
          .openapi({ format: 'date-time', description: 'Only of this time or later.' }),
      }),
      answers: answered(pageOfSchema('AdminActivityPage', activitySchema)),
      async handle({ principal, query: { cursor, order, size, ...filter } }) {
        if (Object.values(filter).every((value) => value === undefined)) {
          const detail = 'or resourceType, service or from is required';
          throw invalidRequest([{ pointer: 'resourceId', detail }]);
        }
        if (filter.action !== undefined && filter.service === undefined)
          throw invalidRequest([{ pointer: 'service', detail: 'is required with an action' }]);
        const { records, next } = await timeline.page(principal, { ...filter, cursor, order, size });
        return ok({ items: records.map(activityBody), next });
      },
    }),
  ];
}
