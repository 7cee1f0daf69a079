import type { Tables } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { notFound } from './find.ts';
import { all, any, visibilityOf } from './visibility.ts';

/** An identity as the database has it. */
export type IdentityRow = Tables['identity']['$inferSelect'];

/** By what an identity is named. */
export type IdentityKey = 'IDENTIFIER' | 'SERVICE_ID';

/**
 * The identity that a caller may see, by its serviceId, its identifier, or (nothing said) either.
 *
 * @throws Problem `not-found`
 */
export async function findIdentity(
  { store: { read } }: Pick<AdminContext, 'store'>,
  principal: Principal,
  id: string,
  { by, pointer }: { by?: IdentityKey; pointer?: string } = {},
): Promise<IdentityRow> {
  const { identity } = read.t;
  const byServiceId = eq(identity.serviceId, id);
  const byIdentifier = eq(identity.identifier, normalIdentifier(id));
  const named =
    by === undefined ? any(byServiceId, byIdentifier) : by === 'SERVICE_ID' ? byServiceId : byIdentifier;
  const rows = await read.db
    .select()
    .from(identity)
    .where(all(named, visibilityOf(read, principal, 'row').identities(identity.serviceId)));
  const row = rows.find(({ serviceId }) => serviceId === id) ?? rows[0];
  if (row === undefined) throw notFound('identity', pointer);
  return row;
}

/** E-mail addresses are kept in lower case; the ids of service accounts are as they were chosen. */
export function normalIdentifier(text: string): string {
  return text.includes('@') ? text.toLowerCase() : text;
}
