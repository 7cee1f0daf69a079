import type { Queries } from '@ledger-ops/store';

/** Id of a project as people see it; undefined: it is deleted. */
export async function projectNameOf(read: Queries, uid: string): Promise<string | undefined> {
  const [row] = await read.all<{ name: string }>('SELECT project_id AS name FROM project WHERE uid = $1', [
    uid,
  ]);
  return row?.name;
}
