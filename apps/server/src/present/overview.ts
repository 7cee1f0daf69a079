import { z } from '@hono/zod-openapi';
import type { ActionOverview } from '@ledger-ops/runtime';
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
    creator: z.object({ serviceId: z.string(), appId: z.string() }),
  })
  .openapi('ActionOverview');
