import { addUsage, changeUsage } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { BatchRefused, type NewAction } from '../model.ts';
import { textList } from '../sql.ts';

/** Name of the limit on the bytes that an organization stores in actions. */
export const actionBytesLimit = 'action-bytes';
/**
 * Maximum number of bytes of an action that is counted in memory (`SmallActionBytes`). An ordinary transfer is smaller,
 * so accepting it needs no additional SQL statement.
 */
const smallBytes = 4_096;

/** Parts of an action whose size the caller or the plugin determines. */
export type StoredTexts = Pick<NewAction, 'operation' | 'overrides' | 'plan' | 'context' | 'privateBytes'>;

/** Returns the number of bytes of an action that count toward the limit. */
export function actionBytes({ operation, overrides, plan, context, privateBytes }: StoredTexts): number {
  return (
    privateBytes +
    Buffer.byteLength(operation) +
    Buffer.byteLength(plan) +
    (overrides === null ? 0 : Buffer.byteLength(overrides)) +
    (context === null ? 0 : Buffer.byteLength(context))
  );
}

/** Whether the transaction that stores an action also counts it. */
export function isLarge(bytes: number): boolean {
  return bytes > smallBytes;
}

/**
 * Adds the sizes of a batch's large actions to the byte counts of their organizations. Must be called after the actions
 * are inserted: all transactions lock byte counts last, after dependencies and tallies. The byte counts stay locked
 * until the commit.
 *
 * @throws BatchRefused with the actions that exceed the limit of their organization
 */
export async function countActionBytes(tx: Tx, actions: readonly NewAction[]): Promise<void> {
  const large = actions
    .map((action) => {
      const { id, organizationUid: organization, privateBytes } = action;
      return { id, organization, privateBytes, bytes: actionBytes(action) };
    })
    .filter(({ bytes }) => isLarge(bytes));
  if (large.length === 0) return;
  const groups = Map.groupBy(large, ({ organization }) => organization);
  const refused = new Map<string, Problem>();
  for (const [organization, own] of [...groups].toSorted(byName)) {
    const sum = own.reduce((total, { bytes }) => total + bytes, 0);
    const scope = { scope: organization, organization };
    await addUsage(tx, scope, actionBytesLimit, sum, async () => sum).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      let remaining = Number(error.extensions.most) - Number(error.extensions.used);
      for (const { id, bytes } of own) {
        if (bytes > remaining) refused.set(id, error);
        else remaining -= bytes;
      }
    });
  }
  if (refused.size > 0) throw new BatchRefused(refused);
  await tx.insertMany(
    'large_action',
    ['action_id', 'organization_uid', 'bytes'],
    large.map(({ id, organization, bytes, privateBytes }) => [id, organization, bytes - privateBytes]),
  );
  const secret = large.filter(({ privateBytes }) => privateBytes > 0);
  if (secret.length === 0) return;
  await tx.insertMany(
    'private_data',
    ['action_id', 'organization_uid', 'bytes'],
    secret.map(({ id, organization, privateBytes }) => [id, organization, privateBytes]),
  );
}

/** Number of completed actions per transaction of `releasePrivateBytes`. */
const released = 500;

/**
 * Subtracts the sizes of private data of completed actions from the byte counts. The data was erased when the actions
 * completed.
 */
export async function releasePrivateBytes(store: Store): Promise<void> {
  for (let found = released; found === released; ) {
    found = await store.transaction(async (tx) => {
      const rows = await tx.all<Removed>(
        `DELETE FROM private_data WHERE action_id IN (SELECT private_data.action_id FROM private_data
            JOIN action ON action.id = private_data.action_id WHERE action.status <> 'PENDING' LIMIT ${released})
          RETURNING organization_uid AS organization, bytes`,
      );
      await subtract(tx, rows);
      return rows.length;
    });
  }
}

/**
 * Subtracts the sizes of actions that are about to be removed from the byte counts of their organizations. Actions that
 * were stored before the limit was introduced have no recorded size and are not subtracted.
 *
 * @param ids JSON list of the ids of these actions
 */
export async function removeActionBytes(tx: Tx, ids: string): Promise<void> {
  const among = textList(tx.dialect, '$1');
  const large: Removed[] = [];
  for (const table of ['large_action', 'private_data'])
    large.push(
      ...(await tx.all<Removed>(
        `DELETE FROM ${table} WHERE action_id IN ${among} RETURNING organization_uid AS organization, bytes`,
        [ids],
      )),
    );
  const small = await tx.all<Removed>(
    `SELECT project.organization_uid AS organization, SUM(action.stored_bytes) AS bytes FROM action
      JOIN project ON project.uid = action.project_id WHERE action.id IN ${among} AND action.stored_bytes > 0
      GROUP BY project.organization_uid`,
    [ids],
  );
  await subtract(tx, [...large, ...small]);
}

async function subtract(tx: Tx, removed: readonly Removed[]): Promise<void> {
  const groups = Map.groupBy(removed, ({ organization }) => organization);
  for (const [organization, own] of [...groups].toSorted(byName)) {
    const sum = own.reduce((total, { bytes }) => total + Number(bytes), 0);
    await changeUsage(tx, organization, actionBytesLimit, -sum);
  }
}

type Removed = Readonly<{ organization: string; bytes: number }>;

/** Order in which all transactions lock byte counts, so that they do not deadlock. */
export function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
