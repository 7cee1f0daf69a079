import {
  checkName,
  chosenId,
  type Principal,
  recordActivity,
  scopeIdOf,
  scopeIds,
  systemUid,
} from '@ledger-ops/auth';
import { invalidRequest, type MasterKey, Problem } from '@ledger-ops/base';
import { listPage, nextId, once, type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import semver from 'semver';
import { registerNew } from '../register-new.ts';
import { demandScope, inProjectOrShared, projectOf, usableIn } from '../scope.ts';
import { demandAsNew, gone, pickVisible, refuseStale, type ServiceContext } from '../service.ts';
import type { ListResult } from '../types.ts';
import { all, visible } from '../visible.ts';
import { refuseBuiltIn } from './built-in.ts';
import { checkCredentials, type PluginCredentials, sealCredentials } from './credentials.ts';
import {
  checkTags,
  deleteTags,
  insertTags,
  type PluginRow,
  pluginCounter,
  rowsOfId,
  tagsOf,
} from './plugin-rows.ts';
import type { PluginUrls } from './plugin-url.ts';
import { unsignedOf, usesOf } from './plugin-uses.ts';
import type {
  NewPlugin,
  PluginCandidate,
  PluginInspection,
  PluginQuery,
  Plugins,
  PluginUpdate,
} from './types.ts';

/** Plugins of one project: every one may become a process of its own, on each server. */
const mostOfProject = 20;

/** Ids of ledgers that a plugin names, and of which it is looked whether there is one: as many as a statement takes anywhere. */
const mostLooked = 10_000;
/** Of them, in a sentence. */
const mostNamed = 10;

/** Options of the plugin records. */
export interface PluginsOptions extends ServiceContext {
  urls: PluginUrls;
  /** The version of the adapter interface that this server has; records without one get it. */
  interfaceVersion: string;
  /** Versions that it works with, as a semver range. */
  supportedVersions: string;
  /** Seals credentials. Absent: none can be given. */
  masterKey?: Pick<MasterKey, 'seal'>;
  /**
   * Asks the module of a record that is to be written what it is. Absent: it is asked when it is first used.
   * @throws Problem `plugin-refused`
   */
  inspect?: (candidate: PluginCandidate) => Promise<PluginInspection>;
  /** Other uses of a plugin, in words; asked before it is deleted, outside of the transaction. */
  uses?: (plugin: { uid: string; pluginId: string }) => Promise<readonly string[]>;
}

/** A new plugin whose id may be chosen, as only the deprecated form lets it. */
export type NewPluginWithId = NewPlugin & { pluginId?: string | null };

/** The operations, from which both forms are made. */
export interface PluginOperations {
  context: PluginsOptions;
  list(
    principal: Principal,
    query: PluginQuery & { resourceId?: string },
  ): Promise<ListResult<{ row: PluginRow; scopeId: string }>>;
  create<Answer>(
    principal: Principal,
    input: NewPluginWithId,
    claim: Parameters<Plugins['create']>[2],
    present: (tx: Tx, row: PluginRow, warnings: string[]) => Promise<Answer>,
  ): Promise<Answer>;
  find(principal: Principal, pluginId: string): Promise<PluginRow>;
  update(
    principal: Principal,
    pluginId: string,
    input: PluginUpdate,
  ): Promise<{ row: PluginRow; warnings: string[] }>;
  delete(principal: Principal, pluginId: string): Promise<void>;
  changeTags(
    principal: Principal,
    pluginId: string,
    tags: readonly string[],
    how: 'add' | 'remove',
  ): Promise<PluginRow>;
}

const service = 'plugins';

/** A row that is to be written, as far as its module is asked what it is. */
type Candidate = Omit<PluginCandidate, 'projectUid' | 'organizationUid'> & { scope: string };

/** Makes the operations on plugin records. */
export function createOperations(context: PluginsOptions): PluginOperations {
  const { store, auth, urls, now } = context;

  const find = async (principal: Principal, pluginId: string) =>
    await pickVisible(context, principal, 'plugin', await rowsOfId(store.read, pluginId));

  async function checked(input: Pick<NewPlugin, 'name' | 'url' | 'implementationVersion' | 'integrity'>) {
    const name = checkName(input.name, '/name');
    const location = await urls.locate(input.url, '/url');
    const integrity = input.integrity ?? null;
    if (
      integrity !== null &&
      (location.kind === 'remote' || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
    ) {
      const detail =
        location.kind === 'remote'
          ? 'can be pinned for npm: and file: plugins only'
          : 'must be sha512- and the base64 of 64 bytes';
      throw invalidRequest([{ pointer: '/integrity', detail }]);
    }
    return { name, url: location.url, integrity };
  }

  function sealed(
    place: { uid: string; url: string },
    credentials: PluginCredentials | null,
  ): Uint8Array | null {
    if (credentials === null) return null;
    checkCredentials(credentials, place.url);
    return sealCredentials(context.masterKey, place, credentials);
  }

  /** Who may change the address, but does not know the credentials, does not have them sent there. */
  function nextCredentials(
    row: PluginRow,
    url: string,
    given: PluginCredentials | null | undefined,
  ): Uint8Array | null {
    if (given !== undefined) return sealed({ uid: row.uid, url }, given);
    if (row.credentials === null || url === row.url) return row.credentials;
    const detail = 'must be given again, in full, or as null: url changes, and so where they are sent';
    throw invalidRequest([{ pointer: '/credentials', detail }]);
  }

  function checkVersion(version: string): string {
    const parsed = semver.valid(version);
    const pointer = '/implementationVersion';
    if (parsed === null) {
      throw invalidRequest([{ pointer, detail: 'must be a version of semantic versioning, such as 0.1.0' }]);
    }
    if (!semver.satisfies(parsed, context.supportedVersions)) {
      const detail = `the plugin is for version ${parsed} of the adapter interface; this server has ${context.interfaceVersion} and takes ${context.supportedVersions}`;
      throw invalidRequest([{ pointer, detail }]);
    }
    return parsed;
  }

  /** One activity per change. */
  async function record(tx: Tx, principal: Principal, action: string, row: PluginRow, target: string) {
    const { uid, pluginId, scope } = row;
    const resource = { resourceUid: uid, resourceId: pluginId, resourceType: 'plugin', scope } as const;
    await recordActivity(tx, principal, { action, service, ...resource, targetObject: target }, now());
  }

  async function change(
    principal: Principal,
    row: PluginRow,
    set: Partial<PluginRow>,
    action: string,
    target: string,
    { isReload = false, work }: { isReload?: boolean; work?: (tx: Tx) => Promise<void> } = {},
  ): Promise<PluginRow> {
    return await store.transaction(async (tx) => {
      // The counter's row first: changes to plugins wait for each other here.
      const revision = await nextId(tx, pluginCounter);
      const { plugin } = tx.t;
      const [before] = await tx.db.select().from(plugin).where(eq(plugin.uid, row.uid));
      if (before === undefined) throw gone('plugin');
      // The caller's permissions were decided for the plugin as it was.
      refuseStale('plugin', before.active === row.active && before.url === row.url);
      const [changed] = await tx.db
        .update(plugin)
        .set({ ...set, revision, ...(isReload && { moduleRevision: revision }), updatedAt: now() })
        .where(eq(plugin.uid, row.uid))
        .returning();
      if (changed === undefined) throw gone('plugin');
      await work?.(tx);
      await record(tx, principal, action, changed, target);
      return changed;
    });
  }

  /** Asks the module of the row what it is. @throws Problem `plugin-refused` */
  async function inspect(row: Candidate): Promise<PluginInspection | null> {
    if (context.inspect === undefined) return null;
    const { scope, uid, pluginId, name, url, active, integrity, credentials } = row;
    const { project } = store.read.t;
    const [owner] = await store.read.db
      .select({ organizationUid: project.organizationUid })
      .from(project)
      .where(eq(project.uid, scope));
    return await context.inspect({
      ...{ uid, pluginId, name, url, active, integrity, credentials },
      projectUid: projectOf(scope),
      organizationUid: owner?.organizationUid ?? null,
    });
  }

  /** Doubts about a module that can be used: likely not meant, or to be known only later. */
  async function warningsOf(
    { found }: PluginInspection,
    {
      scope,
      tags,
      implementationVersion,
    }: { scope: string; tags: readonly string[]; implementationVersion: string },
  ): Promise<string[]> {
    if (typeof found === 'string') return [found];
    const { technology, interfaceVersion, ledgers } = found;
    const { ledger } = store.read.t;
    const has = async (condition?: SQL) => {
      const usable = scope === systemUid ? undefined : usableIn(ledger.scope, scope);
      const where = and(eq(ledger.technology, technology), usable, condition);
      const rows = await store.read.db.select({ uid: ledger.uid }).from(ledger).where(where).limit(1);
      return rows.length > 0;
    };
    const isWanted = await has();
    const isOfNone =
      isWanted &&
      ledgers !== undefined &&
      ledgers.length <= mostLooked &&
      !(await has(inArray(ledger.ledgerId, [...ledgers])));
    return [
      ...(tags.includes(technology)
        ? []
        : [
            `It is chosen by its id alone: "${technology}", the technology of its ledgers, is none of its tags.`,
          ]),
      ...(isWanted ? [] : [`There is no ledger of the technology "${technology}" yet.`]),
      ...(isOfNone ? [`None of the ledgers that it serves is known here${someOf(ledgers)}.`] : []),
      ...(implementationVersion === interfaceVersion
        ? []
        : [`The module says that it implements version ${interfaceVersion} of the adapter interface.`]),
    ];
  }

  /** The counter's row is held: those that are created at the same time are counted one after the other. */
  async function refuseTooMany(tx: Queries, scope: string): Promise<void> {
    if (scope === systemUid) return;
    const count = await tx.db.$count(tx.t.plugin, eq(tx.t.plugin.scope, scope));
    if (count < mostOfProject) return;
    const detail = `This project has ${count} plugins already, and may have no more than ${mostOfProject}: delete one that is not needed, or change it.`;
    throw new Problem('conflict', detail);
  }

  return {
    context,
    find,

    async list(principal, query) {
      const { plugin, pluginTag } = store.read.t;
      const tags = [...new Set(query.tags)];
      const tagged = sql`${plugin.uid} in (select ${pluginTag.pluginUid} from ${pluginTag} where ${inArray(pluginTag.tag, tags)} group by ${pluginTag.pluginUid} having count(*) = ${sql.raw(String(tags.length))})`;
      const { uid, id, pluginId, name, url, active, pluginType, implementationVersion } = plugin;
      const found = await listPage(
        store.read,
        {
          table: plugin,
          where: all(
            visible(store.read, principal, uid, 'plugin'),
            inProjectOrShared(store.read, principal, plugin.scope, query.project),
            tags.length === 0 ? undefined : tagged,
            query.resourceId === undefined || query.resourceId === ''
              ? undefined
              : eq(pluginId, query.resourceId),
          ),
          columns: {
            ...{ id: pluginId, name, url, active, pluginType, implementationVersion },
            ...{ number: id, pluginId, pluginURL: url, resourceId: pluginId },
            ...{ projectId: scopeIdOf(plugin.scope), project: scopeIdOf(plugin.scope) },
            integrity: plugin.integrity,
            hasCredentials: sql`${plugin.credentials} is not null`,
          },
          created: id,
          tieBreaker: uid,
        },
        query,
      );
      const names = await scopeIds(
        store.read,
        found.items.map((row) => row.scope),
      );
      return {
        items: found.items.map((row) => ({ row, scopeId: names.get(row.scope) ?? '' })),
        total: found.total,
      };
    },

    async create(principal, input, claim, present) {
      const scope = await demandScope(context, principal, 'plugin:create', input.projectId);
      const given = await checked(input);
      if (typeof input.implementationVersion === 'string') checkVersion(input.implementationVersion);
      const tags = checkTags(input.tags ?? [], '/tags');
      await refuseTooMany(store.read, scope);
      const chosen = input.pluginId ?? undefined;
      const pluginId = chosenId(chosen, '/pluginId');
      const uid = chosen === undefined ? pluginId : uuidv7();
      const credentials = sealed({ uid, url: given.url }, input.credentials ?? null);
      const candidate = { uid, pluginId, scope, ...given, active: true, credentials };
      const inspection = await inspect(candidate);
      try {
        const said = typeof inspection?.found === 'object' ? inspection.found.interfaceVersion : undefined;
        const implementationVersion = checkVersion(
          input.implementationVersion ?? said ?? context.interfaceVersion,
        );
        const described = { scope, tags, implementationVersion };
        const warnings = inspection === null ? [] : await warningsOf(inspection, described);
        return await insert({ ...candidate, implementationVersion }, tags, warnings);
      } finally {
        await inspection?.release();
      }

      async function insert(
        fields: typeof candidate & { implementationVersion: string },
        its: readonly string[],
        warnings: string[],
      ) {
        return await once(store, { claim, status: 201 }, async (tx) => {
          const revision = await nextId(tx, pluginCounter);
          await refuseTooMany(tx, scope);
          const at = now();
          const row: PluginRow = {
            ...fields,
            id: await nextId(tx, 'plugin'),
            pluginType: 'BLOCKCHAIN_PLUGIN',
            revision,
            moduleRevision: null,
            createdAt: at,
            updatedAt: at,
          };
          const { plugin } = tx.t;
          const added = await tx.db
            .insert(plugin)
            .values(row)
            .onConflictDoNothing({ target: [plugin.scope, plugin.pluginId] })
            .returning({ uid: plugin.uid });
          await registerNew(auth, tx, added, {
            uid: row.uid,
            resourceId: pluginId,
            type: 'plugin',
            parentUid: scope,
            owner: principal.serviceId,
            pointer: '/pluginId',
          });
          await insertTags(tx, row.uid, its);
          await record(tx, principal, 'create', row, row.name);
          return await present(tx, row, warnings);
        });
      }
    },

    async update(principal, pluginId, input) {
      const row = await find(principal, pluginId);
      await auth.demand(principal, 'plugin:update', row.uid);
      refuseBuiltIn(row);
      const pinned = input.integrity === undefined && input.url === row.url ? row.integrity : input.integrity;
      const given = await checked({ ...input, integrity: pinned ?? null });
      // Another module, or one at work again, is another plugin: whoever may not register plugins may not make one so.
      const another = given.url !== row.url || given.integrity !== row.integrity;
      const asNew = another || (input.active && !row.active);
      if (asNew) await demandAsNew(context, principal, 'plugin:create', row);
      const version = input.implementationVersion ?? row.implementationVersion;
      const implementationVersion =
        version === row.implementationVersion && !input.active ? version : checkVersion(version);
      const credentials = nextCredentials(row, given.url, input.credentials);
      const set = { ...given, implementationVersion, active: input.active, credentials };
      const isOther = asNew || credentials !== row.credentials;
      const inspection = isOther && input.active ? await inspect({ ...row, ...set }) : null;
      try {
        const { scope, uid } = row;
        const tags = ((await tagsOf(store.read, [uid])).get(uid) ?? []).map(({ name }) => name);
        const described = { scope, tags, implementationVersion };
        const warnings = inspection === null ? [] : await warningsOf(inspection, described);
        return {
          row: await change(principal, row, set, 'update', given.name, { isReload: isOther }),
          warnings,
        };
      } finally {
        await inspection?.release();
      }
    },

    async delete(principal, pluginId) {
      const row = await find(principal, pluginId);
      await auth.demand(principal, 'plugin:delete', row.uid);
      refuseBuiltIn(row);
      const more = (await context.uses?.({ uid: row.uid, pluginId: row.pluginId })) ?? [];
      await store.transaction(async (tx) => {
        await nextId(tx, pluginCounter);
        const served = [...(await usesOf(tx, row.uid)), ...more];
        const waiting = await unsignedOf(tx, row.uid);
        const uses = [...served, ...waiting];
        if (uses.length > 0) {
          throw new Problem(
            'in-use',
            `The plugin ${row.pluginId} is in use by ${uses.join(', ')}. ${advice(served.length > 0)}`,
            { extensions: { usedBy: uses } },
          );
        }
        const { plugin, pluginDescription, pluginTag } = tx.t;
        await tx.db.delete(pluginTag).where(eq(pluginTag.pluginUid, row.uid));
        await tx.db.delete(pluginDescription).where(eq(pluginDescription.pluginUid, row.uid));
        const deleted = await tx.db
          .delete(plugin)
          .where(eq(plugin.uid, row.uid))
          .returning({ uid: plugin.uid });
        if (deleted.length === 0) throw gone('plugin');
        await auth.removeResource(tx, row.uid);
        await record(tx, principal, 'delete', row, row.name);
      });
    },

    async changeTags(principal, pluginId, tags, how) {
      const row = await find(principal, pluginId);
      await auth.demand(principal, 'plugin:update', row.uid);
      refuseBuiltIn(row);
      return await change(principal, row, {}, `${how}-tags`, tags.join(','), {
        work: (tx) => (how === 'add' ? insertTags(tx, row.uid, tags) : deleteTags(tx, row.uid, tags)),
      });
    },
  };
}

function someOf(ids: readonly string[]): string {
  const rest = ids.length - mostNamed;
  if (ids.length === 0) return '';
  return `: ${ids.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Advice about uses: something that it alone serves, or actions that are yet to be signed. */
function advice(serves: boolean): string {
  return serves
    ? 'No other active plugin serves them: register another one, or deactivate this one instead.'
    : 'Wait until they are signed, or deactivate it instead.';
}
