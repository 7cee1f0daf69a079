import { z } from 'zod';
import { type Failure, failureForms } from '../failure.ts';
import { isLine } from '../log-line.ts';
import { head, jsonObject } from '../schemas.ts';
import { type BrokenReason, brokenReasons, requestsTogether } from './messages.ts';

const id = z.int().min(0);
const { name, code, missing, denied, at } = failureForms;
const failure = z.object({
  name: z.string().regex(name),
  code: z.string().regex(code).optional(),
  missing: z.string().regex(missing).optional(),
  denied: z.string().regex(denied).optional(),
  at: z.string().regex(at).optional(),
}) satisfies z.ZodType<Failure>;

const reason = z.custom<BrokenReason>((key) => typeof key === 'string' && Object.hasOwn(brokenReasons, key));

/** The schema of a child's messages. Callers validate the values and problems in answers. */
export const fromChild = z.discriminatedUnion('t', [
  z.object({ t: z.literal('ready'), definition: z.unknown() }),
  z.object({ t: z.literal('broken'), reason, failure: failure.optional() }),
  z.object({ t: z.literal('answer'), id, value: z.unknown() }),
  z.object({ t: z.literal('refusal'), id, problem: z.unknown() }),
  z.object({ t: z.literal('thrown'), id, failure }),
  z.object({ t: z.literal('head'), session: id, head }),
  z.object({
    t: z.literal('log'),
    session: id,
    level: z.enum(['debug', 'info', 'warn', 'error']),
    // Becomes the event name of a log line.
    event: z
      .string()
      .max(200, { abort: true })
      .overwrite((all) => all.replaceAll(/[^\w.-]+/g, '_')),
    fields: z.unknown().refine(isLine, { abort: true }).pipe(jsonObject),
  }),
  z.object({
    t: z.literal('requests'),
    session: id,
    // Method names become metric labels.
    requests: z
      .array(
        z.tuple([
          z.string().regex(/^[\w.:/-]{1,64}$/),
          z.enum(['ok', 'refused', 'unavailable', 'timeout']),
          z.number().min(0).max(3_600_000),
        ]),
      )
      .max(requestsTogether),
  }),
  z.object({ t: z.literal('pong'), id, rss: z.number() }),
]);

/** A child's message with a valid envelope. */
export type CheckedMessage = z.infer<typeof fromChild>;
