import { bundleActivities } from '@ledger-ops/auth';
import type { Tx } from '@ledger-ops/store';
import { coSignersOf } from './co-signers.ts';
import { textList } from './sql.ts';

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
  receivers: string | null;
}

/** Names of these columns, for RETURNING and SELECT. */
export const stepColumns = ['id', 'given_id', 'project_id', 'wallet_uid', 'wallet_id', 'receivers']
  .map((name) => `action.${name} AS ${name}`)
  .join(', ');

const itself = { serviceId: '', appId: '' };

/**
 * Writes steps of actions to the timeline, in the transaction that makes them. The resource is the wallet, and once more each
 * that signs too: who may read it may read of its actions. `by`: who asked for it; absent: the service itself.
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

/** Wallets that sign too, by action. */
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
