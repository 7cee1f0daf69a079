import { z } from '@hono/zod-openapi';

/** A native currency: its smallest unit is 10^-decimals of it. */
export const unitSchema = z
  .object({ symbol: z.string(), decimals: z.int() })
  .nullable()
  .openapi('CurrencyUnit', {
    description: 'The native currency; null if the ledger has none, or this server does not know it.',
  });
