import { type Principal, recordActivity, type Update, valueChanges } from '@ledger-ops/auth';
import type { Tx } from '@ledger-ops/store';

/** The webhook or contract subscription that was changed. */
export interface EventTarget {
  readonly type: 'webhook' | 'contract subscription';
  readonly id: string;
  readonly name: string;
  /** The changed values. */
  readonly update?: Update;
}

/** Adds a timeline record about a change of a webhook or contract subscription in the caller's project. */
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
