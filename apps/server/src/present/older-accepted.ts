import { z } from '@hono/zod-openapi';

/** The deprecated response to a request that creates an action (specification, section 2.2). */
export const olderAcceptedSchema = z
  .object({ id: z.string().openapi({ format: 'uuid' }), state: z.literal('PENDING') })
  .openapi('OlderActionCreated');

/** Example for the API reference. */
export const olderAcceptedAnswer = {
  201: {
    description: 'Accepted: the action survives a crash and is executed exactly once.',
    schema: olderAcceptedSchema,
    example: { id: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11', state: 'PENDING' },
  },
};

const acceptedSchema = z.object({ actionId: z.string(), status: z.literal('PENDING') });

/** Creates the response from a newly accepted action, or from the value stored with its Idempotency-Key. */
export function olderAcceptedBody(accepted: unknown): z.output<typeof olderAcceptedSchema> {
  const { actionId, status } = acceptedSchema.parse(accepted);
  return { id: actionId, state: status };
}
