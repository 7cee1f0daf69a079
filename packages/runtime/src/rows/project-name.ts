import type { Queries } from '@ledger-ops/store';

/** Returns the id of a project, as users know it; undefined if the project was deleted. */
export async function projectNameOf(read: Queries, uid: string): Promise<string | undefined> {
  const [row] = await read.all<{ name: string }>('SELECT project_id AS name FROM project WHERE uid = $1', [
    uid,
  ]);
  return row?.name;
}

/** Returns the uid of a project's organization. If the project was deleted, returns the project's own uid. */
export async function organizationOf(read: Queries, uid: string): Promise<string> {
  const [row] = await read.all<{ organization: string }>(
    'SELECT organization_uid AS organization FROM project WHERE uid = $1',
    [uid],
  );
  return row?.organization ?? uid;
}
