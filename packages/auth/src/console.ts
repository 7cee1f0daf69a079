import type { Store, Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { bumpAccess } from './access/access-version.ts';
import { giveRole } from './access/role-assignments.ts';
import { administratorRole } from './access/roles.ts';
import { systemUid } from './access/system-uid.ts';
import { addApp } from './apps.ts';
import { isLoopback } from './authorize/loopback.ts';
import { redirectUrisOf, replaceRedirectUris } from './authorize/redirect-uri.ts';
import { administrationId } from './bootstrap.ts';
import { serviceItself } from './timeline/record-activity.ts';
import { recordChange } from './timeline/record-change.ts';

/** Uid of the console's application, the same in every installation. */
export const consoleAppUid = '00000000-0000-7000-8000-000000000001';
const consoleAppId = 'ledger-operations-console';

/** Returns the console's only redirect URI, where its sign-in ends. */
export function consoleCallback(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/console/callback`;
}

/**
 * Creates the console's application if it is missing, and sets its redirect URI to that of this installation.
 * The application has no token, because anyone can load the console; the identity's own roles limit what can
 * be done with it. If the service uses neither https nor loopback, nobody can sign in, because codes would be
 * sent in the clear.
 */
export async function ensureConsole(options: {
  readonly store: Store;
  readonly baseUrl: string;
  readonly now: () => number;
}): Promise<void> {
  const { store, baseUrl, now } = options;
  const { protocol, hostname } = new URL(baseUrl);
  const uris = protocol === 'https:' || isLoopback(hostname) ? [consoleCallback(baseUrl)] : [];
  const known = await redirectUrisOf(store.read, consoleAppUid);
  if (known.length === 1 && known[0] === uris[0]) return;
  await store.transaction(async (tx) => {
    // Serializes servers that start at the same time.
    await bumpAccess(tx);
    if ((await hasConsole(tx)) || (await addConsole(tx, now()))) {
      await replaceRedirectUris(tx, consoleAppUid, uris);
    }
  });
}

async function hasConsole(tx: Tx): Promise<boolean> {
  const { app } = tx.t;
  return (await tx.db.select({ uid: app.uid }).from(app).where(eq(app.uid, consoleAppUid))).length > 0;
}

/** Returns false if the project of the first start no longer exists. */
async function addConsole(tx: Tx, now: number): Promise<boolean> {
  const { project, organization } = tx.t;
  const [home] = await tx.db
    .select({ uid: project.uid })
    .from(project)
    .innerJoin(organization, eq(organization.uid, project.organizationUid))
    .where(and(eq(project.projectId, administrationId), eq(organization.organizationId, administrationId)));
  if (home === undefined) return false;
  const name = 'Ledger Operations Console';
  await addApp(tx, { uid: consoleAppUid, appId: consoleAppId, projectUid: home.uid, name }, now);
  await giveRole(
    tx,
    { holder: { app: consoleAppUid }, role: administratorRole, resourceUid: systemUid },
    now,
  );
  const change = { action: 'create', service: 'apps', targetObject: name } as const;
  await recordChange(tx, serviceItself, consoleAppUid, change, now);
  return true;
}
