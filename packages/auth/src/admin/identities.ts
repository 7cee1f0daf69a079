import { type ListResult, type Paging, Problem } from '@ledger-ops/base';
import {
  containsText,
  type IdempotencyClaim,
  nextId,
  once,
  type Queries,
  readJson,
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
import { valueChanges } from '../timeline/value-changes.ts';
import type { OperationPermission, Principal } from '../types.ts';
import { keepAnAdministrator } from './administrators.ts';
import type { AdminContext } from './context.ts';
import { demandHeldOf } from './demand-held.ts';
import { demandSystem, findResources, notFound } from './find.ts';
import { findIdentity, type IdentityKey, type IdentityRow, namesIdentity } from './find-identity.ts';
import { type ImageInput, imageOwner, imageUrls, readImage, storeImage } from './images/images.ts';
import { listRecords } from './listing.ts';
import { initMail } from './mail/mails.ts';
import { all, any, type Evaluation, visibilityOf } from './visibility.ts';

/** States of an identity (section 3). */
export const identityStatuses = ['ENABLED', 'DISABLED', 'LOCKED', 'PENDING'] as const;
export type IdentityStatus = (typeof identityStatuses)[number];
export const identityTypes = ['USER', 'SERVICE', 'SAML'] as const;

/** A user or a service account. */
export interface IdentityView {
  id: number;
  serviceId: string;
  type: (typeof identityTypes)[number];
  /** Email address of a person, or id of a service account. */
  identifier: string;
  name: string | null;
  imageUrl: string | null;
  status: IdentityStatus;
  /** Milliseconds since the epoch, as is `updatedAt`. */
  createdAt: number;
  updatedAt: number;
}

/** Arbitrary settings of an identity (section 2.9). */
export interface IdentityConfig {
  items: { key: string; value: string }[];
}

/** A new identity. The caller cannot choose its status: a USER is PENDING until they set a password. */
export interface NewIdentity {
  readonly identifier: string;
  readonly name?: string | undefined;
  readonly type: 'USER' | 'SAML';
}

/**
 * The permissions to change an identity: the first one for a service account; the second one, on the installation, for
 * a person.
 */
type IdentityPermission = OperationPermission & {
  readonly needs: readonly [`service-account:${'update' | 'manage'}`, 'system:manage'];
};

/**
 * Permissions to change identities. The checks here, the route declarations and the documentation all use
 * them.
 */
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

/** People and service accounts, limited to those that the caller may see. */
export class Identities {
  readonly #context: AdminContext;
  readonly #store: AdminContext['store'];
  readonly #auth: AdminContext['auth'];
  readonly #now: AdminContext['now'];
  readonly #baseUrl: string;
  readonly #service = 'identities';
  readonly #read: Queries;
  readonly #identity;

  constructor(context: AdminContext) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#now = context.now;
    this.#baseUrl = context.baseUrl;
    const { read } = this.#store;
    this.#read = read;
    const { identity } = this.#read.t;
    this.#identity = identity;
  }

  /**
   * Returns the identities with one of the identifiers (or serviceIds). Without identifiers, returns the
   * first 1,000 identities.
   */
  list(principal: Principal, by: IdentityKey, ids: readonly string[]): Promise<IdentityView[]> {
    if (ids.length === 0) return this.#select(principal, 'set', 1_000);
    const wanted =
      by === 'SERVICE_ID' ? inArray(this.#identity.serviceId, [...ids]) : namesIdentity(this.#read, ids);
    return this.#select(principal, 'row', 1_000, wanted);
  }

  /** Needs `system:manage`. Mails a USER a link to set a password. */
  async create(principal: Principal, input: NewIdentity, claim?: IdempotencyClaim): Promise<IdentityView> {
    await demandSystem(this.#context, principal, 'system:manage');
    const { type, identifier, name: displayName } = input;
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const row = await addIdentity(this.#context, tx, principal, {
        service: this.#service,
        type,
        identifier,
        displayName,
      });
      if (row === undefined) {
        throw new Problem('already-exists', 'An identity with this identifier already exists.');
      }
      await mailInitLink(this.#context, tx, row);
      return one(await identityViews(tx, [row], this.#baseUrl));
    });
  }

  /** @throws Problem `not-found` */
  async get(principal: Principal, id: string, by: IdentityKey): Promise<IdentityView> {
    return one(
      await identityViews(
        this.#read,
        [await findIdentity(this.#context, principal, id, { by })],
        this.#baseUrl,
      ),
    );
  }

  async current(principal: Principal): Promise<IdentityView> {
    const row = await findIdentity(this.#context, principal, principal.serviceId, { by: 'SERVICE_ID' });
    return one(await identityViews(this.#read, [row], this.#baseUrl));
  }

  /**
   * Enabling an identity requires that the caller holds everything that its roles grant.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (the last administrator)
   */
  async setStatus(principal: Principal, serviceId: string, status: IdentityStatus): Promise<IdentityView> {
    const row = await findIdentity(this.#context, principal, serviceId, { by: 'SERVICE_ID' });
    await this.#demandChange(principal, row, identityPermissions.setStatus);
    // Enabling the identity makes its credentials valid again.
    if (status === 'ENABLED') await demandHeldOf(this.#context, principal, { identity: serviceId });
    return await this.#store.transaction(async (tx) => {
      await bumpAccess(tx);
      if (status !== 'ENABLED') await keepAnAdministrator(tx, { holder: holderKey({ identity: serviceId }) });
      const table = tx.t.identity;
      const changed = await tx.db
        .update(table)
        .set({ status, updatedAt: this.#now() })
        .where(eq(table.serviceId, serviceId))
        .returning();
      await afterStatusChange(tx, serviceId, status, this.#now());
      const changes = valueChanges({ before: { status: row.status }, after: { status } });
      const set = { action: 'update-status', targetObject: status, changes } as const;
      const change = { ...set, service: this.#service } as const;
      await recordChange(tx, principal, serviceId, change, this.#now());
      // A user who is PENDING again sets a new password.
      for (const user of changed) await mailInitLink(this.#context, tx, user);
      return one(await identityViews(tx, changed, this.#baseUrl));
    });
  }

  /**
   * Returns at most 100 identities whose identifier contains the search term; with `resources`, only those
   * that hold a role on one of them.
   */
  async search(principal: Principal, text: string, resources?: readonly string[]): Promise<IdentityView[]> {
    const holders = resources === undefined ? undefined : await this.#on(principal, resources);
    return await this.#select(
      principal,
      holders === undefined ? 'set' : 'row',
      100,
      this.#contains(text),
      holders,
    );
  }

  /** Identities that hold a role directly on the resource. @throws Problem `not-found` */
  async ofResource(principal: Principal, resourceId: string): Promise<IdentityView[]> {
    const found = await findResources(this.#context, principal, [resourceId]);
    if (found.length === 0) throw notFound('resource');
    return await this.#select(principal, 'row', 1_000, await this.#on(principal, [resourceId]));
  }

  /** Identities that hold a role directly on one of the resources. */
  async onResources(
    principal: Principal,
    resources: readonly string[],
    paging: Paging,
  ): Promise<ListResult<IdentityView>> {
    return await this.#pageOf(principal, 'row', paging, await this.#on(principal, resources));
  }

  /** Returns a page of identities that match all given filters; `resourceId`: they hold a role on it. */
  async page(
    principal: Principal,
    {
      identifier,
      search,
      resourceId,
    }: {
      identifier?: string | undefined;
      search?: string | undefined;
      resourceId?: string | undefined;
    },
    paging: Paging,
  ): Promise<ListResult<IdentityView>> {
    const narrow = identifier !== undefined || resourceId !== undefined;
    return await this.#pageOf(
      principal,
      narrow ? 'row' : 'set',
      paging,
      identifier === undefined ? undefined : namesIdentity(this.#read, [identifier]),
      search === undefined ? undefined : this.#contains(search),
      resourceId === undefined ? undefined : await this.#on(principal, [resourceId]),
    );
  }

  async setConfig(
    principal: Principal,
    serviceId: string,
    { items }: IdentityConfig,
  ): Promise<IdentityConfig> {
    const row = await findIdentity(this.#context, principal, serviceId);
    await this.#demandChange(principal, row, identityPermissions.change);
    const config = items.map(({ key, value }) => ({ key, value }));
    const [before, after] = [readJson<typeof config>(row.config) ?? [], config].map((entries) =>
      Object.fromEntries(entries.map(({ key, value }) => [key, value])),
    );
    // The values may be secrets of applications.
    const hidden = { before: before ?? {}, after: after ?? {} };
    const changes = valueChanges({ before: {}, after: {}, hidden });
    const set = { config: JSON.stringify(config) };
    await this.#change(principal, row.serviceId, { action: 'update-config', changes }, set);
    return { items: config };
  }

  async setName(principal: Principal, serviceId: string, name: string): Promise<IdentityView> {
    const row = await findIdentity(this.#context, principal, serviceId);
    await this.#demandChange(principal, row, identityPermissions.change);
    const displayName = checkName(name, '/name');
    const changes = valueChanges({ before: { name: row.displayName }, after: { name: displayName } });
    await this.#change(principal, row.serviceId, { action: 'update-profile', changes }, { displayName });
    return await this.#byServiceId(row.serviceId);
  }

  async setImage(principal: Principal, serviceId: string, input: ImageInput): Promise<IdentityView> {
    const row = await findIdentity(this.#context, principal, serviceId);
    await this.#demandChange(principal, row, identityPermissions.change);
    const image = readImage(input);
    await this.#store.transaction(async (tx) => {
      await storeImage(tx, imageOwner.identity(row.serviceId), image, this.#now());
      await recordChange(
        tx,
        principal,
        row.serviceId,
        { action: 'update-image', service: this.#service },
        this.#now(),
      );
    });
    return await this.#byServiceId(row.serviceId);
  }

  async #select(principal: Principal, by: Evaluation, limit: number, ...conditions: (SQL | undefined)[]) {
    const rows = await this.#read.db
      .select()
      .from(this.#identity)
      .where(all(visibilityOf(this.#read, principal, by).identities(this.#identity.serviceId), ...conditions))
      .orderBy(this.#identity.id)
      .limit(limit);
    return await identityViews(this.#read, rows, this.#baseUrl);
  }

  #contains(text: string): SQL {
    return any(
      containsText(this.#read, this.#identity.identifier, text),
      containsText(this.#read, this.#identity.identifier, partOfIdentifier(text)),
    );
  }

  #pageOf(
    principal: Principal,
    by: Evaluation,
    paging: Paging,
    ...conditions: (SQL | undefined)[]
  ): Promise<ListResult<IdentityView>> {
    return listRecords(
      this.#read,
      {
        table: this.#identity,
        columns: {
          id: this.#identity.id,
          identifier: this.#identity.identifier,
          serviceId: this.#identity.serviceId,
          status: this.#identity.status,
          type: this.#identity.type,
          createdAt: this.#identity.createdAt,
          updatedAt: this.#identity.updatedAt,
        },
        tieBreaker: this.#identity.id,
        where: all(
          visibilityOf(this.#read, principal, by).identities(this.#identity.serviceId),
          ...conditions,
        ),
        present: (rows) => identityViews(this.#read, rows, this.#baseUrl),
      },
      paging,
    );
  }

  async #on(principal: Principal, resources: readonly string[]): Promise<SQL> {
    const uids = (await findResources(this.#context, principal, resources)).map(({ row }) => row.uid);
    if (uids.length === 0) return sql`1 = 0`;
    return sql`${this.#identity.serviceId} in (select substr(m.holder, 10) from role_assignment m where m.resource_uid in ${uids} and m.holder like 'identity:%')`;
  }

  async #demandChange(
    principal: Principal,
    row: IdentityRow,
    { on: whom, needs: [ofAccount, ofInstallation] }: IdentityPermission,
  ): Promise<void> {
    if (whom === 'self' && row.serviceId === principal.serviceId) return;
    if (row.type === 'SERVICE') await this.#auth.demand(principal, ofAccount, row.serviceId);
    else await demandSystem(this.#context, principal, ofInstallation);
  }

  async #byServiceId(serviceId: string): Promise<IdentityView> {
    const rows = await this.#read.db
      .select()
      .from(this.#identity)
      .where(eq(this.#identity.serviceId, serviceId));
    return one(await identityViews(this.#read, rows, this.#baseUrl));
  }

  async #change(
    principal: Principal,
    serviceId: string,
    change: Pick<Change, 'action' | 'changes'>,
    set: { config: string } | { displayName: string },
  ): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await tx.db
        .update(tx.t.identity)
        .set({ ...set, updatedAt: this.#now() })
        .where(eq(tx.t.identity.serviceId, serviceId));
      await recordChange(tx, principal, serviceId, { ...change, service: this.#service }, this.#now());
    });
  }
}

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
    id: row.id,
    serviceId: row.serviceId,
    type: typeOfIdentity.parse(row.type),
    identifier: row.identifier,
    name: row.displayName,
    imageUrl: images.get(imageOwner.identity(row.serviceId)) ?? null,
    status: statusOf.parse(row.status),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }));
}

const statusOf = z.enum(identityStatuses);
const typeOfIdentity = z.enum(identityTypes);

/**
 * Adds a person by e-mail address. A USER is PENDING until they set a password; a SAML identity is
 * authenticated by its provider.
 *
 * @returns undefined if the address already has an identity
 */
export async function addIdentity(
  context: Pick<AdminContext, 'now'>,
  tx: Tx,
  /** The actor in the timeline; if undefined, the new identity itself. */
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

/** Mails a PENDING user the link to set a password. */
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
