import { z } from 'zod';
import { head, jsonObject } from './schemas.ts';

const id = z.int().min(0);

/** What a child may say; values and problems of answers are checked by whoever asked. */
export const fromChild = z.discriminatedUnion('t', [
  z.object({ t: z.literal('ready'), definition: z.unknown() }),
  z.object({ t: z.literal('broken'), detail: z.string() }),
  z.object({ t: z.literal('answer'), id, value: z.unknown() }),
  z.object({ t: z.literal('refusal'), id, problem: z.unknown() }),
  z.object({ t: z.literal('thrown'), id, name: z.string(), message: z.string() }),
  z.object({ t: z.literal('head'), session: id, head }),
  z.object({
    t: z.literal('log'),
    session: id,
    level: z.enum(['debug', 'info', 'warn', 'error']),
    event: z.string().max(200),
    fields: jsonObject,
  }),
  z.object({ t: z.literal('pong'), id, rss: z.number() }),
]);

/** A message of a child whose envelope was checked. */
export type CheckedMessage = z.infer<typeof fromChild>;
