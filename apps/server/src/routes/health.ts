import { z } from '@hono/zod-openapi';
import type { Runtime } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { ok } from '../http/answer.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** Longest time that the database may take to say that it is there, in milliseconds. */
const databaseWait = 2_000;

/** Dependencies of readiness. */
export interface HealthDeps {
  readonly runtime: Pick<Runtime, 'health'>;
  readonly store: Pick<Store, 'now'>;
  /** Warnings that hold as long as this server runs. */
  readonly warnings: readonly string[];
  /** True once the server is going down. */
  readonly isClosing: () => boolean;
}

/** Liveness and readiness. */
export function healthRoutes({ runtime, store, warnings: lasting, isClosing }: HealthDeps): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/livez',
      operationId: 'liveness',
      summary: 'Whether the process lives',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'It lives.', schema: z.object({ status: z.literal('ok') }).openapi('Liveness') },
      },
      handle: async () => ok({ status: 'ok' }),
    }),
    defineRoute({
      method: 'get',
      path: '/readyz',
      operationId: 'readiness',
      summary: 'Whether requests should be sent here',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'Ready.', schema: readinessSchema },
        503: { description: 'Not ready, with the reasons.', schema: readinessSchema },
      },
      async handle() {
        const ledgers = runtime.health();
        const told = (of: 'reasons' | 'warnings') =>
          ledgers.flatMap((ledger) => ledger[of].map((text) => `${ledger.ledgerId}: ${text}`));
        const reasons = [
          ...(isClosing() ? ['the server is going down'] : []),
          ...told('reasons'),
          ...((await answersSoon(store)) ? [] : ['the database does not answer']),
        ];
        const said = { reasons, warnings: [...lasting, ...told('warnings')], ledgers };
        return reasons.length === 0
          ? ok({ status: 'ready', ...said })
          : {
              status: 503,
              body: { status: 'not-ready', ...said },
              headers: { 'Retry-After': '5' },
            };
      },
    }),
  ];
}

const readinessSchema = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    reasons: z.array(z.string()),
    warnings: z
      .array(z.string())
      .describe(
        'Single nodes of ledgers that are served all the same, and modules that are not shut off as they could be.',
      ),
    ledgers: z
      .array(
        z.object({
          ...{ uid: z.string(), ledgerId: z.string() },
          ...{ reasons: z.array(z.string()), warnings: z.array(z.string()) },
        }),
      )
      .describe(
        'The same by ledger, of which several may have one id; without those of which there is nothing to say.',
      ),
  })
  .openapi('Readiness');

async function answersSoon(store: Pick<Store, 'now'>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, databaseWait, false);
  });
  const answer = store.now().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
