import { z } from '@hono/zod-openapi';
import type { Auth } from '@ledger-ops/auth';
import type { FollowedLedger, LedgerHealth, Runtime, SuspensionView } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { ok } from '../http/answer.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { rfc3339 } from '../present/dates.ts';
import type { WriteHealth } from '../write-health.ts';

/** How long readiness waits for the database, in milliseconds. */
const databaseWaitMs = 2_000;
/** Maximum number of followed ledgers in one response. */
const mostFollowed = 200;

const shuttingDown = 'the server is shutting down';
const readOnlyReason =
  'the database was copied, moved, or restored to an earlier state: the service is read-only until its deployer runs ledger-ops adopt';

export interface HealthDeps {
  readonly auth: Pick<Auth, 'decide'>;
  readonly runtime: Pick<Runtime, 'health' | 'followed' | 'suspensions'> & {
    readonly plugins: Pick<Runtime['plugins'], 'running'>;
  };
  readonly store: Pick<Store, 'now'>;
  /** Warnings that apply until this server stops. */
  readonly warnings: readonly string[];
  /**
   * True while the database may have been copied, moved or restored to an earlier state, and no administrator
   * has run `adopt`.
   */
  readonly isReadOnly: boolean;
  readonly writes: Pick<WriteHealth, 'cause'>;
  /** True once the server is shutting down. */
  readonly isClosing: () => boolean;
}

/** Liveness, readiness, and ledgers that need attention. */
export function healthRoutes({
  auth,
  runtime,
  store,
  writes,
  warnings: lasting,
  isReadOnly,
  isClosing,
}: HealthDeps): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/livez',
      operationId: 'liveness',
      summary: 'Check whether the process is alive',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'Alive.', schema: z.object({ status: z.literal('ok') }).openapi('Liveness') },
      },
      handle: async () => ok({ status: 'ok' }),
    }),
    defineRoute({
      method: 'get',
      path: '/readyz',
      operationId: 'readiness',
      summary: 'Check whether the server can handle requests',
      description: 'The response is public and names no ledgers: `GET /v1/admin/ledger-health` does.',
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
          ...(isReadOnly ? [readOnlyReason] : []),
          ...(isClosing() ? [shuttingDown] : []),
          ...told('reasons', 'cannot be followed'),
          ...((await answersSoon(store)) ? [] : ['the database does not respond']),
          ...(writes.cause === undefined ? [] : [`the last change was not stored: ${writes.cause}`]),
        ];
        const warnings = [
          ...lasting,
          ...told('warnings', 'have faulty nodes'),
          ...pluginWarnings(runtime.plugins.running()),
        ];
        const said = { readOnly: isReadOnly, reasons, warnings };
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
      path: '/readyz/server',
      operationId: 'serverReadiness',
      summary: 'Check whether proxies should send requests to this server',
      description:
        'For health checks of proxies and load balancers: 503 while the server starts or shuts down. Unlike `/readyz`, it does not depend on the ledgers and the database, which all servers share.',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'The server accepts requests.', schema: serverReadinessSchema },
        503: { description: 'The server is shutting down.', schema: serverReadinessSchema },
      },
      async handle() {
        return isClosing()
          ? { status: 503, body: { status: 'not-ready', reasons: [shuttingDown] } }
          : ok({ status: 'ready', reasons: [] });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/admin/ledger-health',
      operationId: 'ledgerHealth',
      summary: 'Get the status of the ledgers',
      description:
        'As seen by the responding server: ledgers that it cannot follow, that are suspended, or that have faulty nodes, and figures of the ledgers that it follows. Only ledgers that the caller may read. Queries no node.',
      service: 'administration',
      permission: { needs: 'ledger:read', on: 'record' },
      answers: { 200: { description: 'The ledgers.', schema: ledgerHealthSchema } },
      async handle({ principal }) {
        const ledgers = withSuspensions(runtime.health(), await runtime.suspensions.ofLedgers());
        const mayRead = async (uid: string) =>
          (await auth.decide(principal, ['ledger:read'], uid)).result === true;
        const decisions = await Promise.all(ledgers.map(({ uid }) => mayRead(uid)));
        const followed: FollowedLedger[] = [];
        for (const ledger of runtime.followed()) {
          if (followed.length === mostFollowed) break;
          if (await mayRead(ledger.uid)) followed.push(ledger);
        }
        return ok({
          ledgers: ledgers.filter((_, index) => decisions[index]),
          followed: followed.map(({ newestBlockAt, gasPrice, ...figures }) => ({
            ...figures,
            newestBlockAt: newestBlockAt === null ? null : rfc3339(newestBlockAt),
            gasPrice: gasPrice === null ? null : String(gasPrice),
          })),
        });
      },
    }),
  ];
}

function pluginWarnings(plugins: ReturnType<Runtime['plugins']['running']>): string[] {
  // A plugin that is still loading has no error.
  const unresponsive = plugins.filter(({ status }) => !status.loaded && status.lastError !== null).length;
  const changed = plugins.filter(({ status }) => status.changed !== null).length;
  return [
    ...(unresponsive === 0 ? [] : [`plugins that do not respond: ${unresponsive}`]),
    ...(changed === 0 ? [] : [`plugins whose ledgers changed: ${changed}`]),
  ];
}

type NotedLedger = LedgerHealth & {
  readonly suspension: { suspensionId: string; reason: string; createdAt: string } | null;
};

/** Ledgers with problems, warnings or a suspension. */
function withSuspensions(
  ledgers: readonly LedgerHealth[],
  suspensions: ReadonlyMap<string, SuspensionView>,
): NotedLedger[] {
  const noted = new Map<string, NotedLedger>(
    ledgers.map((ledger) => [ledger.uid, { ...ledger, suspension: null }]),
  );
  for (const [uid, { suspensionId, name, reason, createdAt }] of suspensions) {
    const ledger = noted.get(uid) ?? { uid, ledgerId: name, reasons: [], warnings: [] };
    noted.set(uid, { ...ledger, suspension: { suspensionId, reason, createdAt: rfc3339(createdAt) } });
  }
  return [...noted.values()];
}

const count = z.number().int();
const readinessSchema = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    readOnly: z
      .boolean()
      .describe(
        'Whether the service is read-only, because its database was copied, moved, or restored to an earlier state. Requests that change something get 503 `database-not-adopted`.',
      ),
    reasons: z.array(z.string()),
    warnings: z
      .array(z.string())
      .describe(
        'How many ledgers work but have faulty nodes, how many plugins do not respond, and whether plugin modules are less isolated than Ledger Operations supports.',
      ),
  })
  .openapi('Readiness');

const serverReadinessSchema = z
  .object({ status: z.enum(['ready', 'not-ready']), reasons: z.array(z.string()) })
  .openapi('ServerReadiness');

const ledgerHealthSchema = z
  .object({
    ledgers: z
      .array(
        z.object({
          uid: z
            .string()
            .openapi({ description: 'Globally unique, unlike `ledgerId`, which several projects may use.' }),
          ledgerId: z.string(),
          reasons: z.array(z.string()).openapi({ description: 'Why the server cannot follow the ledger.' }),
          warnings: z.array(z.string()).openapi({ description: 'Faulty nodes of a ledger that works.' }),
          suspension: z
            .object({ suspensionId: z.string(), reason: z.string(), createdAt: z.iso.datetime() })
            .nullable()
            .openapi({ description: 'While suspended, operations are accepted but not signed.' }),
        }),
      )
      .openapi({ description: 'Omits ledgers that work, are not suspended, and have no faulty nodes.' }),
    followed: z
      .array(
        z
          .object({
            uid: z.string(),
            ledgerId: z.string(),
            height: count.nullable().openapi({
              description:
                'The newest block, on ledgers that number their blocks; null if the plugin reports no blocks, as remote ones do.',
            }),
            newestBlockAt: z.iso.datetime().nullable().openapi({
              description:
                'When the responding server first saw the newest block; null if the plugin reports no blocks.',
            }),
            finalHeight: count.nullable().openapi({
              description:
                'The last block that is final at the ledger’s confirmation depth; null if the plugin reports no blocks.',
            }),
            blockTimeMs: count.nullable().openapi({
              description: 'Mean time between recent blocks; null until two have been seen.',
            }),
            slotTimeMs: count.nullable().openapi({
              description:
                'Mean duration of recent slots; null on ledgers without slots, and until two have been seen.',
            }),
            gasPrice: z.string().nullable().openapi({
              description:
                'Current price of a unit of gas in the smallest unit of the ledger’s currency; null on ledgers without gas.',
            }),
            nodeLatencyMs: count.nullable().openapi({
              description:
                'Median duration of recent requests to the ledger’s nodes; null if the plugin reports none.',
            }),
          })
          .openapi('FollowedLedger'),
      )
      .openapi({
        description: `Ledgers that the responding server follows because they have actions, at most ${mostFollowed}.`,
      }),
  })
  .openapi('LedgerHealth');

async function answersSoon(store: Pick<Store, 'now'>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, databaseWaitMs, false);
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
