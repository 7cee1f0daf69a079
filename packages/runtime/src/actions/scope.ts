import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';

/** Which actions a caller may see: of all projects, or of one. */
export interface Scope {
  /** Null: all. */
  projectUid: string | null;
  /** Only of wallets that the caller may read, each by itself. */
  byWallet: boolean;
}

/**
 * Who may read wallets on the whole installation sees all projects; others their own; null: nothing of the project.
 * @param project id or uid; absent: all that the caller may see
 */
export async function scopeOf(
  read: Queries,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  project?: string,
): Promise<Scope | null> {
  const reads = async (uid: string) => (await auth.decide(principal, ['wallet:read'], uid)).result;
  if (await reads(systemUid)) {
    if (project === undefined) return { projectUid: null, byWallet: false };
    const [row] = await read.all<{ uid: string }>(
      'SELECT uid FROM project WHERE project_id = $1 OR uid = $1 LIMIT 1',
      [project],
    );
    return row === undefined ? null : { projectUid: row.uid, byWallet: false };
  }
  const { projectUid, projectId } = principal;
  if (project !== undefined && project !== projectId && project !== projectUid) return null;
  return { projectUid, byWallet: !(await reads(projectUid)) };
}
