import { z } from '@hono/zod-openapi';
import { cloudEventSchema, eventSchema } from '../present/event.ts';

const header = (description: string) => z.string().openapi({ description });

/** The request that a receiver of webhooks gets. */
export function describeWebhook() {
  return {
    method: 'post' as const,
    path: 'event',
    operationId: 'receiveEvent',
    summary: 'An event of an action or a contract',
    description:
      'Sent to the URL of each webhook that admits it, signed by Standard Webhooks. Any 2xx takes it; everything else is tried again for three days. Each event comes at least once: leave out what has an id that was seen.',
    tags: ['events'],
    security: [],
    request: {
      headers: z.object({
        'webhook-id': header('The event’s id.'),
        'webhook-timestamp': header('When this request was made, in seconds since the epoch.'),
        'webhook-signature': header(
          '`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined by dots; two of them, with a space between, while two secrets sign.',
        ),
      }),
      body: {
        content: {
          'application/json': { schema: eventSchema },
          'application/cloudevents+json': { schema: cloudEventSchema },
        },
      },
    },
    responses: { 204: { description: 'Taken.' }, 410: { description: 'No more: the webhook is disabled.' } },
  };
}
