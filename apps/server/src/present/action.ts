import { z } from '@hono/zod-openapi';
import { type AcceptedAction, type ActionView, pendingCodes } from '@ledger-ops/runtime';
import { problemSchema } from '../http/problems/problem-schema.ts';
import { interfaceDate, rfc3339 } from './dates.ts';

/** Returns the Action (specification, section 2.1), with additional members. */
export function actionBody(view: ActionView) {
  return {
    actionId: view.actionId,
    ...(view.context === null ? {} : { context: view.context }),
    contractAddress: view.contractAddress,
    createdAt: rfc3339(view.createdAt),
    dateUpdated: interfaceDate(view.updatedAt),
    dependencies: view.dependencies,
    ...(view.explorerUrl === null ? {} : { explorerUrl: view.explorerUrl }),
    ...(view.details === null ? {} : { details: view.details }),
    intent: view.intent,
    ledgerId: view.ledgerId,
    locator: view.locator,
    ...(view.pending === null ? {} : { pending: view.pending }),
    ...(view.problem === null ? {} : { problem: view.problem }),
    ...(view.retracted === null ? {} : { retracted: { ...view.retracted, at: rfc3339(view.retracted.at) } }),
    status: view.status,
    tag: view.tag,
    txId: view.locator,
    updatedAt: rfc3339(view.updatedAt),
    walletId: view.walletId,
  };
}

/** Schema of {@link actionBody}. */
export const actionSchema = z
  .object({
    actionId: z.string().openapi({ format: 'uuid' }),
    context: z.string().optional().openapi({
      description: 'Context that a caller of the deprecated gateway operations stored with the action.',
    }),
    contractAddress: z.string().nullable().openapi({ description: 'Address of a deployed contract.' }),
    createdAt: z.string().openapi({ format: 'date-time' }),
    dateUpdated: z.string().openapi({ example: 'Fri Nov 20 12:30:05 UTC 2026' }),
    dependencies: z.array(z.string()).openapi({ description: 'Action ids that this action depends on.' }),
    explorerUrl: z.string().optional().openapi({
      format: 'uri',
      description: 'Link to the transaction, if the ledger has an explorer.',
    }),
    details: z.record(z.string(), z.unknown()).optional().openapi({
      description: 'Further information from the ledger about its result, for example a call’s return value.',
    }),
    intent: z.string().openapi({ description: 'UUID that groups actions; may be empty.' }),
    ledgerId: z.string().nullable().openapi({ description: 'Null while the action is pending.' }),
    locator: z
      .string()
      .nullable()
      .openapi({ description: 'Transaction id on the ledger; null while pending.' }),
    pending: z
      .object({
        stage: z.enum(['blocked', 'ready', 'signed']),
        code: z.enum(Object.keys(pendingCodes)).openapi({ description: 'The reason’s code.' }),
        detail: z.string().openapi({ description: 'The reason as text.' }),
      })
      .openapi('ActionPending')
      .optional()
      .openapi({ description: 'While PENDING: the reason.' }),
    problem: problemSchema.optional().openapi({ description: 'Why it FAILED.' }),
    retracted: z
      .object({
        at: z.string().openapi({ format: 'date-time' }),
        detail: z.string(),
        by: z
          .string()
          .optional()
          .openapi({ description: 'Id of the transaction that replaced the removed one on the ledger.' }),
      })
      .openapi('ActionRetracted')
      .optional()
      .openapi({
        description:
          'A reorg removed the block of the action’s final state, and the ledger no longer shows it. The status does not change.',
      }),
    status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
    tag: z.string().nullable(),
    txId: z.string().nullable().openapi({ description: 'Equals locator.' }),
    updatedAt: z.string().openapi({ format: 'date-time' }),
    walletId: z.string().openapi({ description: 'Id of the sending wallet.' }),
  })
  .openapi('Action');

/**
 * Returns the response to a request that creates an action (specification, section 2.2); `id` is the action id in
 * the deprecated variant.
 */
export function acceptedBody(accepted: AcceptedAction) {
  const { actionId, intent, status, overrides } = accepted;
  return { actionId, id: actionId, intent, status, ...(overrides.length > 0 ? { overrides } : {}) };
}

const overriddenSchema = z.union([z.string(), z.array(z.string())]).openapi('OverriddenValue');

export const overrideSchema = z
  .object({
    field: z.string(),
    from: overriddenSchema.nullable(),
    to: overriddenSchema,
  })
  .openapi('Override');

/** Schema of {@link acceptedBody}. */
export const acceptedSchema = z
  .object({
    actionId: z.string().openapi({ format: 'uuid' }),
    id: z.string().openapi({ description: 'Equals actionId.' }),
    intent: z.string().nullable().openapi({ description: 'The request’s intent.' }),
    status: z.literal('PENDING'),
    overrides: z.array(overrideSchema).optional().openapi({
      description:
        'Values in the operation’s `options` that `meta` replaced, because `meta` takes precedence; absent if there are none.',
    }),
  })
  .openapi('ActionCreated');

/** Example for the API reference. */
export const acceptedExample = {
  actionId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11',
  id: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11',
  intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
  status: 'PENDING',
};
export const actionExample = {
  actionId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11',
  contractAddress: null,
  createdAt: '2026-11-20T12:30:04.120Z',
  dateUpdated: 'Fri Nov 20 12:30:05 UTC 2026',
  dependencies: [],
  intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
  ledgerId: 'dev-ethereum',
  locator: '0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706',
  status: 'SUCCEEDED',
  tag: null,
  txId: '0x6f0d5a0b7f3f9f0f8c1b8d5c9c0e7b7a2b4e1f5d3c6a9b8e7d6c5b4a39281706',
  updatedAt: '2026-11-20T12:30:05.310Z',
  walletId: 'alice',
};
