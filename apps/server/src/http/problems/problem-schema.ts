import { z } from '@hono/zod-openapi';

/** Problem details (RFC 9457), the body of every error response. */
export const problemSchema = z
  .looseObject({
    type: z.string().openapi({ example: 'urn:ledger-ops:problem:invalid-request' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .openapi({
        description: 'One item per invalid value: a JSON Pointer into the body, or the parameter’s name.',
      }),
  })
  .openapi('Problem');
