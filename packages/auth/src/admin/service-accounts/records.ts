import type { Queries, Tables } from '@ledger-ops/store';
import { inArray } from 'drizzle-orm';
import { z } from 'zod';
import type { ServiceAccountKeyRecord } from '../../grants/types.ts';

export type AccountRow = Tables['serviceAccount']['$inferSelect'];

const usability = z.enum(['ENABLED', 'DISABLED']);
/** Whether a credential may be used. */
export type Usability = z.infer<typeof usability>;

/** A service account. Times are milliseconds since the epoch. */
export interface ServiceAccountView {
  id: number;
  accountId: string;
  /** Id of its identity, which is also the uid of its resource. */
  serviceId: string;
  name: string;
  email: string;
  projectId: string;
  /** serviceId, as is `updatedBy`. */
  createdBy: string;
  updatedBy: string;
  createdAt: number;
  updatedAt: number;
}

/** An API token in listings, without the secret. */
export interface ApiTokenView {
  tokenId: string;
  status: Usability;
  createdAt: number;
}

/** A new API token; `apiToken` is the secret, shown once. */
export interface NewApiTokenView {
  tokenId: string;
  apiToken: string;
  status: Usability;
}

/** A key with which a service account signs its assertions, without the private part. */
export interface ServiceAccountKeyView {
  keyId: number;
  accountId: string;
  status: Usability;
  publicKey: string;
  publicKeyFormat: string;
  privateKeyFormat: string;
  /** serviceId. */
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

/** A generated key, which is also the content of the key file. The private key is returned only here. */
export interface GeneratedKeyView {
  accountId: string;
  keyId: number;
  /** PKCS #8, PEM. */
  privateKey: string;
  tokenUri: string;
}

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
    id: row.id,
    accountId: row.accountId,
    serviceId: row.serviceId,
    name: row.name,
    email: row.email,
    projectId: ids.get(row.projectUid) ?? '',
    createdBy: row.createdBy,
    updatedBy: row.updatedBy ?? row.createdBy,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }));
}

export function apiTokenView(row: Tables['apiToken']['$inferSelect']): ApiTokenView {
  return { tokenId: row.handle, status: usability.parse(row.status), createdAt: row.createdAt };
}

export function keyView(key: ServiceAccountKeyRecord, { accountId }: AccountRow): ServiceAccountKeyView {
  const { keyId, status, publicKey, publicKeyFormat, privateKeyFormat, createdAt, updatedAt } = key;
  return {
    keyId,
    accountId,
    status,
    publicKey,
    publicKeyFormat,
    privateKeyFormat,
    createdBy: key.generatedBy,
    createdAt,
    updatedAt,
  };
}
