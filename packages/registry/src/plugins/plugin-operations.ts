import { isCompatibleInterface, isSemanticVersion } from '@ledger-ops/adapter';
import {
  checkName,
  chosenId,
  type Principal,
  recordActivity,
  scopeIdOf,
  scopeIds,
  systemUid,
  type Update,
  valueChanges,
} from '@ledger-ops/auth';
import { invalidRequest, type ListResult, type MasterKey, Problem } from '@ledger-ops/base';
import { listPage, nextId, once, type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import semver from 'semver';
import { registerNew } from '../register-new.ts';
import { demandScope, inProjectOrShared, projectOf, usableIn } from '../scope.ts';
import { demandAsNew, gone, pickVisible, refuseStale, type ServiceContext } from '../service.ts';
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
import { refuseLostWallets, unsignedOf, usesOf } from './plugin-uses.ts';
import { givenVersion, moduleVersion, versionWarnings } from './plugin-version.ts';
import { type TakeOver, takeOverWarnings, withTakeOver } from './take-over.ts';
import type {
  NewPlugin,
  PluginCandidate,
  PluginInspection,
  PluginQuery,
  Plugins,
  PluginUpdate,
} from './types.ts';

/**
 * Maximum number of plugins of a project. Each plugin may run as its own process on every server.
 */
const mostOfProject = 20;

/**
 * Maximum number of a plugin's ledger ids that are checked for existence. One statement can hold
 * this many in either dialect.
 */
const mostLooked = 10_000;
/** Maximum number of ledger ids listed in a message. */
const mostNamed = 10;

export interface PluginsOptions extends ServiceContext {
  urls: PluginUrls;
  /** This server's version of the adapter interface; the default for new records. */
  interfaceVersion: string;
  /** Encrypts credentials. If absent, credentials are rejected. */
  masterKey?: Pick<MasterKey, 'seal'>;
  /**
   * Loads the module of a record before the record is written. If absent, modules are only loaded when first used.
   * @throws Problem `plugin-refused`
   */
  inspect?: (candidate: PluginCandidate) => Promise<PluginInspection>;
  /** Describes other uses of a plugin. Called before a deletion, outside the transaction. */
  uses?: (plugin: { uid: string; pluginId: string }) => Promise<readonly string[]>;
}

/** A new plugin with an optional id, which only the deprecated operation accepts. */
export type NewPluginWithId = NewPlugin & { pluginId?: string | null };

const service = 'plugins';

/** The columns of a new row that are needed to inspect its module. */
type Candidate = Omit<PluginCandidate, 'projectUid' | 'organizationUid'> & { scope: string };

/** The columns of a record that are compared with its module. */
type Recorded = Pick<PluginRow, 'scope' | 'implementationVersion' | 'version'> & { tags: readonly string[] };

/** The operations on plugins, shared by the current and the deprecated interface. */
export class PluginOperations {
  readonly context: PluginsOptions;
  readonly #context: PluginsOptions;
  readonly #store: PluginsOptions['store'];
  readonly #auth: PluginsOptions['auth'];
  readonly #urls: PluginUrls;
  readonly #now: PluginsOptions['now'];

  constructor(context: PluginsOptions) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#urls = context.urls;
    this.#now = context.now;
    this.context = context;
  }

  async find(principal: Principal, pluginId: string): Promise<PluginRow> {
    return await pickVisible(this.#context, principal, 'plugin', await rowsOfId(this.#store.read, pluginId));
  }

  async list(
    principal: Principal,
    query: PluginQuery & { resourceId?: string },
  ): Promise<ListResult<{ row: PluginRow; scopeId: string }>> {
    const { plugin, pluginTag } = this.#store.read.t;
    const tags = [...new Set(query.tags)];
    const tagged = sql`${plugin.uid} in (select ${pluginTag.pluginUid} from ${pluginTag} where ${inArray(pluginTag.tag, tags)} group by ${pluginTag.pluginUid} having count(*) = ${sql.raw(String(tags.length))})`;
    const { uid, id, pluginId, name, url, active, pluginType, implementationVersion, version } = plugin;
    const found = await listPage(
      this.#store.read,
      {
        table: plugin,
        where: all(
          visible(this.#store.read, principal, uid, 'plugin'),
          inProjectOrShared(this.#store.read, principal, plugin.scope, query.project),
          tags.length === 0 ? undefined : tagged,
          query.resourceId === undefined || query.resourceId === ''
            ? undefined
            : eq(pluginId, query.resourceId),
        ),
        columns: {
          id: pluginId,
          name,
          url,
          active,
          pluginType,
          implementationVersion,
          version,
          number: id,
          pluginId,
          pluginURL: url,
          resourceId: pluginId,
          projectId: scopeIdOf(plugin.scope),
          project: scopeIdOf(plugin.scope),
          integrity: plugin.integrity,
          hasCredentials: sql`${plugin.credentials} is not null`,
        },
        created: id,
        tieBreaker: uid,
      },
      query,
    );
    const names = await scopeIds(
      this.#store.read,
      found.items.map((row) => row.scope),
    );
    return {
      items: found.items.map((row) => ({ row, scopeId: names.get(row.scope) ?? '' })),
      total: found.total,
    };
  }

  async create<Answer>(
    principal: Principal,
    input: NewPluginWithId,
    claim: Parameters<Plugins['create']>[2],
    present: (tx: Tx, row: PluginRow, warnings: string[]) => Promise<Answer>,
  ): Promise<Answer> {
    const scope = await demandScope(this.#context, principal, 'plugin:create', input.projectId);
    const { fields: given } = await this.#checked(input);
    if (typeof input.implementationVersion === 'string') this.#checkVersion(input.implementationVersion);
    const ownVersion = givenVersion(input.version);
    const tags = checkTags(input.tags ?? [], '/tags');
    await refuseTooMany(this.#store.read, scope);
    const chosen = input.pluginId ?? undefined;
    const pluginId = chosenId(chosen, '/pluginId');
    const uid = chosen === undefined ? pluginId : uuidv7();
    const credentials = this.#sealed({ uid, url: given.url }, input.credentials ?? null);
    const candidate = { uid, pluginId, scope, ...given, active: true, credentials };
    const insert = async (
      fields: typeof candidate & Pick<PluginRow, 'implementationVersion' | 'version' | 'ledgers'>,
      its: readonly string[],
      warnings: string[],
    ) => {
      return await once(this.#store, { claim, status: 201 }, async (tx) => {
        const revision = await nextId(tx, pluginCounter);
        await refuseTooMany(tx, scope);
        const at = this.#now();
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
        const written = await withTakeOver(tx, row.uid, input.takeOver !== false, async () => {
          const added = await tx.db
            .insert(plugin)
            .values(row)
            .onConflictDoNothing({ target: [plugin.scope, plugin.pluginId] })
            .returning({ uid: plugin.uid });
          await registerNew(this.#auth, tx, added, {
            uid: row.uid,
            resourceId: pluginId,
            type: 'plugin',
            parentUid: scope,
            owner: principal.serviceId,
            pointer: '/pluginId',
          });
          await insertTags(tx, row.uid, its);
        });
        await this.#record(tx, principal, 'create', row, row.name);
        return await present(tx, row, [...warnings, ...takeOverWarnings(written)]);
      });
    };
    const inspection = await this.#inspect(candidate);
    try {
      const said = typeof inspection?.found === 'object' ? inspection.found.interfaceVersion : undefined;
      const implementationVersion = this.#checkVersion(
        input.implementationVersion ?? said ?? this.#context.interfaceVersion,
      );
      const version = ownVersion ?? moduleVersion(inspection);
      const recorded = { scope, tags, implementationVersion, version };
      const warnings = inspection === null ? [] : await this.#warningsOf(inspection, recorded);
      const ledgers = statedLedgers(inspection);
      return await insert({ ...candidate, implementationVersion, version, ledgers }, tags, warnings);
    } finally {
      await inspection?.release();
    }
  }

  async update(
    principal: Principal,
    pluginId: string,
    input: PluginUpdate,
  ): Promise<{ row: PluginRow; warnings: string[] }> {
    const row = await this.find(principal, pluginId);
    await this.#auth.demand(principal, 'plugin:update', row.uid);
    refuseBuiltIn(row);
    const pinned = input.integrity === undefined && input.url === row.url ? row.integrity : input.integrity;
    const { fields: given, isRemote } = await this.#checked({ ...input, integrity: pinned ?? null });
    // A new module, or reactivating the plugin, requires the permission to register plugins.
    const another = given.url !== row.url || given.integrity !== row.integrity;
    if (given.url !== row.url) await refuseLostWallets(this.#store.read, row);
    const asNew = another || (input.active && !row.active);
    if (asNew) await demandAsNew(this.#context, principal, 'plugin:create', row);
    const wanted = input.implementationVersion ?? row.implementationVersion;
    const implementationVersion =
      wanted === row.implementationVersion && !input.active ? wanted : this.#checkVersion(wanted);
    const ownVersion = givenVersion(input.version);
    const credentials = this.#nextCredentials(row, given.url, input.credentials);
    const set = { ...given, implementationVersion, active: input.active, credentials };
    const isOther = asNew || credentials !== row.credentials;
    const isUnknown = ownVersion === null && row.version === null;
    // A remote plugin may have another description than when it was registered.
    const isInspected = input.active && (isOther || isUnknown || isRemote);
    const inspecting = isInspected ? this.#inspect({ ...row, ...set }) : null;
    // A plugin that stopped being usable stays registered, so its other values can still be changed.
    const inspection = (await (isOther ? inspecting : inspecting?.catch(unusableNow))) ?? null;
    try {
      const { scope, uid } = row;
      const tags = ((await tagsOf(this.#store.read, [uid])).get(uid) ?? []).map(({ name }) => name);
      const kept = another ? null : row.version;
      const version = ownVersion ?? moduleVersion(inspection) ?? kept;
      const recorded = { scope, tags, implementationVersion, version };
      const warnings = inspection === null ? [] : await this.#warningsOf(inspection, recorded);
      const isStated = typeof inspection?.found === 'object';
      const ledgers = isStated || another ? statedLedgers(inspection) : row.ledgers;
      const changed = { ...set, version, ledgers };
      const written = await this.#change(principal, row, changed, 'update', given.name, {
        ...{ isReload: isOther, takeOver: input.takeOver },
      });
      return { row: written.result, warnings: [...warnings, ...takeOverWarnings(written)] };
    } finally {
      await inspection?.release();
    }
  }

  async delete(principal: Principal, pluginId: string): Promise<void> {
    const row = await this.find(principal, pluginId);
    await this.#auth.demand(principal, 'plugin:delete', row.uid);
    refuseBuiltIn(row);
    const more = (await this.#context.uses?.({ uid: row.uid, pluginId: row.pluginId })) ?? [];
    await this.#store.transaction(async (tx) => {
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
      await this.#auth.removeResource(tx, row.uid);
      await this.#record(tx, principal, 'delete', row, row.name);
    });
  }

  async changeTags(
    principal: Principal,
    pluginId: string,
    tags: readonly string[],
    how: 'add' | 'remove',
    takeOver?: boolean,
  ): Promise<PluginRow> {
    const row = await this.find(principal, pluginId);
    await this.#auth.demand(principal, 'plugin:update', row.uid);
    refuseBuiltIn(row);
    const { result } = await this.#change(principal, row, {}, `${how}-tags`, tags.join(','), {
      takeOver,
      work: (tx) => (how === 'add' ? insertTags(tx, row.uid, tags) : deleteTags(tx, row.uid, tags)),
    });
    return result;
  }

  async #checked(input: Pick<NewPlugin, 'name' | 'url' | 'implementationVersion' | 'integrity'>) {
    const name = checkName(input.name, '/name');
    const location = await this.#urls.locate(input.url, '/url');
    const integrity = input.integrity ?? null;
    if (
      integrity !== null &&
      (location.kind === 'remote' || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
    ) {
      const detail =
        location.kind === 'remote'
          ? 'is only allowed for npm: and file: plugins'
          : 'must be sha512- followed by the base64 of 64 bytes';
      throw invalidRequest([{ pointer: '/integrity', detail }]);
    }
    return { isRemote: location.kind === 'remote', fields: { name, url: location.url, integrity } };
  }

  #sealed(place: { uid: string; url: string }, credentials: PluginCredentials | null): Uint8Array | null {
    if (credentials === null) return null;
    checkCredentials(credentials, place.url);
    return sealCredentials(this.#context.masterKey, place, credentials);
  }

  /**
   * Rejects a new URL without credentials. Otherwise, a user who does not know the credentials could have
   * them sent to another server.
   */
  #nextCredentials(
    row: PluginRow,
    url: string,
    given: PluginCredentials | null | undefined,
  ): Uint8Array | null {
    if (given !== undefined) return this.#sealed({ uid: row.uid, url }, given);
    if (row.credentials === null || url === row.url) return row.credentials;
    const detail =
      'must be sent again in full, or as null: the stored credentials are not sent to the new url';
    throw invalidRequest([{ pointer: '/credentials', detail }]);
  }

  #checkVersion(version: string): string {
    const parsed = semver.valid(version);
    const pointer = '/implementationVersion';
    if (parsed === null || !isSemanticVersion(version)) {
      throw invalidRequest([{ pointer, detail: 'must be a semantic version, such as 0.1.0' }]);
    }
    if (!isCompatibleInterface(parsed, this.#context.interfaceVersion)) {
      const detail = `the plugin requires version ${parsed} of the adapter interface, but this server has ${this.#context.interfaceVersion}`;
      throw invalidRequest([{ pointer, detail }]);
    }
    return parsed;
  }

  async #record(
    tx: Tx,
    principal: Principal,
    action: string,
    row: PluginRow,
    target: string,
    before?: PluginRow,
  ) {
    const { uid, pluginId, scope } = row;
    const resource = { resourceUid: uid, resourceId: pluginId, resourceType: 'plugin', scope } as const;
    const named = { ...resource, resourceName: row.name, targetObject: target };
    const changes = before === undefined ? [] : valueChanges(updateOf(before, row));
    await recordActivity(tx, principal, { action, service, ...named, changes }, this.#now());
  }

  async #change(
    principal: Principal,
    row: PluginRow,
    set: Partial<PluginRow>,
    action: string,
    target: string,
    {
      isReload = false,
      takeOver = true,
      work,
    }: { isReload?: boolean; takeOver?: boolean | undefined; work?: (tx: Tx) => Promise<void> } = {},
  ): Promise<TakeOver<PluginRow>> {
    return await this.#store.transaction(async (tx) => {
      // Locks the counter's row first, so that concurrent changes to plugins wait here.
      const revision = await nextId(tx, pluginCounter);
      const { plugin } = tx.t;
      const [before] = await tx.db.select().from(plugin).where(eq(plugin.uid, row.uid));
      if (before === undefined) throw gone('plugin');
      // Permissions were checked for the previously read plugin, so it must be unchanged.
      refuseStale('plugin', before.active === row.active && before.url === row.url);
      const changed = await withTakeOver(tx, row.uid, takeOver, async () => {
        const [written] = await tx.db
          .update(plugin)
          .set({ ...set, revision, ...(isReload && { moduleRevision: revision }), updatedAt: this.#now() })
          .where(eq(plugin.uid, row.uid))
          .returning();
        if (written === undefined) throw gone('plugin');
        await work?.(tx);
        return written;
      });
      await this.#record(tx, principal, action, changed.result, target, before);
      return changed;
    });
  }

  /**
   * Loads the module of the row, to read its definition.
   * @throws Problem `plugin-refused`
   */
  async #inspect(row: Candidate): Promise<PluginInspection | null> {
    if (this.#context.inspect === undefined) return null;
    const { scope, uid, pluginId, name, url, active, integrity, credentials } = row;
    const { project } = this.#store.read.t;
    const [owner] = await this.#store.read.db
      .select({ organizationUid: project.organizationUid })
      .from(project)
      .where(eq(project.uid, scope));
    return await this.#context.inspect({
      uid,
      pluginId,
      name,
      url,
      active,
      integrity,
      credentials,
      projectUid: projectOf(scope),
      organizationUid: owner?.organizationUid ?? null,
    });
  }

  /** Returns warnings about a usable module: likely mistakes, and facts that can only be determined later. */
  async #warningsOf(inspection: PluginInspection, recorded: Recorded): Promise<string[]> {
    const { found } = inspection;
    const { scope, tags, implementationVersion, version } = recorded;
    const ofVersion = versionWarnings(inspection, version);
    if (typeof found === 'string') return [found, ...ofVersion];
    const { technology, interfaceVersion, ledgers } = found;
    const { ledger } = this.#store.read.t;
    const has = async (condition?: SQL) => {
      const usable = scope === systemUid ? undefined : usableIn(ledger.scope, scope);
      const where = and(eq(ledger.technology, technology), usable, condition);
      const rows = await this.#store.read.db.select({ uid: ledger.uid }).from(ledger).where(where).limit(1);
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
            `The plugin can only be chosen by its id, because its tags do not include "${technology}", the technology of its ledgers.`,
          ]),
      ...(isWanted ? [] : [`There is no ledger of technology "${technology}" yet.`]),
      ...(isOfNone ? [`None of the ledgers that the plugin serves is registered${someOf(ledgers)}.`] : []),
      // Build metadata is ignored.
      ...(semver.eq(implementationVersion, interfaceVersion)
        ? []
        : [
            `The module implements version ${interfaceVersion} of the adapter interface, not ${implementationVersion}.`,
          ]),
      ...ofVersion,
    ];
  }
}

/** Returns the inspection of a registered plugin that cannot be used at present. @throws any other error */
function unusableNow(error: unknown): PluginInspection {
  if (!(error instanceof Problem) || error.problem !== 'plugin-refused') throw error;
  return { found: `The plugin cannot be used at present: ${error.message}`, release: async () => {} };
}

/**
 * Returns the ledgers to which a loaded module is restricted, as stored; null if it is not restricted or was
 * not loaded.
 */
function statedLedgers(inspection: PluginInspection | null): string | null {
  if (typeof inspection?.found !== 'object' || inspection.found.ledgers === undefined) return null;
  return JSON.stringify(inspection.found.ledgers);
}

function updateOf(before: PluginRow, after: PluginRow): Update {
  const setOf = ({ name, url, active, integrity, implementationVersion, version }: PluginRow) => ({
    ...{ name, url, active, integrity, implementationVersion, version },
  });
  const hiddenOf = ({ credentials }: PluginRow) => ({
    credentials: credentials === null ? null : Buffer.from(credentials).toString('base64'),
  });
  const hidden = { before: hiddenOf(before), after: hiddenOf(after) };
  return { before: setOf(before), after: setOf(after), hidden };
}

/**
 * Refuses another plugin of a full project. To count concurrent creations one after the other, call it in the
 * transaction while the counter's row is locked.
 */
async function refuseTooMany(tx: Queries, scope: string): Promise<void> {
  if (scope === systemUid) return;
  const count = await tx.db.$count(tx.t.plugin, eq(tx.t.plugin.scope, scope));
  if (count < mostOfProject) return;
  const detail = `This project already has ${count} plugins, and at most ${mostOfProject} are allowed. Delete one that is not needed, or change it.`;
  throw new Problem('conflict', detail);
}

function someOf(ids: readonly string[]): string {
  const rest = ids.length - mostNamed;
  if (ids.length === 0) return '';
  return `: ${ids.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/**
 * Returns what the caller can do about the uses. `serves`: whether ledgers depend on this plugin. If not, the
 * uses are actions that are not signed yet.
 */
function advice(serves: boolean): string {
  return serves
    ? 'No other active plugin serves them. Register another one, or deactivate this one instead.'
    : 'Wait until these actions are signed, or deactivate the plugin instead.';
}
