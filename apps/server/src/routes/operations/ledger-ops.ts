import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import type { Actions, Runtime, SendRequest } from '@ledger-ops/runtime';
import { requestKeyOf, type Store } from '@ledger-ops/store';
import type { Answer } from '../../http/answer.ts';
import { created, ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route, type RouteRequest } from '../../http/route.ts';
import { pathId, text, uuid } from '../../http/schemas.ts';
import type { Streams } from '../../http/streams.ts';
import {
  acceptedBody,
  acceptedExample,
  acceptedSchema,
  actionBody,
  actionExample,
  actionSchema,
} from '../../present/action.ts';
import { jsonValue } from '../../present/json.ts';
import { type ContractArguments, contractCallRequest } from '../contracts/contract-arguments.ts';
import { eventId, followAction, followMany, isFinal, resumedFrom } from '../events/follow.ts';
import { alternativeRequest, contractCallSchema, ledgerCallBody } from './alternative-body.ts';
import { batchRoute } from './batch.ts';
import { changeRequestRoutes } from './change-requests.ts';
import { emulateBody, emulatedSchema } from './emulate-body.ts';
import { overviewRoutes } from './overview.ts';
import { sendBody } from './send-body.ts';
import { sendPermission } from './send-permission.ts';
import { sendProblems } from './send-problems.ts';
import { suspensionRoutes } from './suspensions.ts';

export interface LedgerOpsDeps {
  readonly runtime: Pick<Runtime, 'actions' | 'suspensions' | 'wallets'>;
  readonly contractArguments: ContractArguments;
  readonly streams: Streams;
  readonly store: Pick<Store, 'now'>;
}

const service = 'ledger-operations';
const maxIds = 1_000;

const acceptedAnswer = {
  201: {
    description: 'Accepted: the action survives a crash and is executed exactly once.',
    schema: acceptedSchema,
    example: acceptedExample,
  },
};
/** Shared parts of all operations that send. */
const sending = {
  method: 'post',
  service,
  contacts: ['ledger'],
  permission: sendPermission,
  creates: { present: (stored: unknown) => stored },
  answers: acceptedAnswer,
  problems: sendProblems,
} as const;
const read = { needs: 'wallet:read', on: 'record' } as const;
const actionsAnswer = {
  200: { description: 'The actions.', schema: z.array(actionSchema), example: [actionExample] },
};
const actionAnswer = { 200: { description: 'The action.', schema: actionSchema, example: actionExample } };

/** Ledger operations (specification, section 4.1), except the searches by wallet. */
export function ledgerOpsRoutes({ runtime, contractArguments, streams, store }: LedgerOpsDeps): Route[] {
  const { actions } = runtime;
  return [
    ...sendingRoutes(actions, contractArguments),
    batchRoute(actions),
    ...searchRoutes(actions),
    ...changeRequestRoutes(actions),
    ...followRoutes(runtime, streams, store),
    ...overviewRoutes(actions, () => store.now()),
    ...suspensionRoutes(runtime.suspensions),
  ];
}

async function send(
  actions: Pick<Actions, 'send'>,
  { principal, claim }: RouteRequest<unknown, unknown, unknown>,
  request: SendRequest,
): Promise<Answer> {
  return created(acceptedBody(await actions.send(principal, request, claim)));
}

function sendingRoutes(actions: Actions, contractArguments: ContractArguments): Route[] {
  return [
    defineRoute({
      ...sending,
      path: '/v1/ledger-ops/send',
      operationId: 'send',
      summary: 'Send an operation',
      description: 'Accepts every type of GLO. To follow the action, use the searches or events.',
      body: sendBody(),
      problems: [...sending.problems, 'already-exists'],
      pointers: ({ body }) => body.places,
      handle: (request) => send(actions, request, request.body.request),
    }),
    defineRoute({
      ...sending,
      path: '/v1/ledger-ops/contract/call',
      operationId: 'contractCall',
      permission: { ...sendPermission, also: ['wallet:read', 'smart-contract-instance:read'] },
      summary: 'Call a contract',
      description: 'Like `send`, but accepts only GLOs of type `contract_call`.',
      body: sendBody('contract_call'),
      pointers: ({ body }) => body.places,
      handle: (request) => send(actions, request, request.body.request),
    }),
    defineRoute({
      ...sending,
      path: '/v1/ledger-ops/contract-call',
      operationId: 'contractCallAlternative',
      permission: { ...sendPermission, also: ['wallet:read', 'smart-contract-instance:read'] },
      summary: 'Call a registered contract, with the alternative body',
      description:
        '`params` contains `{value}` for each parameter in order, or `{name, value}` with the parameter names from the contract’s interface.',
      body: jsonBody(
        contractCallSchema,
        {
          contractId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12',
          method: 'transfer',
          params: [{ value: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }, { value: 1 }],
          options: {
            service: {
              walletId: 'alice',
              walletPassword: 'correct horse battery staple',
              dependencies: [],
              intent: null,
            },
            plugin: '',
          },
        },
        'contract',
      ),
      async handle(request) {
        const { glo, pointers } = await contractCallRequest(
          contractArguments,
          request.principal,
          request.body,
        );
        return await withPointers(pointers, () =>
          send(actions, request, alternativeRequest(request.body.options, glo)),
        );
      },
    }),
    defineRoute({
      ...sending,
      path: '/v1/ledger-ops/ledger-call',
      operationId: 'ledgerCall',
      summary: 'Run an action on a ledger, for example deploy a contract',
      description:
        '`method` is `transfer`, `contract_call` or `contract_deploy`. `params` are the options of the GLO by name, and `meta`.',
      body: ledgerCallBody,
      pointers: ({ body }) => body.places,
      handle: (request) => send(actions, request, request.body.request),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/ledger-ops/emulate',
      operationId: 'emulate',
      contacts: ['ledger'],
      summary: 'Emulate an operation without sending it',
      description:
        'Simulates any GLO, and estimates its fee. Changes nothing. The password is optional. On ledgers whose results depend on the caller (Hyperledger Fabric), the wallet signs the query if the password is present; otherwise the ledger’s observer does.',
      service,
      permission: {
        needs: ['ledger:read', 'wallet:read', 'wallet:transact'],
        on: 'record',
        also: [
          'wallet:read',
          'smart-contract-instance:read',
          'smart-contract-template:read',
          'ledger:inspect',
        ],
      },
      body: emulateBody,
      answers: { 200: { description: 'The result.', schema: emulatedSchema } },
      problems: sendProblems,
      pointers: ({ body }) => body.places,
      async handle({ principal, body: { request } }) {
        const { result, fee, figures, overrides, warnings } = await actions.emulate(principal, request);
        return ok({
          result: jsonValue(result ?? null),
          fee,
          figures: jsonValue(figures),
          overrides,
          warnings,
        });
      },
    }),
  ];
}

const actionIdsSchema = z
  .strictObject({ actionIds: z.array(text(256)).max(maxIds) })
  .openapi('SearchActionsBody');
const intentsSchema = z
  .strictObject({ intents: z.array(text(256)).max(maxIds) })
  .openapi('SearchIntentsBody');

function searchRoutes(actions: Actions): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/search/actions/{actionId}',
      operationId: 'getAction',
      summary: 'Get an action',
      service,
      permission: read,
      params: z.object({ actionId: pathId('Id of the action.') }),
      answers: actionAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(actionBody(await actions.get(principal, params.actionId))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/search/actions',
      operationId: 'searchIdempotencyKey',
      summary: 'Search by Idempotency-Key',
      description:
        'Returns the actions that the caller’s request with this key created: one action, or the actions of a batch in its order. Empty if no operation has been accepted with the key. A request that is still in transit may be accepted later, so send the operation again only with the same key: then it is never executed twice.',
      service,
      permission: read,
      query: z.strictObject({
        idempotencyKey: text(255).openapi({ description: 'The Idempotency-Key of the caller’s request.' }),
      }),
      answers: actionsAnswer,
      async handle({ principal, query: { idempotencyKey }, claimFor }) {
        const claim = await claimFor(idempotencyKey);
        return ok((await actions.byRequest(principal, requestKeyOf(claim))).map(actionBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/ledger-ops/search/actions',
      operationId: 'searchActions',
      summary: 'Search by action ids',
      description: 'Omits unknown ids.',
      service,
      permission: read,
      body: jsonBody(actionIdsSchema, { actionIds: [actionExample.actionId] }),
      answers: actionsAnswer,
      handle: async ({ principal, body }) =>
        ok((await actions.byIds(principal, body.actionIds)).map(actionBody)),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/search/intents/{intent}',
      operationId: 'searchIntent',
      summary: 'Search by intent',
      service,
      permission: read,
      params: z.object({ intent: pathId('The intent, a UUID.') }),
      answers: actionsAnswer,
      handle: async ({ principal, params }) =>
        ok((await actions.byIntents(principal, [params.intent.toLowerCase()])).map(actionBody)),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/ledger-ops/search/intents',
      operationId: 'searchIntents',
      summary: 'Search by intents',
      service,
      permission: read,
      body: jsonBody(intentsSchema, { intents: [actionExample.intent] }),
      answers: actionsAnswer,
      handle: async ({ principal, body }) =>
        ok(
          (
            await actions.byIntents(
              principal,
              body.intents.map((intent) => intent.toLowerCase()),
            )
          ).map(actionBody),
        ),
    }),
  ];
}

const streamAnswer = {
  200: {
    description: 'Server-sent events named `action`; each contains the Action as JSON.',
    contentType: 'text/event-stream',
  },
};

function followRoutes(
  { actions, wallets }: LedgerOpsDeps['runtime'],
  streams: Streams,
  store: LedgerOpsDeps['store'],
): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/actions/{actionId}/events',
      operationId: 'followAction',
      summary: 'Follow an action',
      description:
        'Sends the current state, then every change, and ends after the final state. A later reorg (retracted) is reported by the events of all actions, the searches and the action itself. If Last-Event-ID is the event of the final state, the response is 204, which stops an EventSource.',
      service,
      permission: read,
      params: z.object({ actionId: pathId('Id of the action.') }),
      answers: { ...streamAnswer, 204: { description: 'The client has seen the final state.' } },
      problems: ['not-found'],
      async handle({ principal, params, header, signal, isHead, reauthenticate }) {
        const view = await actions.get(principal, params.actionId);
        const seen = header('last-event-id');
        if (isFinal(view) && seen === eventId(view)) return { status: 204 };
        if (isHead) return { status: 200, headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } };
        const follow = followAction(actions, principal, view, seen);
        return streams.open({ holder: principal, signal, stillAllowed: reauthenticate, follow });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/events',
      operationId: 'followActions',
      summary: 'Follow the actions with an intent, or of a wallet',
      description:
        'Sends the state of the newest 100 actions, oldest first, then every change, until one side closes the stream. With Last-Event-ID, the stream instead starts with every action that changed after that event, in the order of their last changes. No final state is missed, even after a restart or on another server, if server clocks and storage delays differ by less than ten seconds. Events from the ten seconds before that event are repeated with the same ids. If the event is older than 7 days, the response is 410.',
      service,
      permission: read,
      query: z.strictObject({
        intent: uuid()
          .optional()
          .openapi({ description: 'Only actions with this intent (a UUID that groups actions).' }),
        wallet: text(64).optional().openapi({ description: 'Actions that this wallet sends or receives.' }),
      }),
      answers: streamAnswer,
      problems: ['not-found', 'event-too-old'],
      async handle({ principal, query, header, signal, isHead, reauthenticate }) {
        if (query.intent === undefined && query.wallet === undefined) {
          const detail = 'is required, unless wallet is given';
          throw invalidRequest([{ pointer: 'intent', detail }]);
        }
        if (query.wallet !== undefined) await wallets.demand(principal, 'wallet:read', query.wallet);
        if (isHead) return { status: 200, headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } };
        const seen = header('last-event-id') ?? '';
        const since = seen === '' ? undefined : resumedFrom(seen, await store.now());
        const follow = followMany(actions, principal, query, since);
        return streams.open({ holder: principal, signal, stillAllowed: reauthenticate, follow });
      },
    }),
  ];
}
