import { z } from '@hono/zod-openapi';
import { Secret } from '@ledger-ops/base';
import type { Actions, ActionView } from '@ledger-ops/runtime';
import type { Answer } from '../../http/answer.ts';
import { defineRoute, jsonBody, optionalBody, type Route } from '../../http/route.ts';
import { pathId } from '../../http/schemas.ts';
import { actionBody, actionExample, actionSchema } from '../../present/action.ts';

const walletPassword = z.string().min(1, 'must not be empty').max(1024).optional().openapi({
  format: 'password',
  description:
    'Needed only where nothing is kept that could sign another transaction in the place of the action’s; the answer then says so. It must be right wherever it is given.',
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
          'The most for a unit of the ledger’s fee (Ethereum: wei for a unit of gas), decimal or 0x text. The ledger’s own caps hold beside it.',
      }),
  })
  .openapi('HurryActionBody');

const pendingExample = {
  ...actionExample,
  ...{ ledgerId: null, locator: null, txId: null, status: 'PENDING' },
  pending: {
    stage: 'signed',
    code: 'confirmation',
    detail:
      'Signed and sent; waits for the ledger to confirm it. Its cancellation was asked for: it or the empty transaction in its place is mined, as the ledger decides.',
  },
};
const cancelledExample = {
  ...actionExample,
  ...{ locator: null, txId: null, status: 'FAILED' },
  problem: {
    type: 'urn:ledger-ops:problem:cancelled',
    title: 'The action was cancelled by who may use its wallet',
    status: 409,
    detail: 'The action was cancelled on request. It was not signed yet: nothing was sent.',
  },
};

const asked = {
  method: 'post',
  service: 'ledger-operations',
  permission: { needs: 'wallet:transact', on: 'record', also: ['wallet:read'] },
  params: z.object({ actionId: pathId('Id of the action.') }),
  // Stored by the runtime, which gives it to the handler, too.
  creates: { present: (stored: unknown) => actionBody(stored as ActionView) },
  problems: [
    'not-found',
    'conflict',
    'wrong-wallet-password',
    'no-plugin',
    'plugin-fault',
    'ledger-unavailable',
  ],
} as const;

/** Routes of requests about a wallet's actions, for those who may use it. */
export function changeRequestRoutes(actions: Pick<Actions, 'cancel' | 'hurry'>): Route[] {
  return [
    defineRoute({
      ...asked,
      path: '/v1/ledger-ops/actions/{actionId}/cancel',
      operationId: 'cancelAction',
      summary: 'Cancel an action',
      description:
        'An action that is not signed ends at once: FAILED, `cancelled`. Where one is signed, an empty transaction is to take its nonce; whichever of the two the ledger takes decides how it ends. Where ledgers have no nonces (Hyperledger Fabric), what is signed cannot be cancelled: 409. Asked again, it answers the same.',
      body: optionalBody(jsonBody(cancelSchema, {})),
      answers: {
        200: {
          description: 'It has ended: nothing was signed.',
          schema: actionSchema,
          example: cancelledExample,
        },
        202: {
          description: 'It is signed; its cancellation is kept, and done.',
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
      summary: 'Hurry an action',
      description:
        'The same transaction is sent again at a higher fee, at the same nonce: once for each request. What is not signed yet waits for no fee, and ledgers without nonces take none back: 409.',
      body: optionalBody(jsonBody(hurrySchema, { maxFee: '50000000000' })),
      answers: {
        202: {
          description: 'The request is kept, and done.',
          schema: actionSchema,
          example: {
            ...pendingExample,
            pending: {
              stage: 'signed',
              code: 'confirmation',
              detail: 'Signed and sent; waits for the ledger to confirm it. A higher fee was asked for.',
            },
          },
        },
      },
      async handle({ principal, params: { actionId }, body, claim }) {
        const maxFee = body?.maxFee === undefined ? {} : { maxFee: body.maxFee };
        return answerOf(await actions.hurry(principal, actionId, { ...passwordOf(body), ...maxFee }, claim));
      },
    }),
  ];
}

function passwordOf(body: { walletPassword?: string | undefined } | undefined): { walletPassword?: Secret } {
  return body?.walletPassword === undefined ? {} : { walletPassword: new Secret(body.walletPassword) };
}

function answerOf(view: ActionView): Answer {
  return { status: view.status === 'PENDING' ? 202 : 200, body: actionBody(view) };
}
