import { invalidRequest, type ListResult, type Paging, Problem } from '@ledger-ops/base';
import { containsText, type IdempotencyClaim, nextId, once, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { holderKey } from '../access/role-assignments.ts';
import { checkName, chosenId } from '../chosen-id.ts';
import { addRecords } from '../storage/records.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal, ResourceType } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn, findResource, notFound, type ResourceRow } from './find.ts';
import { listRecords } from './listing.ts';
import { type ResourceView, resourceViews } from './records.ts';
import { all, any, below, named, readableBy, visibilityOf, whether } from './visibility.ts';

export interface NewResourceRequest {
  /** Generated if absent. */
  readonly resourceId?: string | undefined;
  readonly type: Exclude<ResourceType, 'contract-group'>;
  readonly properties?: Readonly<Record<string, string>> | undefined;
  /** Id or uid; default: the caller's project (for an organization: the system). */
  readonly parentId?: string | undefined;
}

/** Filters of a resource listing. */
export interface ResourceQuery extends Paging {
  readonly resourceId?: string | undefined;
  readonly project?: string | undefined;
  readonly organization?: string | undefined;
  readonly lookupTerm: readonly string[];
  readonly lookupTermStrategy: 'AND' | 'OR';
}

/** A search term of a resource. */
export interface LookupTermView {
  id: number;
  value: string;
}

/** The tree of resources. */
export interface Resources {
  /** @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request` */
  create(principal: Principal, input: NewResourceRequest, claim?: IdempotencyClaim): Promise<ResourceView>;
  /** @throws Problem `not-found`, `conflict` if the id matches several */
  get(principal: Principal, resourceId: string): Promise<ResourceView>;
  /** Returns all resources of a type that the caller may read. */
  listAll(principal: Principal, type: ResourceType, query: ResourceQuery): Promise<ListResult<ResourceView>>;
  /**
   * Resources that the caller's own roles make readable, without those that the deployer shares with
   * everyone.
   */
  listMine(principal: Principal, type: ResourceType, query: ResourceQuery): Promise<ListResult<ResourceView>>;
  /**
   * Resources that an identity's roles make readable, limited to those that the caller may also read.
   * @throws Problem `not-found`
   */
  listFor(
    principal: Principal,
    type: ResourceType,
    serviceId: string,
    query: ResourceQuery,
  ): Promise<ListResult<ResourceView>>;
  /** Resources whose resourceID contains a search term. */
  listContaining(
    principal: Principal,
    type: ResourceType,
    part: string,
    query: ResourceQuery,
  ): Promise<ListResult<ResourceView>>;
  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  addLookupTerm(
    principal: Principal,
    resourceId: string,
    value: string,
    claim?: IdempotencyClaim,
  ): Promise<LookupTermView>;
}

/**
 * Types that a resource's parent may have. If `project` is among them, the caller's project is the default
 * parent.
 */
const parents: Readonly<Record<Exclude<ResourceType, 'system' | 'organization'>, readonly ResourceType[]>> = {
  project: ['organization'],
  app: ['project'],
  wallet: ['project'],
  'cloud-wallet': ['project'],
  node: ['project', 'ledger', 'system'],
  ledger: ['project', 'system'],
  explorer: ['project', 'ledger', 'system'],
  'identity-group': ['project', 'organization'],
  'service-account': ['project'],
  'smart-contract-template': ['project'],
  'smart-contract-instance': ['project', 'contract-group'],
  'ledger-token': ['project', 'smart-contract-instance'],
  plugin: ['project', 'system'],
  'billing-account': ['project', 'organization'],
  'contract-group': ['project'],
};

export function createResources(context: AdminContext): Resources {
  const { store, now } = context;
  const service = 'resource-manager';
  const { read } = store;
  const { resource } = read.t;

  const list = async (
    principal: Principal,
    type: ResourceType,
    query: ResourceQuery,
    ...more: (SQL | undefined)[]
  ) =>
    await listRecords(
      read,
      {
        table: resource,
        columns: resourceColumns(resource),
        tieBreaker: resource.id,
        where: all(
          eq(resource.type, type),
          visibilityOf(read, principal, 'set').resources(resource.uid, type),
          whether(false, resource.uid),
          query.resourceId
            ? any(eq(resource.resourceId, query.resourceId), eq(resource.uid, query.resourceId))
            : undefined,
          query.project ? below(resource.uid, named('project', query.project), type) : undefined,
          query.organization
            ? below(resource.uid, named('organization', query.organization), type)
            : undefined,
          terms(resource.uid, query),
          ...more,
        ),
        present: (rows) => resourceViews(read, rows),
      },
      query,
    );

  return {
    async create(principal, input, claim) {
      // The id and name are checked here, because the creation would report pointers into a different request body.
      chosenId(input.resourceId, '/resourceId');
      if (input.properties?.name !== undefined) checkName(input.properties.name, '/properties/name');
      const parent = await parentOf(context, principal, input);
      await context.auth.demand(principal, `${input.type}:create`, parent.uid);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const uid = await createRecord(context, tx, principal, input, parent);
        await addProperties(tx, uid, input.properties ?? {});
        const targetObject = input.properties?.name ?? '';
        await recordChange(tx, principal, uid, { action: 'create', service, targetObject }, now());
        const rows = await tx.db.select().from(tx.t.resource).where(eq(tx.t.resource.uid, uid));
        const [view] = await resourceViews(tx, rows);
        if (view === undefined) throw notFound('resource');
        return view;
      });
    },

    async get(principal, resourceId) {
      const row = await findResource(context, principal, { id: resourceId });
      const [view] = await resourceViews(read, [row]);
      if (view === undefined) throw notFound('resource');
      return view;
    },

    listAll: (principal, type, query) => list(principal, type, query),
    listMine: (principal, type, query) =>
      list(
        principal,
        type,
        query,
        readableBy(read, resource.uid, holderKey({ identity: principal.serviceId }), type, 'set'),
      ),
    async listFor(principal, type, serviceId, query) {
      const { identity } = read.t;
      const found = await read.db
        .select({ serviceId: identity.serviceId })
        .from(identity)
        .where(
          and(
            eq(identity.serviceId, serviceId),
            visibilityOf(read, principal, 'row').identities(identity.serviceId),
          ),
        );
      if (found.length === 0) throw notFound('identity');
      const own = readableBy(read, resource.uid, holderKey({ identity: serviceId }), type, 'set');
      return await list(principal, type, query, own);
    },
    listContaining: (principal, type, part, query) =>
      list(principal, type, query, containsText(read, resource.resourceId, part)),

    async addLookupTerm(principal, resourceId, value, claim) {
      const { uid } = await demandOn(context, principal, 'update', { id: resourceId });
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { lookupTerm } = tx.t;
        const term = { id: await nextId(tx, 'lookup_term'), value };
        const added = await tx.db
          .insert(lookupTerm)
          .values({ ...term, resourceUid: uid })
          .onConflictDoNothing({ target: [lookupTerm.resourceUid, lookupTerm.value] })
          .returning({ id: lookupTerm.id });
        if (added.length === 0)
          throw new Problem('already-exists', 'The resource already has this lookup term.');
        await addRecords(tx, uid, 'details');
        const change = { action: 'create-lookup-term', service, targetObject: value } as const;
        await recordChange(tx, principal, uid, change, now());
        return term;
      });
    },
  };

  /**
   * SQL condition: the resource has at least one lookup term of the query, or all of them if
   * `lookupTermStrategy` is `AND`.
   */
  function terms(uid: SQL | typeof resource.uid, query: ResourceQuery): SQL | undefined {
    const wanted = [...new Set(query.lookupTerm)];
    if (wanted.length === 0) return undefined;
    const needed = query.lookupTermStrategy === 'AND' ? wanted.length : 1;
    return sql`(select count(*) from lookup_term l where l.resource_uid = ${uid} and l.value in ${wanted}) >= ${needed}`;
  }
}

function resourceColumns(resource: AdminContext['store']['read']['t']['resource']) {
  return {
    resourceId: resource.resourceId,
    uid: resource.uid,
    parentUid: resource.parentUid,
    type: resource.type,
    createdAt: resource.createdAt,
  };
}

async function parentOf(
  context: AdminContext,
  principal: Principal,
  { type, parentId }: NewResourceRequest,
): Promise<ResourceRow> {
  if (type === 'system') {
    throw invalidRequest([
      { pointer: '/type', detail: 'there is only one system resource, which is created at the first start' },
    ]);
  }
  const allowed = type === 'organization' ? (['system'] as const) : parents[type];
  const fallback = {
    system: 'system',
    organization: principal.organizationUid,
    project: principal.projectUid,
  } as const;
  const usual = allowed[0] === 'system' || allowed[0] === 'organization' ? allowed[0] : 'project';
  const id = parentId ?? fallback[usual];
  const row = await findResource(context, principal, {
    id,
    ...(parentId === undefined ? { type: usual } : {}),
    pointer: '/parentId',
  });
  if (!allowed.some((one) => one === row.type)) {
    throw invalidRequest([
      {
        pointer: '/parentId',
        detail: `a ${type} must be under ${allowed.join(' or ')}, not under ${row.type}`,
      },
    ]);
  }
  return row;
}

/** Creates the resource and, if its type has one, its auth record. Returns its uid. */
async function createRecord(
  { auth }: AdminContext,
  tx: Tx,
  principal: Principal,
  { resourceId: id, type, properties = {} }: NewResourceRequest,
  parent: ResourceRow,
): Promise<string> {
  const owner = principal.serviceId;
  const name = properties.name ?? id ?? type;
  switch (type) {
    case 'organization': {
      const ids = id === undefined ? {} : { organizationId: id };
      return (await auth.createOrganization(tx, { ...ids, name, owner })).uid;
    }
    case 'project': {
      const ids = id === undefined ? {} : { projectId: id };
      return (await auth.createProject(tx, { ...ids, organizationUid: parent.uid, name, owner })).uid;
    }
    case 'app': {
      const ids = id === undefined ? {} : { appId: id };
      return (await auth.createApp(tx, { ...ids, projectUid: parent.uid, name, owner })).uid;
    }
    case 'service-account': {
      const ids = id === undefined ? {} : { accountId: id };
      const input = { ...ids, projectUid: parent.uid, name, createdBy: owner };
      return (await auth.createServiceAccount(tx, input)).serviceId;
    }
    default: {
      const uid = uuidv7();
      const resourceId = chosenId(id, '/resourceId');
      await auth.registerResource(tx, { uid, resourceId, type, parentUid: parent.uid, owner });
      return uid;
    }
  }
}

async function addProperties(
  tx: Tx,
  resourceUid: string,
  properties: Readonly<Record<string, string>>,
): Promise<void> {
  const entries = Object.entries(properties);
  if (entries.length === 0) return;
  const first = await nextId(tx, 'resource_property', entries.length);
  await tx.db
    .insert(tx.t.resourceProperty)
    .values(entries.map(([name, value], index) => ({ id: first + index, resourceUid, name, value })));
  await addRecords(tx, resourceUid, 'details', entries.length);
}
