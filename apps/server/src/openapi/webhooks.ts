import { z } from '@hono/zod-openapi';
import { cloudEventSchema, eventSchema } from '../present/event.ts';

const header = (description: string) => z.string().openapi({ description });

/** Returns the request that the service sends to webhook receivers. */
export function describeWebhook() {
  return {
    method: 'post' as const,
    path: 'event',
    operationId: 'receiveEvent',
    summary: 'An event of an action or a contract',
    description:
      'Sent to the URL of each webhook whose filter matches the event, and signed according to Standard Webhooks. A 2xx response accepts the event; any other is retried for three days. An event can arrive more than once: ignore ids that you have already processed.',
    tags: ['events'],
    security: [],
    request: {
      headers: z.object({
        'webhook-id': header('The event’s id.'),
        'webhook-timestamp': header('When this request was created, in seconds since the epoch.'),
        'webhook-signature': header(
          '`v1,` followed by the base64 of HMAC-SHA256 over id, timestamp and body, joined by dots. While two secrets are valid, it contains two signatures, separated by a space.',
        ),
      }),
      body: {
        content: {
          'application/json': { schema: eventSchema },
          'application/cloudevents+json': { schema: cloudEventSchema },
        },
      },
    },
    responses: {
      204: { description: 'Accepted.' },
      410: { description: 'No more events: the webhook is disabled.' },
    },
  };
}
