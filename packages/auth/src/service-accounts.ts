import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import { nextId, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { bumpAccess } from './access/access-version.ts';
import { addResource } from './access/resources.ts';
import { checkName, chosenId } from './chosen-id.ts';
import { tokenHash } from './credentials.ts';
import { identifierKey, isAddress, normalIdentifier } from './identifier.ts';
import { afterStatusChange } from './login/identity-lock.ts';
import { addRecords } from './storage/records.ts';
import type { ServiceAccountRecord } from './types.ts';

export interface NewServiceAccount {
  accountId?: string;
  projectUid: string;
  name: string;
  /** Default: derived from the ids of the account, its project and its organization. */
  email?: string;
  /**
   * serviceId of the identity that gets the owner role; if undefined, the account itself (only for the first
   * one).
   */
  createdBy: string | undefined;
}

/** Whether a credential or its holder may be used. */
export type Usability = 'ENABLED' | 'DISABLED';

/**
 * Creates a service account: its identity, its record, and its resource below the project, whose uid is the
 * serviceId. The identity has the type SERVICE and the account's id as identifier, which is unique within the
 * project and can never equal a user's e-mail address.
 *
 * @param host domain of generated e-mail addresses; not allowed in given ones
 * @throws Problem `already-exists`, `invalid-request`
 */
export async function addServiceAccount(
  tx: Tx,
  input: NewServiceAccount,
  host: string,
  now: number,
): Promise<ServiceAccountRecord> {
  const accountId = chosenId(input.accountId, '/accountId');
  const name = checkName(input.name, '/name');
  if (input.email !== undefined && !isAddress(input.email)) {
    throw invalidRequest([{ pointer: '/email', detail: 'must be an e-mail address' }]);
  }
  await bumpAccess(tx);
  const { identity, serviceAccount } = tx.t;
  const { projectUid } = input;
  const own = await ownAddress(tx, accountId, projectUid, host);
  if (own === undefined)
    throw invalidRequest([{ pointer: '/projectId', detail: 'the project does not exist' }]);
  const email = input.email === undefined ? own : normalIdentifier(input.email);
  const emailKey = identifierKey(email);
  if (isBelow(emailKey, host) && emailKey !== identifierKey(own)) {
    const detail = `must not end in ${host}, which is reserved for generated addresses; omit the address or use ${own}`;
    throw invalidRequest([{ pointer: '/email', detail }]);
  }
  const serviceId = uuidv7();
  const times = { createdAt: now, updatedAt: now };
  const id = await nextId(tx, 'service_account');
  const record: ServiceAccountRecord = { id, accountId, serviceId, projectUid, name, email };
  const createdBy = input.createdBy ?? serviceId;
  const added = await tx.db
    .insert(serviceAccount)
    .values({ ...record, emailKey, createdBy, ...times })
    .onConflictDoNothing()
    .returning({ accountId: serviceAccount.accountId });
  if (added.length === 0) throw await taken(tx, record);
  await tx.db.insert(identity).values({
    serviceId,
    id: await nextId(tx, 'identity'),
    identifier: accountId,
    identifierKey: serviceId,
    type: 'SERVICE',
    status: 'ENABLED',
    displayName: name,
    ...times,
  });
  await addResource(
    tx,
    {
      uid: serviceId,
      resourceId: accountId,
      type: 'service-account',
      parentUid: projectUid,
      owner: createdBy,
    },
    now,
  );
  return record;
}

/** Returns the generated address of an account. Each project has its own domain for these. */
async function ownAddress(
  tx: Tx,
  accountId: string,
  projectUid: string,
  host: string,
): Promise<string | undefined> {
  const { project, organization } = tx.t;
  const [home] = await tx.db
    .select({
      project: project.projectId,
      organization: organization.organizationId,
      organizationUid: organization.uid,
    })
    .from(project)
    .innerJoin(organization, eq(organization.uid, project.organizationUid))
    .where(eq(project.uid, projectUid));
  if (home === undefined) return undefined;
  return `${accountId}@${labelOf(home.project, projectUid)}.${labelOf(home.organization, home.organizationUid)}.${host}`;
}

/**
 * One label of a domain: the id, or the uid if dots or capitals in the id could make it equal the domain of
 * another id.
 */
function labelOf(id: string, uid: string): string {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(id) ? id : uid;
}

function isBelow(address: string, host: string): boolean {
  return address.endsWith(`@${host}`) || address.endsWith(`.${host}`);
}

/**
 * Determines which part of an account is already taken: its id or its address. Both are unique in the
 * project.
 */
async function taken(tx: Tx, { accountId, projectUid, email }: ServiceAccountRecord): Promise<Problem> {
  const { serviceAccount } = tx.t;
  const same = await tx.db
    .select({ accountId: serviceAccount.accountId })
    .from(serviceAccount)
    .where(and(eq(serviceAccount.projectUid, projectUid), eq(serviceAccount.accountId, accountId)));
  const [pointer, what] =
    same.length > 0 ? ['/accountId', `the id ${accountId}`] : ['/email', `the e-mail address ${email}`];
  return new Problem('already-exists', `A service account with ${what} already exists in the project.`, {
    errors: [{ pointer, detail: 'already exists' }],
  });
}

/**
 * Stores the hash of an API token of a service account. Returns the token's handle.
 * @throws Problem `not-found`
 */
export async function addApiToken(tx: Tx, serviceId: string, token: Secret, now: number): Promise<string> {
  await bumpAccess(tx);
  const { apiToken, serviceAccount } = tx.t;
  const accounts = await tx.db
    .select({ serviceId: serviceAccount.serviceId })
    .from(serviceAccount)
    .where(eq(serviceAccount.serviceId, serviceId));
  if (accounts.length === 0) throw new Problem('not-found', 'The service account does not exist.');
  const handle = uuidv7();
  await tx.db
    .insert(apiToken)
    .values({ handle, serviceId, hash: tokenHash(token), status: 'ENABLED', createdAt: now });
  await addRecords(tx, serviceId, 'credentials');
  return handle;
}

/** @throws Problem `not-found` */
export async function changeApiTokenStatus(tx: Tx, handle: string, status: Usability): Promise<void> {
  await bumpAccess(tx);
  const { apiToken } = tx.t;
  const changed = await tx.db
    .update(apiToken)
    .set({ status })
    .where(eq(apiToken.handle, handle))
    .returning({ handle: apiToken.handle });
  if (changed.length === 0) throw new Problem('not-found', 'The API token does not exist.');
}

/** @throws Problem `not-found` */
export async function changeIdentityStatus(
  tx: Tx,
  serviceId: string,
  status: Usability,
  now: number,
): Promise<void> {
  await bumpAccess(tx);
  const { identity } = tx.t;
  const changed = await tx.db
    .update(identity)
    .set({ status, updatedAt: now })
    .where(eq(identity.serviceId, serviceId))
    .returning({ serviceId: identity.serviceId });
  if (changed.length === 0) throw new Problem('not-found', 'The identity does not exist.');
  await afterStatusChange(tx, serviceId, status, now);
}
