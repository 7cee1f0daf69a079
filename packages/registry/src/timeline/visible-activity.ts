import { type Principal, type ResourceType, systemUid } from '@ledger-ops/auth';
import type { Queries, SqlValue } from '@ledger-ops/store';

/** Adds a parameter to the statement and returns its placeholder. */
type AddParam = (value: SqlValue) => string;

const shared: readonly ResourceType[] = ['ledger', 'plugin', 'explorer'];
const sharedList = shared.map((type) => `'${type}'`).join(', ');

/**
 * SQL condition on rows named `timeline`: whether the caller may see the activity. One of these
 * must be true: a role of the identity and a role of the app both allow reading the resource
 * (assigned on it or above it); the deployer shares the resource; the resource is the caller's own
 * identity. If the resource was deleted, the roles must allow reading its type in its project.
 */
export function visibleActivity(
  dialect: Queries['dialect'],
  { serviceId, appUid }: Principal,
  param: AddParam,
): string {
  const contains = dialect === 'postgres' ? 'strpos' : 'instr';
  const granted = (holder: string) => `EXISTS (SELECT 1 FROM role_assignment AS a
    JOIN role AS r ON r.uid = a.role_uid JOIN resource_ancestor AS c ON c.ancestor_uid = a.resource_uid
    WHERE a.holder = ${param(holder)} AND c.resource_uid IN (timeline.resource_uid, timeline.scope)
      AND ${contains}(r.permissions, '"' || timeline.permission || '"') > 0)`;
  return `((${granted(`identity:${serviceId}`)} AND ${granted(`app:${appUid}`)})
    OR (timeline.scope = ${param(systemUid)} AND timeline.resource_type IN (${sharedList}))
    OR (timeline.resource_type = 'identity' AND timeline.resource_uid = ${param(serviceId)}))`;
}
