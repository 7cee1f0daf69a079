import { z } from '@hono/zod-openapi';
import { eventTypes } from '@ledger-ops/runtime';
import { problemSchema } from '../http/problems/problem-schema.ts';

const date = z.string().openapi({ format: 'date-time' });
const id = z
  .string()
  .openapi({ description: 'The same however often the event is told: to leave out doubles.' });

/** Kinds of events, in a filter and in events. */
export const eventTypeSchema = z.enum(eventTypes).openapi('EventType', {
  description:
    'sent: signed after it had to wait, which counts as sent; an action that is signed as it is accepted has none. continued: it needs another transaction. retracted: the ledger does not show its end any more; reinstated: it does again.',
});

const dataSchema = z
  .object({
    actionId: z.string(),
    projectId: z.string().nullable().openapi({ description: 'Null: the project is deleted.' }),
    walletId: z.string().openapi({ description: 'Sender wallet.' }),
    ledgerId: z.string(),
    intent: z.string(),
    tag: z.string().nullable(),
    createdAt: date,
    status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']).openapi({ description: 'By this event.' }),
    requestedBy: z
      .object({ serviceId: z.string(), appId: z.string() })
      .nullable()
      .openapi({ description: 'Who asked for it; null: the service itself.' }),
    locator: z.string().nullable().openapi({ description: 'Of ends: the transaction id on the ledger.' }),
    contractAddress: z
      .string()
      .nullable()
      .openapi({ description: 'Of ends: address of a deployed contract.' }),
    blockHeight: z.number().int().nullable().openapi({ description: 'Of ends.' }),
    fee: z
      .string()
      .nullable()
      .openapi({ description: "Of ends: what was paid, in the ledger's smallest unit." }),
    // Not `nullable()`, which would make the document's schema of every problem so.
    problem: z.union([problemSchema, z.null()]).openapi({ description: 'Of failures: why.' }),
  })
  .openapi('ActionEventData');

/** Schema of `eventBody`. */
export const eventSchema = z
  .object({ id, type: eventTypeSchema, timestamp: date, data: dataSchema })
  .openapi('ActionEvent', { description: 'One change of an action: the payload of Standard Webhooks.' });

/** Schema of `cloudEventBody`. */
export const cloudEventSchema = z
  .object({
    specversion: z.literal('1.0'),
    id,
    source: z.string().openapi({ format: 'uri', description: 'The public address of this service.' }),
    type: eventTypeSchema,
    subject: z.string().openapi({ description: 'The action’s id.' }),
    time: date,
    datacontenttype: z.literal('application/json'),
    data: dataSchema,
  })
  .openapi('ActionCloudEvent', { description: 'The same as a CloudEvent 1.0, structured, in JSON.' });
