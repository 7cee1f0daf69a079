import { type Principal, type ResourceType, systemUid } from '@ledger-ops/auth';
import type { Queries, SqlValue } from '@ledger-ops/store';

/** Adds a parameter to the statement; answers its name. */
type AddParam = (value: SqlValue) => string;

const shared: readonly ResourceType[] = ['ledger', 'plugin', 'explorer'];
const sharedList = shared.map((type) => `'${type}'`).join(', ');

/**
 * SQL, of rows named `timeline`: a role of the identity and one of the app let the caller read the resource, on it or above it; or the
 * deployer shares it; or it is the caller's own identity. A resource that is gone is shown to those who may read its type in its project.
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
