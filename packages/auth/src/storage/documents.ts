import type { Queries, Tx } from '@ledger-ops/store';
import { bumpAccess } from '../access/access-version.ts';
import { countRecordsOf } from './records.ts';
import { addUsage, demandUsage, forgetUsage, organizationOf } from './usage.ts';

const name = 'document-bytes';

/**
 * Counts the bytes of a document that a transaction stored below a resource: a template version, a contract
 * interface, or an image. Outside organizations there is no limit.
 *
 * @throws Problem `storage-limit`
 */
export async function addDocument(tx: Tx, resourceUid: string, bytes: number): Promise<void> {
  const organization = await organizationOf(tx, resourceUid);
  if (organization === undefined) return;
  await addUsage(tx, { scope: organization, organization }, name, bytes, () =>
    countDocuments(tx, organization),
  );
}

/**
 * Deletes the count after a document was removed or replaced, so that the next use recounts the
 * documents.
 */
export async function recountDocuments(tx: Tx, resourceUid: string): Promise<void> {
  const organization = await organizationOf(tx, resourceUid);
  if (organization !== undefined) await forgetUsage(tx, organization, name);
}

/**
 * Checks the limits in advance, for transactions that must not fail after writing. Locks the counts until the
 * end of the transaction.
 *
 * @throws Problem `storage-limit` if a contract in a new group, with an interface of this size, would exceed
 * a limit
 */
export async function demandContractStorage(tx: Tx, projectUid: string, bytes: number): Promise<void> {
  const organization = await organizationOf(tx, projectUid);
  if (organization === undefined) return;
  // All changes to access lock the access counter before the counts, so that they do not deadlock.
  await bumpAccess(tx);
  await demandUsage(tx, organization, 'contracts', 1);
  await demandUsage(tx, organization, 'contract-groups', 1);
  // The contract and its group each need one owner role.
  await demandUsage(tx, organization, 'roles', 2, () => countRecordsOf(tx, organization, 'roles'));
  await demandUsage(tx, organization, name, bytes, () => countDocuments(tx, organization));
}

/**
 * Returns the organization that an identity's image counts toward: the organization of a service account, or
 * the first organization whose invitation a person accepted. People added by administrators of the
 * installation have no organization.
 */
export async function organizationOfIdentity(
  queries: Queries,
  serviceId: string,
): Promise<string | undefined> {
  const own = await organizationOf(queries, serviceId);
  if (own !== undefined) return own;
  const [row] = await queries.all<{ uid: string }>(
    `SELECT invitation.organization_uid AS uid FROM invitation
      JOIN identity ON identity.identifier = invitation.user_email AND identity.type <> 'SERVICE'
      WHERE identity.service_id = $1 AND invitation.state = 'ACCEPTED' ORDER BY invitation.id LIMIT 1`,
    [serviceId],
  );
  return row?.uid;
}

/** Total bytes of an organization's documents. */
export async function countDocuments(queries: Queries, organization: string): Promise<number> {
  const bytes = (...columns: string[]) =>
    columns.map((column) => `COALESCE(OCTET_LENGTH(${column}), 0)`).join(' + ');
  const below = 'resource_ancestor AS place ON place.ancestor_uid = $1 AND place.resource_uid';
  const [row] = await queries.all<{ bytes: number }>(
    `SELECT COALESCE(SUM(bytes), 0) AS bytes FROM (
        SELECT ${bytes('compilation', 'interface', 'code', 'source', 'messages')} AS bytes
          FROM specification JOIN ${below} = specification.template_uid
        UNION ALL SELECT ${bytes('interface', 'parsed_interface')} FROM contract JOIN ${below} = contract.uid
        UNION ALL SELECT ${bytes('bytes')} FROM image JOIN ${below} = SUBSTR(image.owner, 10)
          WHERE image.owner LIKE 'resource:%' OR image.owner LIKE 'identity:%'
        UNION ALL SELECT ${bytes('bytes')} FROM invitation
          JOIN identity ON identity.identifier = invitation.user_email AND identity.type <> 'SERVICE'
          JOIN image ON image.owner = 'identity:' || identity.service_id
          WHERE invitation.organization_uid = $1 AND invitation.state = 'ACCEPTED'
            AND NOT EXISTS (SELECT 1 FROM invitation AS former WHERE former.user_email = invitation.user_email
              AND former.state = 'ACCEPTED' AND former.id < invitation.id)) AS documents`,
    [organization],
  );
  return Number(row?.bytes ?? 0);
}
