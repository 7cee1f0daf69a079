import type { Store, Tx } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { bumpAccess } from './access/access-version.ts';
import { systemUid } from './access/resources.ts';
import { giveRole } from './access/role-assignments.ts';
import { administratorRole } from './access/roles.ts';
import { addApp } from './apps.ts';
import { isLoopback } from './authorize/loopback.ts';
import { redirectUrisOf, replaceRedirectUris } from './authorize/redirect-uri.ts';
import { administrationId } from './bootstrap.ts';
import { serviceItself } from './timeline/record-activity.ts';
import { recordChange } from './timeline/record-change.ts';

/** The console's application, which has one uid in every installation. */
export const consoleAppUid = '00000000-0000-7000-8000-000000000001';
const consoleAppId = 'ledger-operations-console';

/** Where the console's sign-in ends: its one redirect URI. */
export function consoleCallback(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/console/callback`;
}

/**
 * Makes the console's application where there is none, and keeps its redirect URI that of this installation. It has no
 * token: anybody can load the console. An identity's own roles limit what is done through it. Where the service is
 * neither https nor on loopback nobody can sign in: codes would travel in the clear.
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
    // Servers that start at once come one after the other from here on.
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

/** False where the project that the first start made is gone. */
async function addConsole(tx: Tx, now: number): Promise<boolean> {
  const { project, organization } = tx.t;
  const [home] = await tx.db
    .select({ uid: project.uid })
    .from(project)
    .innerJoin(organization, eq(organization.uid, project.organizationUid))
    .where(and(eq(project.projectId, administrationId), eq(organization.organizationId, administrationId)));
  if (home === undefined) return false;
  const name = 'Console';
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
