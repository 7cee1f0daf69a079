import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { namedProject } from './named-project.ts';

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
 * @throws Problem `conflict` where the id names several
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
    const named = await namedProject(read, auth, principal, { name: project, pointer: 'project' });
    return named === undefined ? null : { projectUid: named.uid, byWallet: false };
  }
  const { projectUid, projectId } = principal;
  if (project !== undefined && project !== projectId && project !== projectUid) return null;
  return { projectUid, byWallet: !(await reads(projectUid)) };
}
