import { Problem } from '@ledger-ops/base';
import { forUpdate, type Tx } from '@ledger-ops/store';
import { and, eq, lte } from 'drizzle-orm';

/** Maximum number of PENDING versions of a project, and of all projects of an organization. */
export const maxPending = { project: 100, organization: 300 } as const;

/** A version to compile. */
export type PendingRow = Tx['t']['specification']['$inferSelect'];

/** A claimed version and its organization. */
export interface Taken {
  readonly row: PendingRow;
  readonly organization: string;
}

/**
 * Chooses the next version to compile on this server. Alternates between organizations, and between the
 * projects of an organization.
 */
export interface Turns {
  /**
   * Claims the next version of an organization that is not busy; other servers cannot claim it before
   * `until`. Returns undefined if no version is waiting, and null if another server claimed the version first
   * (try again).
   */
  take(tx: Tx, at: number, until: number, busy: ReadonlySet<string>): Promise<Taken | null | undefined>;
}

type Candidate = { id: number; project: string; organization: string };

export function createTurns(): Turns {
  /** Counter value at the last compilation of each organization and project. */
  const last = new Map<string, number>();
  let turn = 0;
  const byTurn = (a: Candidate, b: Candidate) =>
    (last.get(a.organization) ?? 0) - (last.get(b.organization) ?? 0) ||
    (last.get(a.project) ?? 0) - (last.get(b.project) ?? 0) ||
    a.id - b.id;

  return {
    async take(tx, at, until, busy) {
      const candidates = await tx.all<Candidate>(
        `SELECT min(s.id) AS id, t.project_id AS project, coalesce(p.organization_uid, t.project_id) AS organization
           FROM specification s JOIN template t ON t.uid = s.template_uid LEFT JOIN project p ON p.uid = t.project_id
          WHERE s.status = 'PENDING' AND s.due_at <= $1
          GROUP BY t.project_id, p.organization_uid`,
        [at],
      );
      const [next] = candidates.filter(({ organization }) => !busy.has(organization)).toSorted(byTurn);
      if (next === undefined) return undefined;
      turn += 1;
      last.set(next.organization, turn).set(next.project, turn);
      const { specification } = tx.t;
      const due = and(
        eq(specification.id, next.id),
        eq(specification.status, 'PENDING'),
        lte(specification.dueAt, at),
      );
      const [found] = await forUpdate(tx, tx.db.select().from(specification).where(due));
      if (found === undefined) return null;
      const [row] = await tx.db
        .update(specification)
        .set({ dueAt: until, attempts: found.attempts + 1 })
        .where(eq(specification.uid, found.uid))
        .returning();
      return row === undefined ? null : { row, organization: next.organization };
    },
  };
}

/** @throws Problem `too-many-requests` when too many versions of the project or its organization are PENDING already */
export async function refuseTooManyPending(tx: Tx, projectUid: string): Promise<void> {
  const { project, organization } = tx.t;
  const [its] = await tx.db
    .select({ organizationUid: project.organizationUid })
    .from(project)
    .where(eq(project.uid, projectUid));
  const organizationUid = its?.organizationUid ?? '';
  // Holds the lock until the transaction ends, so that concurrent requests are counted one after the other.
  await forUpdate(
    tx,
    tx.db.select({ uid: organization.uid }).from(organization).where(eq(organization.uid, organizationUid)),
  );
  const rows = await tx.all<{ project: string; pending: number }>(
    `SELECT t.project_id AS project, count(*) AS pending
       FROM specification s JOIN template t ON t.uid = s.template_uid LEFT JOIN project p ON p.uid = t.project_id
      WHERE s.status = 'PENDING' AND (t.project_id = $1 OR p.organization_uid = $2)
      GROUP BY t.project_id`,
    [projectUid, organizationUid],
  );
  const own = Number(rows.find((row) => row.project === projectUid)?.pending ?? 0);
  const all = rows.reduce((sum, { pending }) => sum + Number(pending), 0);
  if (own >= maxPending.project) throw tooMany(maxPending.project, 'project');
  if (all >= maxPending.organization) throw tooMany(maxPending.organization, 'organization');
}

function tooMany(count: number, whose: 'project' | 'organization'): Problem {
  const detail = `${count} versions of this ${whose} are already waiting to be compiled. Try again later.`;
  return new Problem('too-many-requests', detail, { retryAfter: 60 });
}
