import { Problem } from '@ledger-ops/base';
import type { Queries, Tables } from '@ledger-ops/store';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { identifierKey } from '../identifier.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { notFound } from './find.ts';
import { all, any, permitted, visibilityOf } from './visibility.ts';

/** An identity as the database has it. */
export type IdentityRow = Tables['identity']['$inferSelect'];

/** By what an identity is named. */
export type IdentityKey = 'IDENTIFIER' | 'SERVICE_ID';

/**
 * The identity that a caller may see, by its serviceId, its identifier, or (nothing said) either.
 *
 * @param invitedTo uid of a resource: also whoever accepted an invitation into an organization above it, where the caller
 *   may invite. He sees that invitation, so that he learns nothing of addresses which he did not invite.
 * @throws Problem `not-found`, `conflict` when the identifier names several service accounts
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
  // Service accounts: their ids are unique in a project.
  const own = await read.db
    .select({ serviceId: serviceAccount.serviceId })
    .from(serviceAccount)
    .where(and(eq(serviceAccount.accountId, id), eq(serviceAccount.projectUid, principal.projectUid)));
  const near = rows.find(({ serviceId }) => serviceId === own[0]?.serviceId);
  if (near !== undefined) return near;
  const detail = 'names service accounts of several projects; use the serviceId';
  throw new Problem('conflict', `The identifier ${detail}.`, {
    ...(pointer === undefined ? {} : { errors: [{ pointer, detail }] }),
  });
}

/** Condition: the identity accepted an invitation into an organization above the resource, where the caller may invite. */
function hasAccepted(queries: Queries, principal: Principal, resourceUid: string): SQL {
  const { identity } = queries.t;
  const mayInvite = permitted(queries, principal, sql`i.organization_uid`, 'organization:invite');
  return sql`exists (select 1 from invitation i where i.user_email = ${identity.identifier} and ${identity.type} <> 'SERVICE' and i.state = 'ACCEPTED' and i.organization_uid in (select above.ancestor_uid from resource_ancestor above where above.resource_uid = ${resourceUid}) and ${mayInvite})`;
}

/** Condition: the identity has one of the identifiers; of a person in any spelling. */
export function namesIdentity({ t: { identity } }: Queries, identifiers: readonly string[]): SQL {
  return any(
    inArray(identity.identifierKey, identifiers.map(identifierKey)),
    inArray(identity.identifier, [...identifiers]),
  );
}
