import type { Auth, Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { readableAmong } from './readable.ts';

export interface NamedProject {
  uid: string;
  projectId: string;
}

/**
 * Finds the project with an id or uid, among those that the caller may read; undefined if there is none.
 * Project ids are unique only within an organization: the caller's own project takes precedence, then a
 * project of the caller's organization. Otherwise, the id must match exactly one project.
 * @param pointer JSON Pointer of the id in the request
 * @throws Problem `conflict` if the id matches several projects
 */
export async function namedProject(
  read: Queries,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  { name, pointer }: { name: string; pointer: string },
): Promise<NamedProject | undefined> {
  const { projectUid, projectId, organizationUid } = principal;
  if (name === projectId) return { uid: projectUid, projectId };
  const rows = await read.all<{ uid: string; project_id: string; organization_uid: string }>(
    'SELECT uid, project_id, organization_uid FROM project WHERE project_id = $1 OR uid = $1',
    [name],
  );
  const uids = rows.map(({ uid }) => uid);
  const readable = await readableAmong(auth, principal, uids, 'project');
  const seen = rows.filter(({ uid }) => readable.has(uid));
  const near =
    seen.find(({ uid }) => uid === name) ??
    seen.find(({ organization_uid }) => organization_uid === organizationUid);
  const [first, second] = seen;
  if (near === undefined && second !== undefined) {
    const detail = `${name} matches several projects; use the resourceUUID`;
    throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }
  const found = near ?? first;
  return found === undefined ? undefined : { uid: found.uid, projectId: found.project_id };
}
