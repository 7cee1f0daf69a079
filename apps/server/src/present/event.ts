import { z } from '@hono/zod-openapi';
import { eventTypes } from '@ledger-ops/runtime';

/** Kinds of events, in a filter and in events. */
export const eventTypeSchema = z.enum(eventTypes).openapi('EventType', {
  description:
    'sent: signed after it had to wait, which counts as sent; an action that is signed as it is accepted has none. continued: it needs another transaction. retracted: the ledger does not show its end any more; reinstated: it does again.',
});
