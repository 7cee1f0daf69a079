import { z } from '@hono/zod-openapi';
import type { ActionDetails, ActionOverview } from '@ledger-ops/runtime';
import { actionBody, actionSchema } from './action.ts';
import { rfc3339 } from './dates.ts';

/** An action as all actions are listed: as the searches answer it, and what it did. */
export function overviewBody(action: ActionOverview) {
  const { projectId, type, contract, method, recipient, amount, fee, blockHeight, endedAt, creator } = action;
  return {
    ...actionBody(action),
    ...{ projectId, type, contract, method, recipient, amount, fee, blockHeight, creator },
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
    fee: name("Paid, in the ledger's smallest unit."),
    blockHeight: z.number().int().nullable(),
    endedAt: z.string().nullable().openapi({ format: 'date-time', description: 'Null while it is pending.' }),
    creator: z.object({ serviceId: z.string(), appId: z.string() }).openapi('ActionCreator'),
  })
  .openapi('ActionOverview');

/** An action by itself: as it is listed, and all that is kept of it. */
export function detailsBody(action: ActionDetails) {
  const { operation, deadline, attempts, signedAt, dependents } = action;
  const at = (time: number | null) => (time === null ? null : rfc3339(time));
  return {
    ...overviewBody(action),
    ...{ operation, dependents },
    attempts: attempts.map((one) => ({ ...one, at: rfc3339(one.at), settledAt: at(one.settledAt) })),
    deadline: action.status === 'PENDING' ? rfc3339(deadline) : null,
    steps: {
      accepted: rfc3339(action.createdAt),
      signed: at(signedAt),
      ended: at(action.endedAt),
    },
  };
}

const time = z.string().openapi({ format: 'date-time' });

/** Schema of {@link detailsBody}. */
export const detailsSchema = z
  .object({
    ...overviewSchema.shape,
    operation: z.record(z.string(), z.unknown()).openapi({
      description: 'The operation as it was accepted, with what meta changed, and without what is secret.',
    }),
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
          settledAt: time.nullable(),
          reason: name('Why it took the place of the one before.'),
        }),
      )
      .openapi({ description: 'Its transactions, oldest first.' }),
    deadline: time
      .nullable()
      .openapi({ description: 'While it is pending: signed later than that, it fails.' }),
    steps: z.object({ accepted: time, signed: time.nullable(), ended: time.nullable() }),
  })
  .openapi('ActionDetails');
