import { type Principal, recordActivity, type Update, valueChanges } from '@ledger-ops/auth';
import type { Tx } from '@ledger-ops/store';

/** The changed object in a project. */
export interface EventTarget {
  readonly type: 'webhook' | 'contract subscription';
  readonly id: string;
  readonly name: string;
  /** The changed values. */
  readonly update?: Update;
}

/** Records a change to a webhook or contract subscription of the caller's project. */
export async function recordEventActivity(
  tx: Tx,
  principal: Principal,
  action: string,
  { type, id, name, update }: EventTarget,
  at: number,
): Promise<void> {
  const { projectUid: uid, projectId: resourceId } = principal;
  const resource = { resourceUid: uid, resourceId, resourceType: 'project', scope: uid } as const;
  const target = { targetObject: id, targetType: type, targetName: name };
  const changes = update === undefined ? [] : valueChanges(update);
  await recordActivity(tx, principal, { action, service: 'events', ...resource, ...target, changes }, at);
}
