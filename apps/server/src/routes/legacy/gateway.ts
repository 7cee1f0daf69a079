import { z } from '@hono/zod-openapi';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import { currentGloVersion, parseGlo } from '@ledger-ops/glo-core';
import type { Runtime } from '@ledger-ops/runtime';
import { created, ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import type { GatewayPort } from '../../ports/gateway-service.ts';
import { rfc3339 } from '../../present/dates.ts';
import { jsonValue } from '../../present/json.ts';
import { olderAcceptedAnswer, olderAcceptedBody } from '../../present/older-accepted.ts';
import { ledgerProblems } from '../ledger-problems.ts';
import { argumentTexts } from '../operations/send-body.ts';
import { sendPermission } from '../operations/send-permission.ts';
import { sendProblems } from '../operations/send-problems.ts';
import { gatewayActionBody, gatewayPluginActionBody } from './gateway-body.ts';

export interface GatewayDeps {
  readonly runtime: Pick<Runtime, 'actions'>;
  readonly gateway: GatewayPort;
  readonly auth: Pick<Auth, 'sessionOf'>;
}

const service = 'ledger-gateway';

const emulationSchema = z
  .object({
    args: argumentTexts.nullish().openapi({ description: "In the order of the method's parameters." }),
    instanceId: text(256).openapi({ description: 'Id of a registered contract.' }),
    methodName: text(4_096),
  })
  .openapi('GatewayEmulationBody');
const emulatedSchema = z
  .object({ result: z.string().openapi({ description: 'The decoded value as JSON text.' }) })
  .openapi('GatewayEmulated');
const transactionSchema = z
  .object({
    locator: z.string(),
    smartContractAddress: z.string().nullable(),
    status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
    blockTime: z.string().nullable().openapi({
      format: 'date-time',
      description: 'Time of the block. Null if it is not known yet, or the ledger does not report it.',
    }),
    fee: z.string().nullable().openapi({
      description:
        'Fee paid, in the smallest unit of the ledger’s currency. Null if it is not known yet, or the ledger does not report it.',
    }),
    reason: z.string().nullable().openapi({ description: 'Why the transaction failed.' }),
    receipt: z
      .unknown()
      .optional()
      .openapi({ description: 'The ledger’s receipt, if withReceipt is set; null until there is one.' }),
  })
  .openapi('GatewayTransaction');

/** The deprecated ledger gateway (specification, section 4.6), which sends and queries in other request forms. */
export function gatewayRoutes(deps: GatewayDeps): Route[] {
  return [...sendingRoutes(deps), ...readingRoutes(deps)];
}

function sendingRoutes({ runtime: { actions }, gateway, auth }: GatewayDeps): Route[] {
  const spec = {
    method: 'post',
    service,
    contacts: ['ledger'],
    permission: sendPermission,
    deprecated: true,
    creates: { present: olderAcceptedBody },
    answers: olderAcceptedAnswer,
    problems: sendProblems,
  } as const;
  return [
    defineRoute({
      ...spec,
      path: '/v1/gateway/actions',
      operationId: 'gatewaySendAction',
      successor: '/v1/ledger-ops/send',
      summary: 'Send a GLO action',
      description: 'Accepts every type of GLO, and contract calls in the form {type, params}.',
      body: gatewayActionBody,
      async handle({ principal, body: { request, session, places }, claim }) {
        if (session !== undefined) await demandOwnSession(auth, principal, session);
        return await withPointers(places, async () =>
          created(olderAcceptedBody(await actions.send(principal, request, claim))),
        );
      },
    }),
    defineRoute({
      ...spec,
      path: '/v1/gateway/plugin-actions',
      operationId: 'gatewaySendPluginAction',
      successor: '/v1/ledger-ops/send',
      permission: { ...sendPermission, also: ['wallet:read', 'smart-contract-instance:read'] },
      summary: 'Send an action through a plugin, in the current request form',
      description:
        'The GLO must have the type `contract_call`. `ledger` is the technology of the ledger `ledgerId`.',
      body: gatewayPluginActionBody,
      async handle({ principal, body: { request, technology, places }, claim }) {
        const its = await gateway.technologyOf(principal, request.ledgerId, request.walletId);
        if (its !== null && its !== technology) {
          throw invalidRequest([
            { pointer: '/ledger', detail: `must be ${its}, the technology of ledgerId` },
          ]);
        }
        return await withPointers(places, async () =>
          created(olderAcceptedBody(await actions.send(principal, request, claim))),
        );
      },
    }),
  ];
}

function readingRoutes({ runtime: { actions }, gateway }: GatewayDeps): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/gateway/emulations',
      operationId: 'gatewayEmulate',
      contacts: ['ledger'],
      successor: '/v1/ledger-ops/emulate',
      summary: 'Emulate a single transaction',
      description: 'Calls a method of a registered contract without sending a transaction.',
      service,
      permission: {
        needs: 'smart-contract-instance:read',
        on: 'record',
        also: ['ledger:read', 'ledger:inspect'],
      },
      deprecated: true,
      body: jsonBody(
        emulationSchema,
        {
          instanceId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12',
          methodName: 'totalSupply',
          args: [],
        },
        'contract',
      ),
      answers: {
        200: { description: 'The value.', schema: emulatedSchema, example: { result: '"1000000"' } },
      },
      problems: [
        'not-found',
        'unknown-method',
        'unknown-contract',
        'unsupported-operation',
        'reverted',
        ...ledgerProblems,
      ],
      async handle({ principal, body: { args, instanceId, methodName } }) {
        const { ledgerId } = await gateway.contract(principal, instanceId, '/instanceId');
        const glo = parseGlo({
          version: currentGloVersion,
          type: 'contract_call',
          options: {
            contract_instance: {
              lookup_service: { type: 'service', value: 'service' },
              resource: instanceId,
            },
            method_name: methodName,
            args: args ?? [],
          },
        });
        const pointers = { glo: '/glo', walletId: '', ledgerId: '/instanceId' };
        const { result, figures, warnings } = await withPointers(emulationPlaces, () =>
          actions.emulate(principal, { glo, ledgerId, pointers }),
        );
        const { returned } = figures;
        // Warnings are dropped, because the response has no member for them.
        if (typeof returned === 'string')
          throw new Problem('invalid-request', warnings.join(' '), { extensions: { data: { returned } } });
        return ok({ result: JSON.stringify(jsonValue(result ?? null)) });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/gateway/transactions',
      operationId: 'gatewaySearchTransaction',
      contacts: ['ledger'],
      summary: 'Search a transaction',
      description:
        'Finds any transaction of the ledger by its id. The id of a replaced transaction returns the transaction that the ledger executed in its place.',
      service,
      permission: { needs: 'ledger:read', on: 'record' },
      deprecated: true,
      query: z.object({
        ledgerId: text(64),
        locator: text(256).openapi({ description: "The transaction's id on the ledger." }),
        withReceipt: z
          .enum(['true', 'false'])
          .openapi({ type: 'boolean', description: 'Whether to return the ledger’s receipt.' }),
      }),
      answers: { 200: { description: 'The transaction.', schema: transactionSchema } },
      problems: ['not-found', 'unsupported-operation', ...ledgerProblems],
      async handle({ principal, query: { ledgerId, locator, withReceipt } }) {
        const { receipt, blockTime, ...found } = await gateway.transaction(principal, ledgerId, locator);
        const time = blockTime === null ? null : rfc3339(blockTime);
        return ok({ ...found, blockTime: time, ...(withReceipt === 'true' ? { receipt } : {}) });
      },
    }),
  ];
}

const emulationPlaces = [
  ['/glo/options/contract_instance', '/instanceId', 'whole'],
  ['/glo/options/method_name', '/methodName'],
  ['/glo/options/args', '/args'],
  ['/glo', '', 'named'],
] as const;

async function demandOwnSession(
  auth: Pick<Auth, 'sessionOf'>,
  { serviceId }: Principal,
  secret: Secret,
): Promise<void> {
  if ((await auth.sessionOf(secret))?.serviceId === serviceId) return;
  const pointer = '/serviceSession';
  const detail = 'is not a valid session of the caller';
  throw new Problem('not-permitted', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
}
