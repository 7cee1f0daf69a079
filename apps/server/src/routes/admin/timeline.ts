import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import { type NamedRecord, type Timeline, timelineOrders } from '@ledger-ops/registry';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { answered } from './answers.ts';
import { pageOfSchema, pageQuery } from './cursor.ts';
import { fields } from './fields.ts';

const time = z.string().openapi({ format: 'date-time' });
const changeSchema = z
  .object({
    name: z.string().openapi({ description: 'Name of the member or property.' }),
    from: z.string().nullable().optional().openapi({
      description:
        'The former value; null if there was none. If the value may be secret, `from` and `to` are absent.',
    }),
    to: z.string().nullable().optional(),
  })
  .openapi('ValueChange');
const activitySchema = z
  .object({
    activityId: z.string(),
    service: z.string(),
    action: z.string(),
    resourceType: z.string(),
    resourceId: z.string(),
    projectId: z.string(),
    resourceName: z.string().openapi({ description: 'Name of the resource at that time, otherwise its id.' }),
    target: z.string().openapi({ description: 'Further affected resources; may be empty.' }),
    targetType: z.string().nullable().openapi({ description: 'For example `webhook`.' }),
    targetName: z.string().nullable(),
    changes: z.array(changeSchema).openapi({ description: 'Values that an update changed.' }),
    serviceId: z.string().openapi({ description: 'Who made the change; empty if the service made it.' }),
    appId: z.string(),
    performedAt: time,
    recordedAt: time,
  })
  .openapi('AdminActivity');
function activityBody({ record, details }: NamedRecord) {
  const { pubsubMessageID, service, action, resourceType, resourceID, projectID, appID } = record;
  return {
    activityId: pubsubMessageID,
    service,
    action,
    resourceType,
    resourceId: resourceID,
    projectId: projectID,
    resourceName: details.resourceName ?? resourceID,
    target: record.targetObject,
    targetType: details.targetType ?? null,
    targetName: details.targetName ?? null,
    changes: (details.changes ?? []).map((change) => ({ ...change })),
    serviceId: record.identity,
    appId: appID,
    performedAt: record.datePerformed,
    recordedAt: record.dateRegistered,
  };
}

/** Lists the timeline in pages. */
export function timelineRoutes(timeline: Timeline): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/admin/timeline',
      operationId: 'adminListActivities',
      summary: 'List changes',
      description:
        'Changes of resources that the caller may read, by time. At least one filter is required. One request reads a limited number of changes, so even a short or empty page may have a `next` page.',
      service: 'administration',
      permission: { needs: '<type>:read', on: 'record' },
      query: z.strictObject({
        ...pageQuery,
        cursor: text(256).optional().openapi({ description: 'The value of `next` in the previous page.' }),
        order: z.enum(timelineOrders).default('oldest').openapi({ description: 'The sort order.' }),
        resourceId: fields.id.optional().describe('resourceId or resourceUid.'),
        resourceType: text(64).optional().openapi({ description: 'Resource type, or `identity`.' }),
        service: text(64).optional().openapi({ description: 'For example `ledger-nodes`.' }),
        action: text(64).optional().openapi({ description: 'For example `create`; requires `service`.' }),
        from: text(64)
          .optional()
          .openapi({ format: 'date-time', description: 'Only at or after this time.' }),
      }),
      answers: answered(pageOfSchema('AdminActivityPage', activitySchema)),
      async handle({ principal, query: { cursor, order, size, ...filter } }) {
        if (Object.values(filter).every((value) => value === undefined)) {
          const detail = 'is required, unless resourceType, service or from is given';
          throw invalidRequest([{ pointer: 'resourceId', detail }]);
        }
        if (filter.action !== undefined && filter.service === undefined)
          throw invalidRequest([{ pointer: 'service', detail: 'is required together with action' }]);
        const { records, next } = await timeline.page(principal, { ...filter, cursor, order, size });
        return ok({ items: records.map(activityBody), next });
      },
    }),
  ];
}
