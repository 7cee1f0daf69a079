import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Problem, Secret } from '@ledger-ops/base';
import { nextId, type Queries, type Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { bumpAccess } from '../access/access-version.ts';
import type { Usability } from '../service-accounts.ts';
import { addRecords } from '../storage/records.ts';
import type { KeyFile, PreparedKey, ServiceAccountKeyRecord } from './types.ts';

/** Generates an RSA key pair of 2,048 bits. */
export async function prepareKey(): Promise<PreparedKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey, privateKey: new Secret(privateKey) };
}

/**
 * Stores the public key of a pair; the private key is returned and not stored. @throws Problem `not-found`
 */
export async function addKey(
  tx: Tx,
  input: { serviceId: string; generatedBy: string; prepared: PreparedKey },
  tokenUri: string,
  now: number,
): Promise<KeyFile> {
  const { serviceId, generatedBy, prepared } = input;
  await bumpAccess(tx);
  const { serviceAccount, serviceAccountKey } = tx.t;
  const [account] = await tx.db
    .select({ accountId: serviceAccount.accountId })
    .from(serviceAccount)
    .where(eq(serviceAccount.serviceId, serviceId));
  if (account === undefined) throw new Problem('not-found', 'The service account does not exist.');
  const keyId = await nextId(tx, 'service_account_key');
  await tx.db.insert(serviceAccountKey).values({
    keyId,
    serviceId,
    publicKey: prepared.publicKey,
    publicKeyFormat: 'SPKI_PEM',
    privateKeyFormat: 'PKCS8_PEM',
    status: 'ENABLED',
    generatedBy,
    createdAt: now,
    updatedAt: now,
  });
  await addRecords(tx, serviceId, 'credentials');
  return { accountId: account.accountId, keyId, privateKey: prepared.privateKey, tokenUri };
}

/** Returns an account's keys, oldest first; only those with `status`, if given. */
export async function keysOfAccount(
  queries: Queries,
  serviceId: string,
  status?: Usability,
): Promise<ServiceAccountKeyRecord[]> {
  const { serviceAccountKey: t } = queries.t;
  const rows = await queries.db
    .select()
    .from(t)
    .where(and(eq(t.serviceId, serviceId), status === undefined ? undefined : eq(t.status, status)))
    .orderBy(t.keyId);
  return rows.map(toRecord);
}

/** @throws Problem `not-found` */
export async function changeKeyStatus(
  tx: Tx,
  input: { serviceId: string; keyId: number; status: Usability },
  now: number,
): Promise<ServiceAccountKeyRecord> {
  await bumpAccess(tx);
  const { serviceAccountKey: t } = tx.t;
  const [row] = await tx.db
    .update(t)
    .set({ status: input.status, updatedAt: now })
    .where(and(eq(t.keyId, input.keyId), eq(t.serviceId, input.serviceId)))
    .returning();
  if (row === undefined) throw new Problem('not-found', 'The service account has no such key.');
  return toRecord(row);
}

function toRecord(
  row: Omit<ServiceAccountKeyRecord, 'status'> & { status: string },
): ServiceAccountKeyRecord {
  return { ...row, status: row.status === 'ENABLED' ? 'ENABLED' : 'DISABLED' };
}
