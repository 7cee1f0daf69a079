import type { Queries, Tables } from '@ledger-ops/store';
import { inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { ServiceAccountKeyRecord } from '../../grants/types.ts';

/** A service account as the database has it. */
export type AccountRow = Tables['serviceAccount']['$inferSelect'];

const usability = z.enum(['ENABLED', 'DISABLED']);
/** Whether a credential may be used. */
export type Usability = z.infer<typeof usability>;

/** A service account (section 2.9). */
export const serviceAccountRecord = z
  .object({
    accountId: z.string(),
    createdBy: z.string().describe('serviceId'),
    dateCreated: z.int(),
    dateUpdated: z.int(),
    email: z.string(),
    id: z.int(),
    name: z.string(),
    project: z.string().describe('projectID'),
    resourceId: z.string(),
    updatedBy: z.string().describe('serviceId'),
    serviceId: z.string().describe('Its identity; also the resourceUUID.'),
  })
  .meta({ id: 'ServiceAccount' });
export type ServiceAccountView = z.infer<typeof serviceAccountRecord>;

/** An API token as listings show it: `apiToken` is its handle. */
export const apiTokenRecord = z
  .object({ apiToken: z.string(), status: usability, dateCreated: z.int() })
  .meta({ id: 'ApiToken' });
export type ApiTokenView = z.infer<typeof apiTokenRecord>;

/** A new API token; `apiToken` is the secret, shown once. */
export const newApiTokenRecord = z
  .object({ apiToken: z.string(), handle: z.string(), status: usability })
  .meta({ id: 'IssuedApiToken' });
export type NewApiTokenView = z.infer<typeof newApiTokenRecord>;

/** A public key (section 2.9). */
export const serviceAccountKeyRecord = z
  .object({
    dateCreated: z.int(),
    dateUpdated: z.int(),
    generatedBy: z.string(),
    id: z.int(),
    keyID: z.int(),
    privateKeyFormat: z.string(),
    publicKey: z.string(),
    publicKeyFormat: z.string(),
    serviceAccount: z.string(),
    status: usability,
  })
  .meta({ id: 'ServiceAccountKey' });
export type ServiceAccountKeyView = z.infer<typeof serviceAccountKeyRecord>;

/** A generated key (section 2.9), and the key file at once: the private key is shown this one time. */
export const generatedKeyRecord = z
  .object({
    identifier: z.string(),
    keyID: z.int(),
    privateKey: z.string().describe('PKCS #8, PEM.'),
    accountId: z.string(),
    keyId: z.int(),
    tokenUri: z.string(),
  })
  .meta({ id: 'GeneratedKey' });
export type GeneratedKeyView = z.infer<typeof generatedKeyRecord>;

/** Makes the records of service accounts. */
export async function serviceAccountViews(
  queries: Queries,
  rows: readonly AccountRow[],
): Promise<ServiceAccountView[]> {
  if (rows.length === 0) return [];
  const { project } = queries.t;
  const uids = [...new Set(rows.map(({ projectUid }) => projectUid))];
  const projects = await queries.db
    .select({ uid: project.uid, projectId: project.projectId })
    .from(project)
    .where(inArray(project.uid, uids));
  const ids = new Map(projects.map(({ uid, projectId }) => [uid, projectId]));
  return rows.map((row) => ({
    accountId: row.accountId,
    createdBy: row.createdBy,
    dateCreated: row.createdAt,
    dateUpdated: row.updatedAt,
    email: row.email,
    id: row.id,
    name: row.name,
    project: ids.get(row.projectUid) ?? '',
    resourceId: row.accountId,
    updatedBy: row.updatedBy ?? row.createdBy,
    serviceId: row.serviceId,
  }));
}

/** Makes the record of an API token. */
export function apiTokenView(row: Tables['apiToken']['$inferSelect']): ApiTokenView {
  return { apiToken: row.handle, status: usability.parse(row.status), dateCreated: row.createdAt };
}

/** Makes the record of a key. */
export function keyView(key: ServiceAccountKeyRecord, { accountId }: AccountRow): ServiceAccountKeyView {
  return {
    dateCreated: key.createdAt,
    dateUpdated: key.updatedAt,
    generatedBy: key.generatedBy,
    id: key.keyId,
    keyID: key.keyId,
    privateKeyFormat: key.privateKeyFormat,
    publicKey: key.publicKey,
    publicKeyFormat: key.publicKeyFormat,
    serviceAccount: accountId,
    status: key.status,
  };
}
