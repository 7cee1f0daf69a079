import { Problem } from '@ledger-ops/base';
import type { Queries, Tables } from '@ledger-ops/store';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { identifierKey } from '../identifier.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { notFound } from './find.ts';
import { all, any, permitted, visibilityOf } from './visibility.ts';

export type IdentityRow = Tables['identity']['$inferSelect'];

/** How a request names an identity: by serviceId or by identifier. */
export type IdentityKey = 'IDENTIFIER' | 'SERVICE_ID';

/**
 * Finds an identity that the caller may see, by its serviceId, by its identifier, or (if `by` is absent) by
 * either.
 *
 * @param invitedTo uid of a resource. If given, also finds identities that accepted an invitation into an
 * organization above the resource, if the caller may invite people to it. The caller can already see these
 * invitations, so no hidden address is revealed.
 * @throws Problem `not-found`, `conflict` if the identifier names several service accounts
 */
export async function findIdentity(
  { store: { read } }: Pick<AdminContext, 'store'>,
  principal: Principal,
  id: string,
  { by, pointer, invitedTo }: { by?: IdentityKey; pointer?: string; invitedTo?: string } = {},
): Promise<IdentityRow> {
  const { identity, serviceAccount } = read.t;
  const byServiceId = eq(identity.serviceId, id);
  const byIdentifier = namesIdentity(read, [id]);
  const named =
    by === undefined ? any(byServiceId, byIdentifier) : by === 'SERVICE_ID' ? byServiceId : byIdentifier;
  const seen = visibilityOf(read, principal, 'row').identities(identity.serviceId);
  const known = invitedTo === undefined ? seen : any(seen, hasAccepted(read, principal, invitedTo));
  const rows = await read.db.select().from(identity).where(all(named, known)).limit(50);
  const exact = rows.find(({ serviceId }) => serviceId === id);
  const [first, second] = exact === undefined ? rows : [exact];
  if (first === undefined) throw notFound('identity', pointer);
  if (second === undefined) return first;
  // Service account ids are unique only within a project.
  const own = await read.db
    .select({ serviceId: serviceAccount.serviceId })
    .from(serviceAccount)
    .where(and(eq(serviceAccount.accountId, id), eq(serviceAccount.projectUid, principal.projectUid)));
  const near = rows.find(({ serviceId }) => serviceId === own[0]?.serviceId);
  if (near !== undefined) return near;
  const detail = 'matches service accounts in several projects; use the serviceId';
  throw new Problem('conflict', `The identifier ${detail}.`, {
    ...(pointer === undefined ? {} : { errors: [{ pointer, detail }] }),
  });
}

/**
 * SQL condition: the identity accepted an invitation into an organization above the resource, and the caller
 * may invite people to that organization.
 */
function hasAccepted(queries: Queries, principal: Principal, resourceUid: string): SQL {
  const { identity } = queries.t;
  const mayInvite = permitted(queries, principal, sql`i.organization_uid`, 'organization:invite');
  return sql`exists (select 1 from invitation i where i.user_email = ${identity.identifier} and ${identity.type} <> 'SERVICE' and i.state = 'ACCEPTED' and i.organization_uid in (select above.ancestor_uid from resource_ancestor above where above.resource_uid = ${resourceUid}) and ${mayInvite})`;
}

/** SQL condition: the identity has one of the identifiers. Addresses of people match in any spelling. */
export function namesIdentity({ t: { identity } }: Queries, identifiers: readonly string[]): SQL {
  return any(
    inArray(identity.identifierKey, identifiers.map(identifierKey)),
    inArray(identity.identifier, [...identifiers]),
  );
}
