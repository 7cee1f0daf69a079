import { bundleActivities } from '@ledger-ops/auth';
import type { Tx } from '@ledger-ops/store';

/**
 * As the timeline names it. An action that is signed as it is accepted has no `sign` of its own.
 * `retract`: its ledger does not show its end any more; `reinstate`: it does again.
 */
export type Step =
  | 'accept'
  | 'sign'
  | 'continue'
  | 'cancel'
  | 'hurry'
  | 'succeed'
  | 'fail'
  | 'retract'
  | 'reinstate';

/** The columns of an action that its records are made of. */
export interface StepRow {
  id: string;
  given_id: string | null;
  project_id: string;
  wallet_uid: string;
  wallet_id: string;
}

/** Names of these columns, for RETURNING and SELECT. */
export const stepColumns = ['id', 'given_id', 'project_id', 'wallet_uid', 'wallet_id']
  .map((name) => `action.${name} AS ${name}`)
  .join(', ');

const itself = { serviceId: '', appId: '' };

/**
 * Writes steps of actions to the timeline, in the transaction that makes them. The resource is the wallet: who may read
 * that may read of its actions. `by`: who asked for it; absent: the service itself.
 */
export async function recordSteps(
  tx: Tx,
  steps: readonly { step: Step; row: StepRow; by?: { serviceId: string; appId: string } }[],
  now: number,
): Promise<void> {
  await bundleActivities(
    tx,
    steps.map(({ step, row, by = itself }) => ({
      actor: by,
      activity: {
        action: step,
        service: 'ledger-operations',
        resourceUid: row.wallet_uid,
        resourceId: row.wallet_id,
        resourceType: 'cloud-wallet',
        scope: row.project_id,
        targetObject: row.given_id ?? row.id,
      },
    })),
    now,
  );
}
