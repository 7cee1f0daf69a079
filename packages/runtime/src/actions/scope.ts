import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { namedProject } from './named-project.ts';

/** The actions that a caller may see: those of all projects, or those of one project. */
export interface Scope {
  /** Null means all projects. */
  projectUid: string | null;
  /** True if the caller may read only some wallets, so that each wallet must be checked. */
  byWallet: boolean;
}

/**
 * Returns the scope of all projects for a caller that may read the wallets of the whole installation, and otherwise the
 * scope of the caller's project. Returns null if the caller may not see the requested project.
 * @param project id or uid; if absent, everything that the caller may see
 * @throws Problem `conflict` if the id names several projects
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
