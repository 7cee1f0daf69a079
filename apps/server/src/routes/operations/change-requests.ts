import { z } from '@hono/zod-openapi';
import { Secret } from '@ledger-ops/base';
import type { Actions, ActionView } from '@ledger-ops/runtime';
import { type Answer, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, optionalBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { actionBody, actionExample, actionSchema } from '../../present/action.ts';
import { ledgerProblems } from '../ledger-problems.ts';

const walletPassword = z.string().min(1, 'must not be empty').max(1024).optional().openapi({
  format: 'password',
  description:
    'The wallet’s password. Required only if no encrypted key that can sign another transaction is stored for the action: then a request without it fails and points to this member. If present, it must be correct.',
});
const cancelSchema = z.strictObject({ walletPassword }).openapi('CancelActionBody');
const hurrySchema = z
  .strictObject({
    walletPassword,
    maxFee: z
      .string()
      .max(78, { error: 'must have at most 78 characters', abort: true })
      .regex(/^(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$/, 'must be a whole number as decimal or 0x text')
      .transform(BigInt)
      .optional()
      .openapi({
        type: 'string',
        example: '50000000000',
        description:
          'Maximum price per unit of the ledger’s fee (Ethereum: wei per unit of gas; Solana: micro-lamports per compute unit), decimal or 0x text. The ledger’s own caps also apply.',
      }),
  })
  .openapi('HurryActionBody');

const pendingExample = {
  ...actionExample,
  ledgerId: null,
  locator: null,
  txId: null,
  status: 'PENDING',
  pending: {
    stage: 'signed',
    code: 'confirmation',
    detail:
      'Signed and sent; waiting for the ledger to confirm it. Its cancellation was requested. The ledger will execute either its transaction or an empty one with the same nonce.',
  },
};
const unsignedExample = {
  ...pendingExample,
  pending: {
    stage: 'ready',
    code: 'suspended',
    detail: 'The wallet payer has been suspended by ledger-ops since 2026-11-20T12:30:05.000Z.',
  },
};
const cancelledExample = {
  ...actionExample,
  locator: null,
  txId: null,
  status: 'FAILED',
  problem: {
    type: 'urn:ledger-ops:problem:cancelled',
    title: 'A user of the wallet canceled the action',
    status: 409,
    detail: 'The action was canceled on request. The action was not signed yet, so nothing was sent.',
  },
};

const asked = {
  method: 'post',
  service: 'ledger-operations',
  permission: { needs: 'wallet:transact', on: 'record', also: ['wallet:read'] },
  params: z.object({ actionId: pathId('Id of the action.') }),
  // The stored value is the action, which the runtime also returns to the handler.
  creates: { present: (stored: unknown) => actionBody(stored as ActionView) },
  problems: ['not-found', 'conflict', 'wrong-wallet-password', ...ledgerProblems],
} as const;

const executedSchema = z
  .strictObject({
    txId: text(256).openapi({ description: 'Id of the transaction that executed the action.' }),
  })
  .openapi('MarkExecutedBody');

const releaseSchema = z
  .strictObject({
    transactions: z.array(text(512)).min(1).max(1_000).openapi({
      description: 'The `id` of each unknown transaction that did not execute the action.',
    }),
  })
  .openapi('ReleaseActionBody');

const releaseExample = {
  transactions: ['eip155:1/0xd4e567…/0x71C7656EC7ab88b098defB751B7401B5f6d8976F/nonce:7'],
};

/**
 * Routes that cancel actions, raise their fees, or decide whether transactions of other programs executed
 * them. The first two need permission to use the wallet, the last needs permission to change it.
 */
export function changeRequestRoutes(
  actions: Pick<Actions, 'cancel' | 'hurry' | 'markExecuted' | 'release'>,
): Route[] {
  return [
    defineRoute({
      ...asked,
      path: '/v1/ledger-ops/actions/{actionId}/cancel',
      operationId: 'cancelAction',
      contacts: ['ledger'],
      summary: 'Cancel an action',
      description:
        'An unsigned action fails immediately with `cancelled`. For a signed one, an empty transaction is sent with its nonce; the one that the ledger executes determines the outcome. On ledgers without nonces (Hyperledger Fabric), a signed action cannot be canceled: 409. A repeated request returns the same response.',
      body: optionalBody(jsonBody(cancelSchema, {})),
      answers: {
        200: {
          description: 'Canceled before it was signed.',
          schema: actionSchema,
          example: cancelledExample,
        },
        202: {
          description: 'The action is signed; the cancellation is stored and will be executed.',
          schema: actionSchema,
          example: pendingExample,
        },
      },
      handle: async ({ principal, params: { actionId }, body, claim }) =>
        answerOf(await actions.cancel(principal, actionId, passwordOf(body), claim)),
    }),
    defineRoute({
      ...asked,
      path: '/v1/ledger-ops/actions/{actionId}/hurry',
      operationId: 'hurryAction',
      contacts: ['ledger'],
      summary: 'Raise the fee of an action',
      description:
        'Sends the transaction again with the same nonce and a higher fee, once per request. On ledgers whose transactions expire (Solana), a transaction is replaced only after it has expired; the next one pays the higher fee. The response is 409 if the action is unsigned, or if its transaction can neither be replaced nor expires. The member `changes` of the action lists what is possible.',
      body: optionalBody(jsonBody(hurrySchema, { maxFee: '50000000000' })),
      answers: {
        202: {
          description: 'The request is stored and will be executed.',
          schema: actionSchema,
          example: {
            ...pendingExample,
            pending: {
              stage: 'signed',
              code: 'confirmation',
              detail: 'Signed and sent; waiting for the ledger to confirm it. A higher fee was requested.',
            },
          },
        },
      },
      async handle({ principal, params: { actionId }, body, claim }) {
        const maxFee = body?.maxFee === undefined ? {} : { maxFee: body.maxFee };
        return answerOf(await actions.hurry(principal, actionId, { ...passwordOf(body), ...maxFee }, claim));
      },
    }),
    defineRoute({
      ...asked,
      path: '/v1/ledger-ops/actions/{actionId}/executed',
      operationId: 'markExecuted',
      contacts: ['ledger'],
      summary: 'Mark an action as executed by a transaction',
      description:
        'Marks an unsigned action as executed by an unknown transaction: one that is on the ledger but not in the service’s database, because the database was restored to an earlier state or another program signs with the key. On the ledger, the transaction must be final, come from the wallet, and have the same recipient, amount and data. The action then gets the outcome of the transaction. A repeated request returns the same response.',
      permission: { needs: 'wallet:update', on: 'record', also: ['wallet:read'] },
      body: jsonBody(executedSchema, { txId: actionExample.txId ?? '' }),
      answers: {
        200: { description: 'The final action.', schema: actionSchema, example: actionExample },
      },
      problems: ['not-found', 'conflict', 'unsupported-operation', ...ledgerProblems],
      handle: async ({ principal, params: { actionId }, body, claim }) =>
        answerOf(await actions.markExecuted(principal, actionId, body.txId, claim)),
    }),
    defineRoute({
      ...asked,
      path: '/v1/ledger-ops/actions/{actionId}/release',
      operationId: 'releaseAction',
      summary: 'Release an action that unknown transactions did not execute',
      description:
        'Releases an unsigned action that an unknown transaction may have executed (see `listUnknownTransactions`). The wallet can be resumed when every such action is marked as executed, canceled or released. Released actions are then signed. Do not release an action that was already executed: it would be executed twice.',
      permission: { needs: 'wallet:update', on: 'record', also: ['wallet:read'] },
      body: jsonBody(releaseSchema, releaseExample),
      answers: { 200: { description: 'The action.', schema: actionSchema, example: unsignedExample } },
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { actionId }, body, claim }) =>
        ok(actionBody(await actions.release(principal, actionId, body.transactions, claim))),
    }),
  ];
}

function passwordOf(body: { walletPassword?: string | undefined } | undefined): { walletPassword?: Secret } {
  return body?.walletPassword === undefined ? {} : { walletPassword: new Secret(body.walletPassword) };
}

function answerOf(view: ActionView): Answer {
  return { status: view.status === 'PENDING' ? 202 : 200, body: actionBody(view) };
}
