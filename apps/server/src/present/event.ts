import { z } from '@hono/zod-openapi';
import { actionEventTypes, eventTypes, webhookTestType } from '@ledger-ops/runtime';
import { problemSchema } from '../http/problems/problem-schema.ts';

const date = z.string().openapi({ format: 'date-time' });
const id = z
  .string()
  .openapi({ description: 'The same however often the event is told: to leave out doubles.' });

/** Kinds of events, in a filter and in events. */
export const eventTypeSchema = z.enum(eventTypes).openapi('EventType', {
  description:
    'sent: signed after it had to wait, which counts as sent; an action that is signed as it is accepted has none. continued: it needs another transaction. retracted: the ledger does not show its end any more; reinstated: it does again. contract.event: a contract told something to which the project is subscribed.',
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

const contractDataSchema = z
  .object({
    subscriptionId: z.string(),
    projectId: z.string().nullable().openapi({ description: 'Null: the project is deleted.' }),
    contractId: z.string(),
    contractAddress: z.string(),
    ledgerId: z.string(),
    ledgerEventId: z
      .string()
      .openapi({ description: 'Its own on the ledger: the same for each subscription that has it.' }),
    name: z.string().nullable().openapi({ description: "Null: the contract's interface does not have it." }),
    args: z.record(z.string(), z.unknown()).nullable().openapi({ description: 'Decoded, as the name is.' }),
    raw: z.record(z.string(), z.unknown()).openapi({ description: 'As the ledger has it.' }),
    transactionId: z.string(),
    blockHeight: z.number().int(),
    blockHash: z.string(),
    blockTime: date.nullable().openapi({ description: 'Null: the ledger does not say.' }),
  })
  .openapi('ContractEventData');
const actionType = z.enum(actionEventTypes);
const contractType = z.literal('contract.event');
const testType = z.literal(webhookTestType);
const testDataSchema = z.strictObject({});

const testDescription =
  'Asked for by `POST /v1/webhooks/{webhookId}/test`; nothing has happened. No stream has it.';

/** Schemas of `eventBody`, and of a test. */
export const eventSchema = z.union([
  z
    .object({ id, type: actionType, timestamp: date, data: dataSchema })
    .openapi('ActionEvent', { description: 'One change of an action: the payload of Standard Webhooks.' }),
  z
    .object({ id, type: contractType, timestamp: date, data: contractDataSchema })
    .openapi('ContractEvent', { description: 'What a contract told: the payload of Standard Webhooks.' }),
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

/** Schemas of `cloudEventBody`, and of a test. */
export const cloudEventSchema = z.union([
  z
    .object({
      ...cloudEventMembers,
      type: actionType,
      subject: z.string().openapi({ description: 'The action’s id.' }),
      data: dataSchema,
    })
    .openapi('ActionCloudEvent', { description: 'The same as a CloudEvent 1.0, structured, in JSON.' }),
  z
    .object({
      ...cloudEventMembers,
      type: contractType,
      subject: z.string().openapi({ description: 'The contract’s id.' }),
      data: contractDataSchema,
    })
    .openapi('ContractCloudEvent', { description: 'The same as a CloudEvent 1.0, structured, in JSON.' }),
  z
    .object({ ...cloudEventMembers, type: testType, data: testDataSchema })
    .openapi('WebhookTestCloudEvent', { description: testDescription }),
]);
