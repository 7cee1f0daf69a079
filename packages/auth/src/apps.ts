import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import { nextId, type Tx, uuidv7 } from '@ledger-ops/store';
import { eq, type SQL, sql } from 'drizzle-orm';
import { bumpAccess } from './access/access-version.ts';
import { addResource } from './access/resources.ts';
import { giveRole } from './access/role-assignments.ts';
import { applicationRole } from './access/roles.ts';
import { checkName, chosenId } from './chosen-id.ts';
import { tokenHash } from './credentials.ts';
import type { AppRecord } from './types.ts';

export interface NewApp {
  /** Default: a new uid. */
  uid?: string;
  appId?: string;
  projectUid: string;
  name: string;
  /** serviceId of the identity that gets the owner role. */
  owner?: string;
}

/**
 * Creates an application below its project and assigns it the role `application` on the project. By
 * default this role does not restrict what identities may do there.
 *
 * @throws Problem `already-exists`, `invalid-request`
 */
export async function addApp(tx: Tx, input: NewApp, now: number): Promise<AppRecord> {
  const appId = chosenId(input.appId, '/appId');
  const name = checkName(input.name, '/name');
  await bumpAccess(tx);
  const { app, project } = tx.t;
  const { projectUid } = input;
  const projects = await tx.db.select({ uid: project.uid }).from(project).where(eq(project.uid, projectUid));
  if (projects.length === 0)
    throw invalidRequest([{ pointer: '/projectId', detail: 'the project does not exist' }]);
  const record = {
    uid: input.uid ?? uuidv7(),
    id: await nextId(tx, 'app'),
    appId,
    projectUid,
    name,
    status: 'ENABLED' as const,
  };
  const added = await tx.db
    .insert(app)
    .values({ ...record, createdAt: now, updatedAt: now })
    .onConflictDoNothing({ target: [app.projectUid, app.appId] })
    .returning({ uid: app.uid });
  if (added.length === 0) {
    throw new Problem(
      'already-exists',
      `An application with the id ${appId} already exists in the project.`,
      {
        errors: [{ pointer: '/appId', detail: 'already exists' }],
      },
    );
  }
  await addResource(
    tx,
    {
      uid: record.uid,
      resourceId: appId,
      type: 'app',
      parentUid: projectUid,
      ...(input.owner === undefined ? {} : { owner: input.owner }),
    },
    now,
  );
  await giveRole(tx, { holder: { app: record.uid }, role: applicationRole, resourceUid: projectUid }, now);
  return record;
}

/**
 * Stores the hash of an application's new token. The previous token is revoked. With `keepsFormer`, it stays
 * valid until `endFormerAppToken`. If an older token is also valid, the older token is kept and the previous
 * token is revoked, because the previous token may never have been delivered.
 *
 * @throws Problem `not-found`
 */
export async function setAppToken(
  tx: Tx,
  appUid: string,
  token: Secret,
  now: number,
  { keepsFormer = false } = {},
): Promise<void> {
  const { app } = tx.t;
  const formerTokenHash = keepsFormer ? sql`coalesce(${app.formerTokenHash}, ${app.tokenHash})` : null;
  await changeApp(tx, appUid, { tokenHash: tokenHash(token), formerTokenHash, updatedAt: now });
}

/** Revokes all tokens of an application except the newest. @throws Problem `not-found` */
export async function endFormerAppToken(tx: Tx, appUid: string, now: number): Promise<void> {
  await changeApp(tx, appUid, { formerTokenHash: null, updatedAt: now });
}

/** SQL condition: a token with this hash is valid. `a` is the alias of an application, `hash` a parameter. */
export const hasToken = (a: string, hash: string) =>
  `(${a}.token_hash = ${hash} or ${a}.former_token_hash = ${hash})`;

/** @throws Problem `not-found` */
export async function changeAppStatus(
  tx: Tx,
  appUid: string,
  status: AppRecord['status'],
  now: number,
): Promise<void> {
  await changeApp(tx, appUid, { status, updatedAt: now });
}

async function changeApp(
  tx: Tx,
  appUid: string,
  set: {
    tokenHash?: string;
    formerTokenHash?: SQL | null;
    status?: AppRecord['status'];
    updatedAt: number;
  },
): Promise<void> {
  await bumpAccess(tx);
  const { app } = tx.t;
  const changed = await tx.db.update(app).set(set).where(eq(app.uid, appUid)).returning({ uid: app.uid });
  if (changed.length === 0) throw new Problem('not-found', 'The application does not exist.');
}
