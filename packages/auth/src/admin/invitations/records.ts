import type { Queries, Tables } from '@ledger-ops/store';
import { and, inArray, ne } from 'drizzle-orm';
import { z } from 'zod';
import { resourceRecord, resourceViews, roleRecord, roleView } from '../records.ts';
import { type InvitationState, invitationStates } from './states.ts';

/** An invitation (section 2.9). */
export const invitationRecord = z
  .object({
    createdByIdentity: z.object({ serviceId: z.string() }),
    dateCreated: z.int(),
    dateExpires: z.int(),
    emailSubject: z.string().nullable(),
    id: z.int(),
    invitationResourceRoles: z.array(z.object({ id: z.int(), resource: resourceRecord, role: roleRecord })),
    invitationState: z.enum(invitationStates),
    invitationToken: z.string().describe('Names the invitation; proves nothing.'),
    message: z.string().nullable(),
    organizationId: z.string(),
    userEmail: z.string(),
  })
  .meta({ id: 'Invitation' });
export type InvitationView = z.infer<typeof invitationRecord>;

/** An invitation as the database has it. */
export type InvitationRow = Tables['invitation']['$inferSelect'];
type RoleRow = Tables['invitationRole']['$inferSelect'];

const knownState = z.enum(invitationStates);

/** The state as of now: a PENDING invitation that ran out is EXPIRED, whether or not it is marked. */
export function stateOf(
  { state, expiresAt }: Pick<InvitationRow, 'state' | 'expiresAt'>,
  now: number,
): InvitationState {
  return state === 'PENDING' && expiresAt <= now ? 'EXPIRED' : knownState.parse(state);
}

/** The roles that invitations offer: roles on resources that there still are. */
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

/** Makes the records of invitations. */
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
  const resources = new Map(views.map((view) => [view.resourceUUID, view]));
  return rows.map((row) => ({
    createdByIdentity: { serviceId: row.createdBy },
    dateCreated: row.createdAt,
    dateExpires: row.expiresAt,
    emailSubject: row.emailSubject,
    id: row.id,
    invitationResourceRoles: offered.flatMap(({ id, invitationId, resource, role }) => {
      const view = resources.get(resource.uid);
      return invitationId !== row.id || view === undefined
        ? []
        : [{ id, resource: view, role: roleView(role) }];
    }),
    invitationState: stateOf(row, now),
    invitationToken: row.token,
    message: row.message,
    organizationId: names.get(row.organizationUid) ?? '',
    userEmail: row.userEmail,
  }));
}
