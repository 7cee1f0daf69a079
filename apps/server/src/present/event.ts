import { z } from '@hono/zod-openapi';
import { actionEventTypes, eventTypes, webhookTestType } from '@ledger-ops/runtime';
import { problemSchema } from '../http/problems/problem-schema.ts';

const date = z.string().openapi({ format: 'date-time' });
const id = z
  .string()
  .openapi({ description: 'Id of the event, the same in all deliveries: use it to detect duplicates.' });

/** Types of events, in filters and in events. */
export const eventTypeSchema = z.enum(eventTypes).openapi('EventType', {
  description:
    'sent: the action was signed after waiting (an action that is signed when accepted has no such event). continued: the action needs another transaction. retracted: a reorg removed the action’s final transaction. reinstated: the ledger shows that transaction again. contract.event: a subscribed contract emitted an event.',
});

const dataSchema = z
  .object({
    actionId: z.string(),
    projectId: z
      .string()
      .nullable()
      .openapi({ description: 'Id of the project; null if the project was deleted.' }),
    walletId: z.string().openapi({ description: 'Id of the sending wallet.' }),
    ledgerId: z.string(),
    intent: z.string(),
    tag: z.string().nullable(),
    createdAt: date,
    status: z
      .enum(['PENDING', 'SUCCEEDED', 'FAILED'])
      .openapi({ description: 'The status after this event.' }),
    requestedBy: z
      .object({ serviceId: z.string(), appId: z.string() })
      .nullable()
      .openapi({ description: 'Who requested the change; null if the service made it.' }),
    locator: z
      .string()
      .nullable()
      .openapi({ description: 'The transaction id on the ledger, in events of final states.' }),
    contractAddress: z
      .string()
      .nullable()
      .openapi({ description: 'Address of a deployed contract, in events of final states.' }),
    blockHeight: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'The block of the transaction, in events of final states.' }),
    fee: z.string().nullable().openapi({
      description:
        'The fee paid, in the ledger’s smallest unit, in events of final states; null if the plugin does not report it, or nothing was executed.',
    }),
    // `nullable()` would make the document's schema of every problem nullable.
    problem: z
      .union([problemSchema, z.null()])
      .openapi({ description: 'The reason, in events of failures.' }),
  })
  .openapi('ActionEventData');

const contractDataSchema = z
  .object({
    subscriptionId: z.string(),
    projectId: z
      .string()
      .nullable()
      .openapi({ description: 'Id of the project; null if the project was deleted.' }),
    contractId: z.string(),
    contractAddress: z.string(),
    ledgerId: z.string(),
    ledgerEventId: z
      .string()
      .openapi({ description: 'Id of the event on the ledger, the same for all subscriptions.' }),
    name: z
      .string()
      .nullable()
      .openapi({ description: 'Name of the event; null if the contract’s interface does not contain it.' }),
    args: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: 'Decoded arguments; null if the event’s name is unknown.' }),
    raw: z.record(z.string(), z.unknown()).openapi({ description: 'The event as the ledger returned it.' }),
    contentOmitted: z.literal(true).optional().openapi({
      description:
        '`args` and `raw` exceed 64 KiB and are not stored: read the event from the ledger by its transaction.',
    }),
    transactionId: z.string(),
    blockHeight: z.number().int(),
    blockHash: z.string(),
    blockTime: date.nullable().openapi({ description: 'Null if the ledger does not report it.' }),
  })
  .openapi('ContractEventData');
const actionType = z.enum(actionEventTypes);
const contractType = z.literal('contract.event');
const testType = z.literal(webhookTestType);
const testDataSchema = z.strictObject({});

const testDescription =
  'Sent by `POST /v1/webhooks/{webhookId}/test`; no action or contract caused it. Event streams do not contain it.';

/** Schemas of `eventBody`, and of a test event. */
export const eventSchema = z.union([
  z.object({ id, type: actionType, timestamp: date, data: dataSchema }).openapi('ActionEvent', {
    description: 'One change of an action, as the payload of a webhook delivery (Standard Webhooks).',
  }),
  z.object({ id, type: contractType, timestamp: date, data: contractDataSchema }).openapi('ContractEvent', {
    description: 'An event emitted by a contract, as the payload of a webhook delivery (Standard Webhooks).',
  }),
  z
    .object({ id, type: testType, timestamp: date, data: testDataSchema })
    .openapi('WebhookTestEvent', { description: testDescription }),
]);

const cloudEventMembers = {
  specversion: z.literal('1.0'),
  id,
  source: z.string().openapi({ format: 'uri', description: 'The public address of this service.' }),
  time: date,
  datacontenttype: z.literal('application/json'),
};

/** Schemas of `cloudEventBody`, and of a test event. */
export const cloudEventSchema = z.union([
  z
    .object({
      ...cloudEventMembers,
      type: actionType,
      subject: z.string().openapi({ description: 'The action’s id.' }),
      data: dataSchema,
    })
    .openapi('ActionCloudEvent', { description: 'The event as a structured CloudEvent 1.0, in JSON.' }),
  z
    .object({
      ...cloudEventMembers,
      type: contractType,
      subject: z.string().openapi({ description: 'The contract’s id.' }),
      data: contractDataSchema,
    })
    .openapi('ContractCloudEvent', { description: 'The event as a structured CloudEvent 1.0, in JSON.' }),
  z
    .object({ ...cloudEventMembers, type: testType, data: testDataSchema })
    .openapi('WebhookTestCloudEvent', { description: testDescription }),
]);
