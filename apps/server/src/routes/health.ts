import { z } from '@hono/zod-openapi';
import type { Auth } from '@ledger-ops/auth';
import type { Runtime } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { ok } from '../http/answer.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** Longest time that the database may take to say that it is there, in milliseconds. */
const databaseWait = 2_000;

/** Dependencies of readiness. */
export interface HealthDeps {
  readonly auth: Pick<Auth, 'decide'>;
  readonly runtime: Pick<Runtime, 'health'>;
  readonly store: Pick<Store, 'now'>;
  /** Warnings that hold as long as this server runs. */
  readonly warnings: readonly string[];
  /** True once the server is going down. */
  readonly isClosing: () => boolean;
}

/** Liveness, readiness, and the ledgers that need attention. */
export function healthRoutes({ auth, runtime, store, warnings: lasting, isClosing }: HealthDeps): Route[] {
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
      description:
        'Names no ledger, since anybody may ask: `GET /v1/admin/ledger-health` does, to who may read it.',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'Ready.', schema: readinessSchema },
        503: { description: 'Not ready, with the reasons.', schema: readinessSchema },
      },
      async handle() {
        const ledgers = runtime.health();
        const told = (of: 'reasons' | 'warnings', predicate: string) => {
          const count = ledgers.filter((ledger) => ledger[of].length > 0).length;
          return count === 0 ? [] : [`ledgers that ${predicate}: ${count}`];
        };
        const reasons = [
          ...(isClosing() ? ['the server is going down'] : []),
          ...told('reasons', 'cannot be followed'),
          ...((await answersSoon(store)) ? [] : ['the database does not answer']),
        ];
        const warnings = [...lasting, ...told('warnings', 'have faults of single nodes')];
        const said = { reasons, warnings };
        return reasons.length === 0
          ? ok({ status: 'ready', ...said })
          : {
              status: 503,
              body: { status: 'not-ready', ...said },
              headers: { 'Retry-After': '5' },
            };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/admin/ledger-health',
      operationId: 'ledgerHealth',
      summary: 'List the ledgers that need attention',
      description:
        'As the server that answers sees them now: those that it cannot follow, and faults of nodes of others. Of the ledgers that the caller may read.',
      service: 'administration',
      permission: { needs: 'ledger:read', on: 'record' },
      answers: { 200: { description: 'What there is to say.', schema: ledgerHealthSchema } },
      async handle({ principal }) {
        const ledgers = runtime.health();
        const decisions = await Promise.all(
          ledgers.map(({ uid }) => auth.decide(principal, ['ledger:read'], uid)),
        );
        return ok({ ledgers: ledgers.filter((_, index) => decisions[index]?.result === true) });
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
        'How many ledgers have faults of single nodes and are served all the same, and that modules are not shut off as they could be.',
      ),
  })
  .openapi('Readiness');

const ledgerHealthSchema = z
  .object({
    ledgers: z
      .array(
        z.object({
          uid: z.string().openapi({ description: 'Several ledgers may have one id.' }),
          ledgerId: z.string(),
          reasons: z.array(z.string()).openapi({ description: 'Why it cannot be followed.' }),
          warnings: z
            .array(z.string())
            .openapi({ description: 'Faults of single nodes while it is served all the same.' }),
        }),
      )
      .openapi({ description: 'Without those of which there is nothing to say.' }),
  })
  .openapi('LedgerHealth');

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
