import { Secret } from '@ledger-ops/base';
import type { RunningServer } from '@ledger-ops/server';
import { nextId, uuidv7 } from '@ledger-ops/store';
import { devIds } from './credentials.ts';
import type { DevFile } from './dev-file.ts';

type Person = NonNullable<DevFile['person']>;

/** Returns the user of an earlier start, or creates one, who can sign in to the console and owns the organization. */
export async function ensurePerson(
  { store, auth }: Pick<RunningServer, 'store' | 'auth'>,
  former: Person | undefined,
  newPassword: () => string,
): Promise<Person> {
  const isKnown = former !== undefined && (await identityOf(former.email)) !== undefined;
  const person = isKnown ? former : await addPerson();
  const [identity, project] = [await identityOf(person.email), await auth.projectByProjectId(devIds.project)];
  if (identity === undefined || project === null) throw new TypeError('A development record is missing.');
  const { organizationUid: resourceUid } = project;
  await store.transaction((tx) => auth.assignRole(tx, { holder: { identity }, role: 'owner', resourceUid }));
  return person;

  async function identityOf(email: string): Promise<string | undefined> {
    const [found] = await store.read.all<{ service_id: string }>(
      'SELECT service_id FROM identity WHERE identifier_key = $1',
      [email],
    );
    return found?.service_id;
  }

  async function addPerson(): Promise<Person> {
    const serviceId = uuidv7();
    // The password of an existing user is unknown, so the new user gets another name.
    const isTaken = (await identityOf('developer@localhost')) !== undefined;
    const email = `developer${isTaken ? `-${serviceId.slice(-6)}` : ''}@localhost`;
    const password = newPassword();
    const { initToken } = await store.transaction(async (tx) => {
      const now = Date.now();
      await tx.db.insert(tx.t.identity).values({
        ...{ serviceId, id: await nextId(tx, 'identity'), identifier: email, identifierKey: email },
        ...{ type: 'USER', status: 'PENDING', createdAt: now, updatedAt: now },
      });
      return await auth.createInitToken(tx, serviceId);
    });
    await auth.initUser({
      ...{ initToken, acceptTnC: true, client: { source: 'development' } },
      additional: { name: 'Developer', password: new Secret(password) },
    });
    return { email, password };
  }
}
