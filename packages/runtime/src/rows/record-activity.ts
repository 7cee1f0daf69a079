import { bundleActivities } from '@ledger-ops/auth';
import type { Tx } from '@ledger-ops/store';
import { coSignersOf } from './co-signers.ts';
import { textList } from './sql.ts';

/**
 * Names of steps in the timeline. An action that is signed on acceptance has no separate `sign`. `retract`:
 * the ledger no longer contains the action's outcome. `reinstate`: the ledger contains it again.
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

/** The columns of an action that timeline records need. */
export interface StepRow {
  id: string;
  given_id: string | null;
  project_id: string;
  wallet_uid: string;
  wallet_id: string;
  receivers: string | null;
}

/** The columns of `StepRow`, for RETURNING and SELECT. */
export const stepColumns = ['id', 'given_id', 'project_id', 'wallet_uid', 'wallet_id', 'receivers']
  .map((name) => `action.${name} AS ${name}`)
  .join(', ');

const itself = { serviceId: '', appId: '' };

/**
 * Writes steps of actions to the timeline, in the same transaction as the steps. Each step gets one record for the
 * sending wallet and one for each co-signing wallet, so that everyone who may read one of these wallets sees the step.
 * `by` is the caller that requested the step; absent for the service itself.
 */
export async function recordSteps(
  tx: Tx,
  steps: readonly { step: Step; row: StepRow; by?: { serviceId: string; appId: string } }[],
  now: number,
): Promise<void> {
  const others = await readCoSigners(tx, steps);
  await bundleActivities(
    tx,
    steps.flatMap(({ step, row, by = itself }) =>
      [{ uid: row.wallet_uid, wallet_id: row.wallet_id }, ...(others.get(row.id) ?? [])].map((wallet) => ({
        actor: by,
        activity: {
          action: step,
          service: 'ledger-operations',
          resourceUid: wallet.uid,
          resourceId: wallet.wallet_id,
          resourceType: 'cloud-wallet',
          scope: row.project_id,
          targetObject: row.given_id ?? row.id,
        },
      })),
    ),
    now,
  );
}

/** Reads the co-signing wallets of actions, by action id. */
async function readCoSigners(tx: Tx, steps: readonly { row: StepRow }[]) {
  const byAction = new Map(steps.map(({ row }) => [row.id, coSignersOf(row.receivers)]));
  const uids = [...new Set([...byAction.values()].flat())];
  const rows =
    uids.length === 0
      ? []
      : await tx.all<{ uid: string; wallet_id: string }>(
          `SELECT uid, wallet_id FROM wallet WHERE uid IN ${textList(tx.dialect, '$1')}`,
          [JSON.stringify(uids)],
        );
  return new Map([...byAction].map(([id, its]) => [id, rows.filter(({ uid }) => its.includes(uid))]));
}
