import type { ListResult, Paging, Secret } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type Queries, type Tables, type Tx } from '@ledger-ops/store';
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import { bumpAccess } from '../access/access-version.ts';
import { checkName } from '../chosen-id.ts';
import { tokenHash } from '../credentials.ts';
import { recordChange } from '../timeline/record-change.ts';
import { scopeIdOf } from '../timeline/scope-ids.ts';
import { valueChanges } from '../timeline/value-changes.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandHeldOf } from './demand-held.ts';
import { demandOn, findResource, notFound } from './find.ts';
import {
  type ImageInput,
  imageOwner,
  imageUidOf,
  imageUrls,
  readImage,
  storeImage,
} from './images/images.ts';
import { listRecords } from './listing.ts';
import { all, any, below, named, visibilityOf, whether } from './visibility.ts';

export interface AppView {
  id: number;
  uid: string;
  appId: string;
  name: string;
  projectId: string;
  appUrl: string | null;
  imageUrl: string | null;
  redirectUris: string[];
  /** Whether the previous token is still valid. */
  formerToken: boolean;
}

/** The properties of an application that a client may set. */
export interface AppInput {
  readonly name?: string | undefined;
  /** Null if there is none. */
  readonly appUrl?: string | null | undefined;
  readonly redirectUris?: readonly string[] | undefined;
}

export interface Apps {
  /**
   * Creates an application. The caller becomes its owner. The application has no token until one is issued.
   *
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request`
   */
  create(
    principal: Principal,
    input: AppInput & { name: string; appId?: string | undefined; projectId?: string | undefined },
    claim?: IdempotencyClaim,
  ): Promise<AppView>;
  /** Absent members stay unchanged. @throws Problem `not-found`, `not-permitted`, `invalid-request` */
  update(principal: Principal, appId: string, input: AppInput): Promise<AppView>;
  /** @throws Problem `not-found`, `not-permitted`, `invalid-request` */
  setImage(principal: Principal, appId: string, image: ImageInput): Promise<AppView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, appId: string): Promise<AppView>;
  /** @throws Problem `not-found` */
  byToken(principal: Principal, token: Secret): Promise<AppView>;
  listOfProject(
    principal: Principal,
    project: string,
    query: Paging & { resourceId?: string | undefined; archived?: boolean | undefined },
  ): Promise<ListResult<AppView>>;
  /**
   * Issues a token, which is shown only once. The previous token is revoked. With `keepsFormer`, it stays
   * valid until `endFormerToken`. The caller must hold everything that the application's roles grant.
   *
   * @throws Problem `not-found`, `not-permitted`
   */
  issueToken(
    principal: Principal,
    appId: string,
    options?: { readonly keepsFormer?: boolean; readonly claim?: IdempotencyClaim | undefined },
  ): Promise<{ appId: string; appToken: string }>;
  /**
   * Revokes all tokens except the newest. Does nothing if there is only one.
   * @throws Problem `not-found`, `not-permitted`
   */
  endFormerToken(principal: Principal, appId: string): Promise<void>;
}

export function createApps(context: AdminContext): Apps {
  const { store, auth, now, baseUrl } = context;
  const service = 'apps';
  const { read } = store;
  const { app } = read.t;

  const one = async (queries: Queries, uid: string): Promise<AppView> => {
    const table = queries.t.app;
    const rows = await queries.db.select().from(table).where(eq(table.uid, uid));
    const [view] = await present(queries, rows, baseUrl);
    if (view === undefined) throw notFound('app');
    return view;
  };
  const write = async (tx: Tx, uid: string, { name, appUrl, redirectUris }: AppInput): Promise<void> => {
    await bumpAccess(tx);
    const table = tx.t.app;
    await tx.db
      .update(table)
      .set({
        ...(name === undefined ? {} : { name: checkName(name, '/name') }),
        ...(appUrl === undefined ? {} : { appUrl }),
        updatedAt: now(),
      })
      .where(eq(table.uid, uid));
    if (redirectUris !== undefined) await auth.setRedirectUris(tx, uid, redirectUris);
  };
  const find = (principal: Principal, verb: 'read' | 'update' | 'manage', id: string) =>
    demandOn(context, principal, verb, { id, type: 'app' });

  return {
    async create(principal, { name, appId, projectId = principal.projectUid, ...more }, claim) {
      const project = await findResource(context, principal, {
        id: projectId,
        type: 'project',
        pointer: '/projectId',
      });
      await auth.demand(principal, 'app:create', project.uid);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { uid } = await auth.createApp(tx, {
          name,
          ...(appId === undefined ? {} : { appId }),
          projectUid: project.uid,
          owner: principal.serviceId,
        });
        await write(tx, uid, more);
        await recordChange(tx, principal, uid, { action: 'create', service, targetObject: name }, now());
        return await one(tx, uid);
      });
    },

    async update(principal, appId, input) {
      const { uid } = await find(principal, 'update', appId);
      return await store.transaction(async (tx) => {
        const before = await one(tx, uid);
        await write(tx, uid, input);
        const view = await one(tx, uid);
        const changes = valueChanges({ before: setOf(before), after: setOf(view) });
        const change = { action: 'update', service, targetObject: view.name, changes } as const;
        await recordChange(tx, principal, uid, change, now());
        return view;
      });
    },

    async setImage(principal, appId, input) {
      const { uid } = await find(principal, 'update', appId);
      const image = readImage(input);
      return await store.transaction(async (tx) => {
        await storeImage(tx, imageOwner.resource(uid), image, now());
        await recordChange(tx, principal, uid, { action: 'update-image', service }, now());
        return await one(tx, uid);
      });
    },

    get: async (principal, appId) => await one(read, (await find(principal, 'read', appId)).uid),

    async byToken(principal, token) {
      const [row] = await read.db
        .select({ uid: app.uid })
        .from(app)
        .where(
          and(
            any(eq(app.tokenHash, tokenHash(token)), eq(app.formerTokenHash, tokenHash(token))),
            visibilityOf(read, principal, 'row').resources(app.uid, 'app'),
          ),
        );
      if (row === undefined) throw notFound('app');
      return await one(read, row.uid);
    },

    async listOfProject(principal, project, query) {
      const { resourceId } = query;
      return await listRecords(
        read,
        {
          table: app,
          columns: {
            id: app.id,
            name: app.name,
            appId: app.appId,
            appUrl: app.appUrl,
            imageUrl: imageUidOf(read, app.uid),
            projectId: scopeIdOf(app.projectUid),
            uid: app.uid,
            formerToken: isNotNull(app.formerTokenHash),
            createdAt: app.createdAt,
            updatedAt: app.updatedAt,
          },
          tieBreaker: app.id,
          where: all(
            visibilityOf(read, principal, 'set').resources(app.uid, 'app'),
            whether(query.archived, app.uid),
            below(app.uid, named('project', project), 'app'),
            resourceId ? any(eq(app.appId, resourceId), eq(app.uid, resourceId)) : undefined,
          ),
          present: (rows) => present(read, rows, baseUrl),
        },
        query,
      );
    },

    async issueToken(principal, id, { keepsFormer = false, claim } = {}) {
      const { uid } = await find(principal, 'manage', id);
      await demandHeldOf(context, principal, { app: uid });
      return await once(store, { claim, status: 201, secret: true }, async (tx) => {
        const token = await auth.issueAppToken(tx, uid, { keepsFormer });
        await recordChange(tx, principal, uid, { action: 'issue-token', service }, now());
        const { appId } = await one(tx, uid);
        return { appId, appToken: token.reveal() };
      });
    },

    async endFormerToken(principal, id) {
      const { uid } = await find(principal, 'manage', id);
      await store.transaction(async (tx) => {
        await auth.endFormerAppToken(tx, uid);
        await recordChange(tx, principal, uid, { action: 'end-former-token', service }, now());
      });
    },
  };
}

/** Returns the values that an update can change. */
const setOf = ({ name, appUrl, redirectUris }: AppView) => ({ name, appUrl, redirectUris });

async function present(
  queries: Queries,
  rows: readonly Tables['app']['$inferSelect'][],
  baseUrl: string,
): Promise<AppView[]> {
  if (rows.length === 0) return [];
  const { project, appRedirectUri } = queries.t;
  const uids = rows.map(({ uid }) => uid);
  const owners = uids.map(imageOwner.resource);
  const [images, projects, uris] = await Promise.all([
    imageUrls(queries, owners, baseUrl),
    queries.db
      .select({ uid: project.uid, projectId: project.projectId })
      .from(project)
      .where(
        inArray(
          project.uid,
          rows.map(({ projectUid }) => projectUid),
        ),
      ),
    queries.db
      .select()
      .from(appRedirectUri)
      .where(inArray(appRedirectUri.appUid, uids))
      .orderBy(appRedirectUri.uri),
  ]);
  const projectIds = new Map(projects.map(({ uid, projectId }) => [uid, projectId]));
  const redirects = Map.groupBy(uris, ({ appUid }) => appUid);
  return rows.map((row) => ({
    id: row.id,
    uid: row.uid,
    appUrl: row.appUrl,
    imageUrl: images.get(imageOwner.resource(row.uid)) ?? null,
    appId: row.appId,
    name: row.name,
    projectId: projectIds.get(row.projectUid) ?? '',
    redirectUris: (redirects.get(row.uid) ?? []).map(({ uri }) => uri),
    formerToken: row.formerTokenHash !== null,
  }));
}
