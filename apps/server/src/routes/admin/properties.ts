import { z } from '@hono/zod-openapi';
import { text } from '../../http/schemas.ts';

const mostProperties = 256;

/** Properties of a record by name. */
export const properties = z.record(z.string(), z.unknown()).openapi({
  description: 'Values by name, of any type; null for a secret, which is never returned.',
});

/** Properties in a request body. */
export const givenProperties = z
  .record(text(64), z.unknown())
  .refine((all) => Object.keys(all).length <= mostProperties, `must have at most ${mostProperties} members`)
  .openapi({ description: 'Values by name. A secret that is sent back as null remains unchanged.' });
