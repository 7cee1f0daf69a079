import { z } from '@hono/zod-openapi';
import type { ActionDetails, ActionOverview } from '@ledger-ops/runtime';
import { actionBody, actionSchema, overrideSchema } from './action.ts';
import { rfc3339 } from './dates.ts';
import { unitSchema } from './unit.ts';

/** An action as all actions are listed: as the searches answer it, and what it did. */
export function overviewBody(action: ActionOverview) {
  const { projectId, type, contract, method, recipient, amount, unit, fee, blockHeight, creator } = action;
  const { blockTime, endedAt } = action;
  return {
    ...actionBody(action),
    ...{ projectId, type, contract, method, recipient, amount, unit, fee, blockHeight, creator },
    blockTime: blockTime === null ? null : rfc3339(blockTime),
    endedAt: endedAt === null ? null : rfc3339(endedAt),
  };
}

const name = (description: string) => z.string().nullable().openapi({ description });

/** Schema of {@link overviewBody}. */
export const overviewSchema = z
  .object({
    ...actionSchema.shape,
    projectId: name('Null: the project is deleted.'),
    type: z.enum(['transfer', 'contract_call', 'contract_deploy']).nullable(),
    contract: name('Id or address of the contract that is called, or the template of what is deployed.'),
    method: name('The method that is called.'),
    recipient: name('Wallet or address that receives.'),
    amount: name("Native currency that goes along, in the ledger's smallest unit."),
    unit: unitSchema,
    fee: name("Paid, in the ledger's smallest unit."),
    blockHeight: z.number().int().nullable(),
    blockTime: z.string().nullable().openapi({
      format: 'date-time',
      description:
        'When that block was made, as the ledger says; null: it does not, as on Fabric, or not yet.',
    }),
    endedAt: z.string().nullable().openapi({ format: 'date-time', description: 'Null while it is pending.' }),
    creator: z.object({ serviceId: z.string(), appId: z.string() }).openapi('ActionCreator'),
  })
  .openapi('ActionOverview');

/** An action by itself: as it is listed, and all that is kept of it. */
export function detailsBody(action: ActionDetails) {
  const { operation, overrides, deadline, attempts, signedAt, sentAt, dependsOn, dependents } = action;
  const at = (time: number | null) => (time === null ? null : rfc3339(time));
  return {
    ...overviewBody(action),
    ...{ traceId: action.traceId, operation, arguments: action.arguments, change: action.change },
    ...{ overrides, dependsOn, dependents },
    attempts: attempts.map((one) => ({ ...one, at: rfc3339(one.at), settledAt: at(one.settledAt) })),
    waitingSince: at(action.waitingSince),
    deadline: at(deadline),
    steps: {
      accepted: rfc3339(action.createdAt),
      signed: at(signedAt),
      sent: at(sentAt),
      ended: at(action.endedAt),
    },
  };
}

const time = z.string().openapi({ format: 'date-time' });

/** Schema of {@link detailsBody}. */
export const detailsSchema = z
  .object({
    ...overviewSchema.shape,
    traceId: z.string().openapi({
      description: 'Of the W3C trace that it is accepted and executed in, where traces are recorded.',
    }),
    operation: z.record(z.string(), z.unknown()).openapi({
      description: 'The operation as it was accepted, with what meta changed, and without what is secret.',
    }),
    arguments: z
      .array(z.string())
      .nullable()
      .openapi({ description: 'Of the method or the constructor, as they were sent; null: there are none.' }),
    change: z
      .enum(['cancel', 'hurry'])
      .nullable()
      .openapi({ description: 'What was asked of it, and is not done yet.' }),
    overrides: z.array(overrideSchema).openapi({ description: 'What meta changed in options.' }),
    dependsOn: z
      .array(z.object({ actionId: z.string(), status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']) }))
      .openapi({ description: 'Those of the actions it depends on that the caller may see.' }),
    dependents: z.array(z.string()).openapi({ description: 'The newest actions that depend on it.' }),
    attempts: z
      .array(
        z.object({
          txId: z.string(),
          kind: z.enum(['main', 'bump', 'noop']).openapi({
            description: 'The transaction itself, a raise of its fee, or an empty one at its nonce.',
          }),
          sequence: z.number().int().nullable(),
          at: time.openapi({ description: 'When it was signed.' }),
          signedAtHeight: z.number().int().nullable().openapi({
            description: "The ledger's newest block when it was signed, as far as it was known.",
          }),
          settledAt: time.nullable().openapi({ description: 'When it was over for the action.' }),
          maxCost: z.string().openapi({
            description: "The most that it could take of the native currency, in the ledger's smallest unit.",
          }),
          fee: name('Of the one that the ledger executed: what was paid.'),
          blockHeight: z.number().int().nullable().openapi({ description: 'Of the same one: its block.' }),
          validUntil: z
            .number()
            .int()
            .nullable()
            .openapi({ description: 'The last block that may execute it; null: it does not expire.' }),
          replacedBy: name('The transaction that was signed next, in its place or after it.'),
          reason: name('Why it took the place of the one before.'),
        }),
      )
      .openapi({ description: 'Its transactions, oldest first.' }),
    waitingSince: time.nullable().openapi({
      description: 'Since when it waits for what pending says; null: it does not wait, or that is not known.',
    }),
    deadline: time.nullable().openapi({
      description:
        'While it is pending: when it fails unless it is signed by then; null: what is half done goes on.',
    }),
    steps: z.object({
      accepted: time,
      signed: time.nullable(),
      sent: time
        .nullable()
        .openapi({ description: 'When a node took it first; null: not yet, or not known.' }),
      ended: time.nullable(),
    }),
  })
  .openapi('ActionDetails');
