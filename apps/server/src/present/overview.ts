import { z } from '@hono/zod-openapi';
import type { ActionDetails, ActionOverview } from '@ledger-ops/runtime';
import { actionBody, actionSchema, overrideSchema } from './action.ts';
import { rfc3339 } from './dates.ts';
import { unitSchema } from './unit.ts';

/** Returns an action in listings: the members of a search result, and a summary of the operation. */
export function overviewBody(action: ActionOverview) {
  const { projectId, type, contract, method, recipient, amount, unit, fee, blockHeight, creator } = action;
  const { argumentsPreview, names, blockTime, endedAt } = action;
  return {
    ...actionBody(action),
    projectId,
    type,
    contract,
    method,
    argumentsPreview,
    recipient,
    names,
    amount,
    unit,
    fee,
    blockHeight,
    creator,
    blockTime: blockTime === null ? null : rfc3339(blockTime),
    endedAt: endedAt === null ? null : rfc3339(endedAt),
  };
}

const name = (description: string) => z.string().nullable().openapi({ description });

/** Schema of {@link overviewBody}. */
export const overviewSchema = z
  .object({
    ...actionSchema.shape,
    projectId: name('Id of the project; null if the project was deleted.'),
    type: z.enum(['transfer', 'contract_call', 'contract_deploy']).nullable(),
    contract: name('Id or address of the called contract, or the deployed template.'),
    method: name('The called method.'),
    argumentsPreview: z.array(z.string()).nullable().openapi({
      description: 'The first arguments of the method or constructor, shortened; null if there are none.',
    }),
    recipient: name('Receiving wallet or address.'),
    names: z
      .object({
        contract: name('Name of the registered contract, or of the deployed template.'),
        recipient: name('Id of the wallet at the receiving address.'),
        arguments: z.array(z.string().nullable()).openapi({
          description:
            'Ids of the wallets whose addresses are arguments, in the order of argumentsPreview; null for other arguments.',
        }),
      })
      .openapi('ActionNames')
      .openapi({
        description: 'Names of registered records that the caller may read; null if there is no such record.',
      }),
    amount: name("Native currency that the operation sends, in the ledger's smallest unit."),
    unit: unitSchema,
    fee: name(
      "The fee paid, in the ledger's smallest unit; null if it is not known yet, the plugin does not report it, or the ledger has no fees.",
    ),
    blockHeight: z.number().int().nullable().openapi({
      description:
        'The block of its transaction; null if it is not known yet, or the plugin does not report it.',
    }),
    blockTime: z.string().nullable().openapi({
      format: 'date-time',
      description:
        'When the block was produced, according to the ledger; null if it is not known yet, or the ledger does not report it, as on Fabric.',
    }),
    endedAt: z.string().nullable().openapi({ format: 'date-time', description: 'Null while pending.' }),
    creator: z.object({ serviceId: z.string(), appId: z.string() }).openapi('ActionCreator'),
  })
  .openapi('ActionOverview');

/** Returns a single action: the members of a listing, and all stored details. */
export function detailsBody(action: ActionDetails) {
  const { operation, overrides, deadline, attempts, signedAt, sentAt, dependsOn, dependents } = action;
  const at = (time: number | null) => (time === null ? null : rfc3339(time));
  return {
    ...overviewBody(action),
    traceId: action.traceId,
    operation,
    arguments: action.arguments,
    change: action.change,
    changes: action.changes,
    overrides,
    dependsOn,
    dependents,
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
      description:
        'Id of the W3C trace in which the action is accepted and executed, if traces are recorded.',
    }),
    operation: z.record(z.string(), z.unknown()).openapi({
      description: 'The operation as accepted, with the changes made by meta, without secrets.',
    }),
    arguments: z
      .array(z.string())
      .nullable()
      .openapi({ description: 'Arguments of the method or constructor as sent; null if there are none.' }),
    change: z
      .enum(['cancel', 'hurry'])
      .nullable()
      .openapi({ description: 'A requested change that has not completed yet.' }),
    changes: z.array(z.enum(['cancel', 'hurry'])).openapi({
      description:
        'Changes that can be requested now. Raising the fee, or canceling a signed action, is possible only if its transaction can be replaced or expires.',
    }),
    overrides: z.array(overrideSchema).openapi({
      description:
        'Values in the operation’s `options` that `meta` replaced, because `meta` takes precedence.',
    }),
    dependsOn: z
      .array(z.object({ actionId: z.string(), status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']) }))
      .openapi({ description: 'Dependencies that the caller may see.' }),
    dependents: z
      .array(z.string())
      .openapi({ description: 'The newest actions that depend on this action.' }),
    attempts: z
      .array(
        z.object({
          txId: z.string().openapi({
            description:
              'The ledger’s transaction id. With a remote plugin, the plugin’s id until the ledger’s id is known.',
          }),
          executed: z.boolean().openapi({ description: 'The ledger executed this transaction.' }),
          kind: z.enum(['main', 'bump', 'noop', 'outside']).openapi({
            description:
              '`main`: the operation’s transaction. `bump`: the same with a higher fee. `noop`: an empty transaction with the same nonce. `outside`: a transaction of another program that was named when the action was marked as executed.',
          }),
          sequence: z.number().int().nullable(),
          at: time.openapi({
            description:
              'When the transaction was signed. For `outside`: when the action was marked as executed.',
          }),
          signedAtHeight: z.number().int().nullable().openapi({
            description: 'The ledger’s newest known block when the transaction was signed.',
          }),
          settledAt: time
            .nullable()
            .openapi({ description: 'When the transaction was finished, or its action completed.' }),
          maxCost: name(
            'Maximum cost of the transaction in native currency, in the ledger’s smallest unit; null if the plugin does not report it.',
          ),
          fee: name('The fee paid, if the ledger executed this transaction and the plugin reports it.'),
          blockHeight: z.number().int().nullable().openapi({
            description:
              'The block of this transaction, if the ledger executed it and the plugin reports it.',
          }),
          validUntil: z.number().int().nullable().openapi({
            description:
              'The last block that may contain the transaction; null if the transaction does not expire.',
          }),
          replacedBy: name('The transaction that was signed next for the action; null for the newest one.'),
          reason: name('Why this transaction replaced the previous one.'),
        }),
      )
      .openapi({ description: 'Transactions of the action, oldest first.' }),
    waitingSince: time.nullable().openapi({
      description:
        'Since when the action waits for the pending reason; null if it does not wait, or the time is unknown.',
    }),
    deadline: time.nullable().openapi({
      description:
        'A pending action fails if it is not signed by this time; null if it is partly executed and continues without a deadline.',
    }),
    steps: z.object({
      accepted: time,
      signed: time.nullable(),
      sent: time.nullable().openapi({
        description:
          'When a node first accepted a transaction of the action; null if none has accepted one yet, or the time is unknown.',
      }),
      ended: time.nullable(),
    }),
  })
  .openapi('ActionDetails');
