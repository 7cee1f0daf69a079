import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import { nextId, type Tx, uuidv7 } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { bumpAccess } from './access-version.ts';
import { checkName, chosenId } from './chosen-id.ts';
import { tokenHash } from './credentials.ts';
import { isAddress } from './identifier.ts';
import { afterStatusChange } from './login/identity-lock.ts';
import { addResource } from './resources.ts';
import type { ServiceAccountRecord } from './types.ts';

/** A new service account. */
export interface NewServiceAccount {
  accountId?: string;
  projectUid: string;
  name: string;
  /** Absent: made from the account's and the project's id. */
  email?: string;
  /** serviceId of the identity that gets the owner role; undefined: the account itself (the first one). */
  createdBy: string | undefined;
}

/** Whether a credential or its holder may be used. */
export type Usability = 'ENABLED' | 'DISABLED';

/**
 * Creates a service account: its identity (type SERVICE, named by the account's id, which no user's e-mail
 * address can equal), its record, and its resource below the project, whose uid is the serviceId.
 *
 * @param host ends the e-mail address of accounts that were given none
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
  const { identity, project, serviceAccount } = tx.t;
  const { projectUid } = input;
  const [home] = await tx.db
    .select({ projectId: project.projectId })
    .from(project)
    .where(eq(project.uid, projectUid));
  if (home === undefined) throw invalidRequest([{ pointer: '/project', detail: 'there is no such project' }]);
  const email = input.email ?? `${accountId}@${home.projectId}.${host}`;
  const serviceId = uuidv7();
  const times = { createdAt: now, updatedAt: now };
  const named = await tx.db
    .insert(identity)
    .values({
      serviceId,
      id: await nextId(tx, 'identity'),
      identifier: accountId,
      identifierKey: accountId,
      type: 'SERVICE',
      status: 'ENABLED',
      displayName: name,
      ...times,
    })
    .onConflictDoNothing({ target: identity.identifierKey })
    .returning({ serviceId: identity.serviceId });
  if (named.length === 0) {
    throw new Problem('already-exists', `A service account with the id ${accountId} exists.`);
  }
  const id = await nextId(tx, 'service_account');
  const record: ServiceAccountRecord = { id, accountId, serviceId, projectUid, name, email };
  const createdBy = input.createdBy ?? serviceId;
  const added = await tx.db
    .insert(serviceAccount)
    .values({ ...record, createdBy, ...times })
    .onConflictDoNothing({ target: serviceAccount.email })
    .returning({ accountId: serviceAccount.accountId });
  if (added.length === 0) {
    throw new Problem('already-exists', 'A service account with this e-mail address exists.');
  }
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

/** Stores the hash of an API token of a service account. Answers its handle. @throws Problem `not-found` */
export async function addApiToken(tx: Tx, accountId: string, token: Secret, now: number): Promise<string> {
  await bumpAccess(tx);
  const { apiToken, serviceAccount } = tx.t;
  const accounts = await tx.db
    .select({ accountId: serviceAccount.accountId })
    .from(serviceAccount)
    .where(eq(serviceAccount.accountId, accountId));
  if (accounts.length === 0) throw new Problem('not-found', 'There is no such service account.');
  const handle = uuidv7();
  await tx.db
    .insert(apiToken)
    .values({ handle, accountId, hash: tokenHash(token), status: 'ENABLED', createdAt: now });
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
  if (changed.length === 0) throw new Problem('not-found', 'There is no such API token.');
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
  if (changed.length === 0) throw new Problem('not-found', 'There is no such identity.');
  await afterStatusChange(tx, serviceId, status);
}
