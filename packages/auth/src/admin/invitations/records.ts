import type { Queries, Tables } from '@ledger-ops/store';
import { and, inArray, ne } from 'drizzle-orm';
import { z } from 'zod';
import { type ResourceView, type RoleView, resourceViews, roleView } from '../records.ts';
import { type InvitationState, invitationStates } from './states.ts';

export interface InvitationView {
  id: number;
  /** Token that identifies the invitation. It does not authenticate anyone. */
  token: string;
  organizationId: string;
  email: string;
  state: InvitationState;
  subject: string | null;
  message: string | null;
  roles: { id: number; resource: ResourceView; role: RoleView }[];
  /** serviceId. */
  createdBy: string;
  /** Milliseconds since the epoch, as is `expiresAt`. */
  createdAt: number;
  expiresAt: number;
}

export type InvitationRow = Tables['invitation']['$inferSelect'];
type RoleRow = Tables['invitationRole']['$inferSelect'];

const knownState = z.enum(invitationStates);

/** Returns the current state: a PENDING invitation that expired is EXPIRED even before the sweep marks it. */
export function stateOf(
  { state, expiresAt }: Pick<InvitationRow, 'state' | 'expiresAt'>,
  now: number,
): InvitationState {
  return state === 'PENDING' && expiresAt <= now ? 'EXPIRED' : knownState.parse(state);
}

/** Returns the offered roles of invitations, without those whose resource or role was deleted. */
export async function offersOf(queries: Queries, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { invitationRole, resource, role } = queries.t;
  const rows: RoleRow[] = await queries.db
    .select()
    .from(invitationRole)
    .where(inArray(invitationRole.invitationId, [...ids]))
    .orderBy(invitationRole.id);
  if (rows.length === 0) return [];
  const [resources, roles] = await Promise.all([
    queries.db
      .select()
      .from(resource)
      .where(
        and(
          inArray(
            resource.uid,
            rows.map(({ resourceUid }) => resourceUid),
          ),
          ne(resource.type, 'system'),
        ),
      ),
    queries.db
      .select()
      .from(role)
      .where(
        inArray(
          role.uid,
          rows.map(({ roleUid }) => roleUid),
        ),
      ),
  ]);
  return rows.flatMap(({ id, invitationId, resourceUid, roleUid }) => {
    const found = {
      resource: resources.find(({ uid }) => uid === resourceUid),
      role: roles.find(({ uid }) => uid === roleUid),
    };
    return found.resource === undefined || found.role === undefined
      ? []
      : [{ id, invitationId, resource: found.resource, role: found.role }];
  });
}

export async function invitationViews(
  queries: Queries,
  rows: readonly InvitationRow[],
  now: number,
): Promise<InvitationView[]> {
  if (rows.length === 0) return [];
  const { organization } = queries.t;
  const uids = [...new Set(rows.map(({ organizationUid }) => organizationUid))];
  const organizations = await queries.db.select().from(organization).where(inArray(organization.uid, uids));
  const names = new Map(organizations.map(({ uid, organizationId }) => [uid, organizationId]));
  const offered = await offersOf(
    queries,
    rows.map(({ id }) => id),
  );
  const views = await resourceViews(
    queries,
    offered.map(({ resource }) => resource),
  );
  const resources = new Map(views.map((view) => [view.uid, view]));
  return rows.map((row) => ({
    id: row.id,
    token: row.token,
    organizationId: names.get(row.organizationUid) ?? '',
    email: row.userEmail,
    state: stateOf(row, now),
    subject: row.emailSubject,
    message: row.message,
    roles: offered.flatMap(({ id, invitationId, resource, role }) => {
      const view = resources.get(resource.uid);
      return invitationId !== row.id || view === undefined
        ? []
        : [{ id, resource: view, role: roleView(role) }];
    }),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  }));
}
