import type { Secret } from '@ledger-ops/base';
import { nextId, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { bumpAccess } from './access/access-version.ts';
import { placeBelow } from './access/resources.ts';
import { giveRole } from './access/role-assignments.ts';
import { administratorRole, builtInRoles } from './access/roles.ts';
import { systemUid } from './access/system-uid.ts';
import { addApp, setAppToken } from './apps.ts';
import { checkToken, newToken } from './credentials.ts';
import { addOrganization, addProject } from './organizations.ts';
import { addApiToken, addServiceAccount } from './service-accounts.ts';
import { serviceItself } from './timeline/record-activity.ts';
import { recordChange } from './timeline/record-change.ts';
import type { AuthConfig, BootstrapResult } from './types.ts';

export interface BootstrapOptions {
  readonly store: Store;
  readonly config: Pick<AuthConfig, 'baseUrl'>;
  /** Milliseconds since the epoch; default: the system clock. */
  readonly now?: () => number;
  /**
   * Credentials from the environment, used instead of generated ones. Ignored if the database is not empty.
   */
  readonly credentials?: { readonly applicationToken?: Secret; readonly apiToken?: Secret };
}

/** Id of the first organization, project and application. */
export const administrationId = 'administration';
const administratorId = 'administrator';

/**
 * Fills an empty database in one transaction: with the system resource, the built-in roles, and an
 * administrator service account with an application. If several servers start at the same time, only one can
 * insert the system resource. If the database is not empty, only updates the built-in roles to this version.
 *
 * @throws Problem `invalid-request` if a given credential has the wrong form
 */
export async function bootstrap(options: BootstrapOptions): Promise<BootstrapResult> {
  const { credentials = {} } = options;
  const given = {
    applicationToken:
      credentials.applicationToken &&
      checkToken('application', credentials.applicationToken, 'applicationToken'),
    apiToken: credentials.apiToken && checkToken('api', credentials.apiToken, 'apiToken'),
  };
  const now = (options.now ?? Date.now)();
  return await options.store.transaction(async (tx) => {
    await bumpAccess(tx);
    const first = await addSystem(tx, now);
    await writeRoles(tx);
    if (!first) return { systemUid, administrator: null };

    const organization = await addOrganization(
      tx,
      { organizationId: administrationId, name: 'Administration' },
      now,
    );
    const project = await addProject(
      tx,
      { projectId: administrationId, organizationUid: organization.uid, name: 'Administration' },
      now,
    );
    const account = await addServiceAccount(
      tx,
      {
        accountId: administratorId,
        projectUid: project.uid,
        name: 'Administrator',
        createdBy: undefined,
      },
      new URL(options.config.baseUrl).hostname,
      now,
    );
    const app = await addApp(
      tx,
      {
        appId: administrationId,
        projectUid: project.uid,
        name: 'Administration',
        owner: account.serviceId,
      },
      now,
    );
    for (const holder of [{ identity: account.serviceId }, { app: app.uid }]) {
      await giveRole(tx, { holder, role: administratorRole, resourceUid: systemUid }, now);
    }
    const made = [
      [organization, 'organization-projects'],
      [project, 'organization-projects'],
      [{ uid: account.serviceId, name: account.name }, 'service-accounts'],
      [app, 'apps'],
    ] as const;
    for (const [{ uid, name }, service] of made) {
      await recordChange(tx, serviceItself, uid, { action: 'create', service, targetObject: name }, now);
    }
    const applicationToken = given.applicationToken ?? newToken('application');
    const apiToken = given.apiToken ?? newToken('api');
    await setAppToken(tx, app.uid, applicationToken, now);
    await addApiToken(tx, account.serviceId, apiToken, now);
    return {
      systemUid,
      administrator: { accountId: account.accountId, appId: app.appId, applicationToken, apiToken },
    };
  });
}

/** Returns false if the system resource already exists. */
async function addSystem(tx: Tx, now: number): Promise<boolean> {
  const { resource } = tx.t;
  const known = await tx.db.select({ uid: resource.uid }).from(resource).where(eq(resource.uid, systemUid));
  if (known.length > 0) return false;
  const added = await tx.db
    .insert(resource)
    .values({
      uid: systemUid,
      id: await nextId(tx, 'resource'),
      resourceId: 'system',
      type: 'system',
      parentUid: null,
      idScope: 'system',
      createdAt: now,
    })
    .onConflictDoNothing({ target: resource.uid })
    .returning({ uid: resource.uid });
  if (added.length === 0) return false;
  await placeBelow(tx, { uid: systemUid, type: 'system', parentUid: null });
  return true;
}

async function writeRoles(tx: Tx): Promise<void> {
  const { role } = tx.t;
  for (const { name, roleType, description, permissions } of builtInRoles) {
    const current = { description, permissions: JSON.stringify(permissions) };
    const updated = await tx.db
      .update(role)
      .set(current)
      .where(and(eq(role.roleType, roleType), eq(role.name, name)))
      .returning({ uid: role.uid });
    if (updated.length > 0) continue;
    await tx.db
      .insert(role)
      .values({ uid: uuidv7(), id: await nextId(tx, 'role'), name, roleType, ...current });
  }
}
