import { invalidRequest, type PageBody, type Paging, Problem } from '@ledger-ops/base';
import {
  containsText,
  type IdempotencyClaim,
  nextId,
  once,
  type Queries,
  type Tx,
  uuidv7,
} from '@ledger-ops/store';
import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { bumpAccess } from '../access/access-version.ts';
import { holderKey } from '../access/role-assignments.ts';
import { checkName } from '../chosen-id.ts';
import { identifierKey, normalIdentifier, partOfIdentifier } from '../identifier.ts';
import { afterStatusChange } from '../login/identity-lock.ts';
import type { Actor } from '../timeline/record-activity.ts';
import { type Change, recordChange } from '../timeline/record-change.ts';
import type { OperationPermission, Principal } from '../types.ts';
import { keepAnAdministrator } from './administrators.ts';
import type { AdminContext } from './context.ts';
import { demandHeldOf } from './demand-held.ts';
import { demandSystem, findResources, notFound } from './find.ts';
import { findIdentity, type IdentityKey, type IdentityRow, namesIdentity } from './find-identity.ts';
import { type ImageInput, imageOwner, imageUrls, readImage, storeImage } from './images/images.ts';
import { listRecords } from './listing.ts';
import { initMail } from './mail/mails.ts';
import { type IdentityView, identityRecord } from './records.ts';
import { all, any, type Evaluation, visibilityOf } from './visibility.ts';

/** States of an identity (section 3). */
export const identityStatuses = ['ENABLED', 'DISABLED', 'LOCKED', 'PENDING'] as const;
export type IdentityStatus = (typeof identityStatuses)[number];

/** Free settings of an identity (section 2.9). */
export interface IdentityConfig {
  items: { key: string; value: string }[];
}

/** A new identity. Its status is not chosen: a USER is PENDING until they set a password. */
export interface NewIdentity {
  readonly identifier: string;
  readonly displayName?: string | undefined;
  readonly type: 'USER' | 'SAML' | 'SERVICE';
}

/** A permission on the record of a service account, and the one on the installation for everybody else. */
type IdentityPermission = OperationPermission & {
  readonly needs: readonly [`service-account:${'update' | 'manage'}`, 'system:manage'];
};

/** Who may change identities: what is demanded here is what the routes declare and the documentation shows. */
export const identityPermissions = {
  change: {
    needs: ['service-account:update', 'system:manage'],
    on: 'self',
    also: ['service-account:read'],
  },
  setStatus: {
    needs: ['service-account:manage', 'system:manage'],
    on: 'record',
    also: ['service-account:read'],
    gives: true,
  },
} as const satisfies Record<string, IdentityPermission>;

/** People and service accounts, as far as the caller may see them. */
export interface Identities {
  /** Those with one of the identifiers (or serviceIds); without any, the first 1,000. */
  list(principal: Principal, by: IdentityKey, ids: readonly string[]): Promise<IdentityView[]>;
  /** Needs `system:manage`. A USER is mailed a link to set a password. */
  create(principal: Principal, input: NewIdentity, claim?: IdempotencyClaim): Promise<IdentityView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, id: string, by: IdentityKey): Promise<IdentityView>;
  current(principal: Principal): Promise<IdentityView>;
  /**
   * To enable it demands all that its roles grant.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  setStatus(principal: Principal, serviceId: string, status: IdentityStatus): Promise<IdentityView>;
  /** At most 100 whose identifier contains the text, of those that hold a role on one of the resources, if given. */
  search(principal: Principal, text: string, resources?: readonly string[]): Promise<IdentityView[]>;
  /** A page of those that agree in all that is given; `resourceId`: they hold a role on it. */
  page(
    principal: Principal,
    filter: {
      identifier?: string | undefined;
      search?: string | undefined;
      resourceId?: string | undefined;
    },
    paging: Paging,
  ): Promise<PageBody<IdentityView>>;
  /** Those that hold a role on the resource itself. @throws Problem `not-found` */
  ofResource(principal: Principal, resourceId: string): Promise<IdentityView[]>;
  /** Those that hold a role on one of the resources themselves. */
  onResources(
    principal: Principal,
    resources: readonly string[],
    paging: Paging,
  ): Promise<PageBody<IdentityView>>;
  setConfig(principal: Principal, serviceId: string, config: IdentityConfig): Promise<IdentityConfig>;
  setProfile(
    principal: Principal,
    serviceId: string,
    profile: { displayName: string },
  ): Promise<{ displayName: string | null }>;
  setImage(
    principal: Principal,
    serviceId: string,
    image: ImageInput,
  ): Promise<{ displayName: string | null }>;
}

/** Makes the service. */
export function createIdentities(context: AdminContext): Identities {
  const { store, auth, now, baseUrl } = context;
  const service = 'identities';
  const { read } = store;
  const { identity } = read.t;

  const select = async (
    principal: Principal,
    by: Evaluation,
    limit: number,
    ...conditions: (SQL | undefined)[]
  ) => {
    const rows = await read.db
      .select()
      .from(identity)
      .where(all(visibilityOf(read, principal, by).identities(identity.serviceId), ...conditions))
      .orderBy(identity.id)
      .limit(limit);
    return await identityViews(read, rows, baseUrl);
  };
  const contains = (text: string): SQL =>
    any(
      containsText(read, identity.identifier, text),
      containsText(read, identity.identifier, partOfIdentifier(text)),
    );
  const pageOf = (
    principal: Principal,
    by: Evaluation,
    paging: Paging,
    ...conditions: (SQL | undefined)[]
  ): Promise<PageBody<IdentityView>> =>
    listRecords(
      read,
      {
        contentType: 'IdentityPage',
        table: identity,
        columns: {
          id: identity.id,
          identifier: identity.identifier,
          serviceId: identity.serviceId,
          status: identity.status,
          type: identity.type,
          dateCreated: identity.createdAt,
          dateUpdated: identity.updatedAt,
        },
        tieBreaker: identity.id,
        where: all(visibilityOf(read, principal, by).identities(identity.serviceId), ...conditions),
        present: (rows) => identityViews(read, rows, baseUrl),
      },
      paging,
    );
  const on = async (principal: Principal, resources: readonly string[]): Promise<SQL> => {
    const uids = (await findResources(context, principal, resources)).map(({ row }) => row.uid);
    if (uids.length === 0) return sql`1 = 0`;
    return sql`${identity.serviceId} in (select substr(m.holder, 10) from role_assignment m where m.resource_uid in ${uids} and m.holder like 'identity:%')`;
  };
  const demandChange = async (
    principal: Principal,
    row: IdentityRow,
    { on: whom, needs: [ofAccount, ofInstallation] }: IdentityPermission,
  ): Promise<void> => {
    if (whom === 'self' && row.serviceId === principal.serviceId) return;
    if (row.type === 'SERVICE') await auth.demand(principal, ofAccount, row.serviceId);
    else await demandSystem(context, principal, ofInstallation);
  };

  return {
    list: (principal, by, ids) => {
      if (ids.length === 0) return select(principal, 'set', 1_000);
      const wanted = by === 'SERVICE_ID' ? inArray(identity.serviceId, [...ids]) : namesIdentity(read, ids);
      return select(principal, 'row', 1_000, wanted);
    },

    async create(principal, input, claim) {
      await demandSystem(context, principal, 'system:manage');
      if (input.type === 'SERVICE') {
        throw invalidRequest([
          { pointer: '/type', detail: 'service accounts are created by POST /v1/service-accounts' },
        ]);
      }
      const { type, identifier, displayName } = input;
      return await once(store, { claim, status: 201 }, async (tx) => {
        const row = await addIdentity(context, tx, principal, { service, type, identifier, displayName });
        if (row === undefined) {
          throw new Problem('already-exists', 'An identity with this identifier exists.');
        }
        await mailInitLink(context, tx, row);
        return one(await identityViews(tx, [row], baseUrl));
      });
    },

    async get(principal, id, by) {
      return one(await identityViews(read, [await findIdentity(context, principal, id, { by })], baseUrl));
    },
    async current(principal) {
      const row = await findIdentity(context, principal, principal.serviceId, { by: 'SERVICE_ID' });
      return one(await identityViews(read, [row], baseUrl));
    },

    async setStatus(principal, serviceId, status) {
      const row = await findIdentity(context, principal, serviceId, { by: 'SERVICE_ID' });
      await demandChange(principal, row, identityPermissions.setStatus);
      // Its credentials live again with it.
      if (status === 'ENABLED') await demandHeldOf(context, principal, { identity: serviceId });
      return await store.transaction(async (tx) => {
        await bumpAccess(tx);
        if (status !== 'ENABLED')
          await keepAnAdministrator(tx, { holder: holderKey({ identity: serviceId }) });
        const table = tx.t.identity;
        const changed = await tx.db
          .update(table)
          .set({ status, updatedAt: now() })
          .where(eq(table.serviceId, serviceId))
          .returning();
        await afterStatusChange(tx, serviceId, status, now());
        const change = { action: 'update-status', service, targetObject: status } as const;
        await recordChange(tx, principal, serviceId, change, now());
        // Made PENDING again, a user sets a new password.
        for (const user of changed) await mailInitLink(context, tx, user);
        return one(await identityViews(tx, changed, baseUrl));
      });
    },

    async search(principal, text, resources) {
      const holders = resources === undefined ? undefined : await on(principal, resources);
      return await select(principal, holders === undefined ? 'set' : 'row', 100, contains(text), holders);
    },
    async ofResource(principal, resourceId) {
      const found = await findResources(context, principal, [resourceId]);
      if (found.length === 0) throw notFound('resource');
      return await select(principal, 'row', 1_000, await on(principal, [resourceId]));
    },
    async onResources(principal, resources, paging) {
      return await pageOf(principal, 'row', paging, await on(principal, resources));
    },
    async page(principal, { identifier, search, resourceId }, paging) {
      const narrow = identifier !== undefined || resourceId !== undefined;
      return await pageOf(
        principal,
        narrow ? 'row' : 'set',
        paging,
        identifier === undefined ? undefined : namesIdentity(read, [identifier]),
        search === undefined ? undefined : contains(search),
        resourceId === undefined ? undefined : await on(principal, [resourceId]),
      );
    },

    async setConfig(principal, serviceId, { items }) {
      const row = await findIdentity(context, principal, serviceId);
      await demandChange(principal, row, identityPermissions.change);
      const config = items.map(({ key, value }) => ({ key, value }));
      await change(principal, row.serviceId, 'update-config', { config: JSON.stringify(config) });
      return { items: config };
    },
    async setProfile(principal, serviceId, { displayName }) {
      const row = await findIdentity(context, principal, serviceId);
      await demandChange(principal, row, identityPermissions.change);
      await change(principal, row.serviceId, 'update-profile', {
        displayName: checkName(displayName, '/displayName'),
      });
      return { displayName };
    },
    async setImage(principal, serviceId, input) {
      const row = await findIdentity(context, principal, serviceId);
      await demandChange(principal, row, identityPermissions.change);
      const image = readImage(input);
      await store.transaction(async (tx) => {
        await storeImage(tx, imageOwner.identity(row.serviceId), image, now());
        await recordChange(tx, principal, row.serviceId, { action: 'update-image', service }, now());
      });
      return { displayName: row.displayName };
    },
  };

  async function change(
    principal: Principal,
    serviceId: string,
    action: string,
    set: { config: string } | { displayName: string },
  ): Promise<void> {
    await store.transaction(async (tx) => {
      await tx.db
        .update(tx.t.identity)
        .set({ ...set, updatedAt: now() })
        .where(eq(tx.t.identity.serviceId, serviceId));
      await recordChange(tx, principal, serviceId, { action, service }, now());
    });
  }
}

/** Makes the records of identities. */
async function identityViews(
  queries: Queries,
  rows: readonly IdentityRow[],
  baseUrl: string,
): Promise<IdentityView[]> {
  const images = await imageUrls(
    queries,
    rows.map(({ serviceId }) => imageOwner.identity(serviceId)),
    baseUrl,
  );
  return rows.map((row) => ({
    dateCreated: row.createdAt,
    dateUpdated: row.updatedAt,
    id: row.id,
    identifier: row.identifier,
    identityProfile: {
      displayName: row.displayName,
      imageURL: images.get(imageOwner.identity(row.serviceId)) ?? null,
    },
    serviceId: row.serviceId,
    status: statusOf.parse(row.status),
    type: typeOfIdentity.parse(row.type),
  }));
}

const statusOf = z.enum(identityStatuses);
const typeOfIdentity = identityRecord.shape.type;

/**
 * Adds a person, named by their e-mail address. A USER is PENDING until they set a password; who a SAML identity is,
 * its provider says.
 *
 * @returns undefined when there is an identity of this name
 */
export async function addIdentity(
  context: Pick<AdminContext, 'now'>,
  tx: Tx,
  /** Absent: the person themselves. */
  actor: Actor | undefined,
  {
    service,
    type,
    identifier,
    displayName,
  }: {
    service: Change['service'];
    type: 'USER' | 'SAML';
    identifier: string;
    displayName?: string | undefined;
  },
): Promise<IdentityRow | undefined> {
  await bumpAccess(tx);
  const { identity } = tx.t;
  const at = context.now();
  const [row] = await tx.db
    .insert(identity)
    .values({
      serviceId: uuidv7(),
      id: await nextId(tx, 'identity'),
      identifier: normalIdentifier(identifier),
      identifierKey: identifierKey(identifier),
      type,
      status: type === 'USER' ? 'PENDING' : 'ENABLED',
      displayName: displayName ?? null,
      createdAt: at,
      updatedAt: at,
    })
    .onConflictDoNothing({ target: identity.identifierKey })
    .returning();
  if (row === undefined) return undefined;
  const by = actor ?? { serviceId: row.serviceId, appId: '' };
  await recordChange(tx, by, row.serviceId, { action: 'create', service, targetObject: type }, at);
  return row;
}

/** Mails a PENDING user the link with which they set a password. */
async function mailInitLink(
  { auth, links, outbox }: AdminContext,
  tx: Tx,
  { serviceId, identifier, type, status }: IdentityRow,
): Promise<void> {
  if (type !== 'USER' || status !== 'PENDING') return;
  const { initToken } = await auth.createInitToken(tx, serviceId);
  await outbox.add(tx, initMail(identifier, links.init(initToken)));
}

function one(views: readonly IdentityView[]): IdentityView {
  const [view] = views;
  if (view === undefined) throw notFound('identity');
  return view;
}
