import { type Principal, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure, timelineOf } from '../../test/world.ts';
import { createPluginUrls } from './plugin-url.ts';
import { createPlugins } from './plugins.ts';
import type { NewPlugin, PluginInspection } from './types.ts';

const firstPage = { page: 0, size: 20, sort: [] };

describeStores('plugin records', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { store, auth, project, other } = world;
    let clock = 5_000;
    const options = {
      store,
      auth,
      now: () => {
        clock += 1;
        return clock;
      },
      urls: createPluginUrls({ modules: ['one', 'two'], folders: [], hosts: ['plugins.example'] }),
      interfaceVersion: '0.1.3',
    };
    const plugins = createPlugins(options);
    return {
      ...world,
      options,
      plugins,
      // Another server on the same database.
      second: createPlugins(options),
      me: await world.callerIn(project),
      stranger: await world.callerIn(other),
      viewer: await world.callerIn(project, 'viewer'),
      admin: await world.deployer(),
      add: (principal: Principal, input: Partial<NewPlugin> = {}) =>
        plugins.create(principal, { name: 'Plugin', url: 'npm:one', ...input }),
    };
  }

  it('creates an active plugin with its resource', async () => {
    const { plugins, auth, me, project, add } = await start();
    const tags = ['ethereum', 'fast', 'ethereum'];
    const { warnings, ...made } = await add(me, { tags, implementationVersion: '0.1.2' });
    expect(warnings).toEqual([]);
    expect(made).toEqual({
      active: true,
      id: made.id,
      implementationVersion: '0.1.2',
      version: null,
      name: 'Plugin',
      pluginType: 'BLOCKCHAIN_PLUGIN',
      projectId: project.projectId,
      tags: ['ethereum', 'fast'],
      url: 'npm:one',
      integrity: null,
      hasCredentials: false,
    });
    expect(await plugins.get(me, made.id)).toEqual(made);
    expect((await auth.decide(me, ['plugin:update'], made.id)).result).toBe(true);
    expect(await add(me)).toMatchObject({ implementationVersion: '0.1.3', tags: [] });
  });

  it('lists plugins of the project and the deployer that have all given tags, in pages', async () => {
    const { plugins, me, stranger, admin, add, project, other } = await start();
    await add(me, { name: 'a', tags: ['x', 'y'] });
    await add(me, { name: 'b', tags: ['x'] });
    await add(stranger, { name: 'foreign', tags: ['x', 'y'] });
    await add(admin, { name: 'c', projectId: 'system', tags: ['y', 'x', 'z'] });
    const names = async (principal: Principal, query: object = {}) => {
      const all = { ...firstPage, project: project.projectId, tags: [], ...query };
      const { items, total } = await plugins.list(principal, all);
      return [items.map(({ name }) => name).join(), total];
    };
    expect(await names(me)).toEqual(['a,b,c', 3]);
    expect(await names(me, { tags: ['x', 'y'] })).toEqual(['a,c', 2]);
    expect(await names(me, { tags: ['x', 'x'] })).toEqual(['a,b,c', 3]);
    expect(await names(me, { tags: ['none'] })).toEqual(['', 0]);
    expect(await names(me, { page: 1, size: 2, sort: [{ key: 'name', direction: 'desc' }] })).toEqual([
      'a',
      3,
    ]);
    expect(await names(me, { page: 9 })).toEqual(['', 3]);
    // A project that the caller cannot see is reported as missing.
    expect(await names(me, { project: other.projectId })).toEqual(['', 0]);
    expect(await names(stranger, { project: other.projectId })).toEqual(['foreign,c', 2]);
    expect(await names(me, { project: 'none' })).toEqual(['', 0]);
    expect(await failure(names(me, { sort: [{ key: 'scope', direction: 'asc' }] }))).toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: 'sort' }],
    });
  });

  it('limits a project to twenty plugins, even for concurrent requests', async () => {
    const { plugins, me, stranger, admin, add } = await start();
    const made = await Promise.all(Array.from({ length: 19 }, () => add(me)));
    const both = await Promise.allSettled([add(me), add(me)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await failure(add(me))).toMatchObject({
      problem: 'conflict',
      message: expect.stringContaining('at most 20 are allowed. Delete one that is not needed'),
    });
    await add(stranger);
    await add(admin, { projectId: 'system' });
    await plugins.delete(me, made[0]?.id ?? '');
    await add(me);
  });

  it('inspects the module before recording it, and warns about likely mistakes', async () => {
    const { options, me, stranger } = await start();
    const asked: unknown[] = [];
    const plugins = createPlugins({
      ...options,
      async inspect(candidate) {
        asked.push(candidate.url);
        if (candidate.url === 'npm:two') throw new Problem('plugin-refused', 'It is not a plugin.');
        const found = { technology: 'toy', interfaceVersion: '0.1.2', version: '3.0.0' };
        return { found, release: async () => void asked.push('released') };
      },
    });
    const one = { name: 'One', url: 'npm:one', tags: ['other'] };
    expect(await plugins.create(me, one)).toMatchObject({
      implementationVersion: '0.1.2',
      warnings: [expect.stringContaining('"toy"'), expect.stringContaining('no ledger of technology')],
    });
    const { id } = await plugins.create(me, { ...one, tags: ['toy'], implementationVersion: '0.1.1' });
    expect(asked).toEqual(['npm:one', 'released', 'npm:one', 'released']);
    // A module is not loaded for a caller who may not register plugins.
    const { projectId } = await plugins.get(me, id);
    expect(await failure(plugins.create(stranger, { ...one, projectId }))).toMatchObject({
      problem: 'not-found',
    });
    expect(await failure(plugins.create(me, { ...one, url: 'npm:two' }))).toMatchObject({
      problem: 'plugin-refused',
    });
    const change = { name: 'Two', active: true, url: 'npm:one' };
    expect(await plugins.update(me, id, change)).toMatchObject({ name: 'Two', warnings: [] });
    expect(await failure(plugins.update(me, id, { ...change, url: 'npm:two' }))).toMatchObject({
      problem: 'plugin-refused',
    });
    expect((await plugins.get(me, id)).url).toBe('npm:one');
    expect(asked).toEqual(['npm:one', 'released', 'npm:one', 'released', 'npm:two', 'npm:two']);
  });

  it('stores the version and the interface version of a plugin separately, from the request or from the module', async () => {
    const { options, me } = await start();
    let found: PluginInspection['found'] = {
      technology: 'toy',
      interfaceVersion: '0.1.2',
      version: '3.0.0+1',
    };
    const plugins = createPlugins({
      ...options,
      inspect: async () => ({ found, release: async () => undefined }),
    });
    const input = { name: 'One', url: 'npm:one', tags: ['toy'] };
    const made = await plugins.create(me, input);
    expect(made).toMatchObject({ implementationVersion: '0.1.2', version: '3.0.0+1' });
    expect((await plugins.all())[0]).toMatchObject({ implementationVersion: '0.1.2', version: '3.0.0+1' });
    const given = await plugins.create(me, { ...input, version: '2.9.0' });
    expect(given).toMatchObject({
      version: '2.9.0',
      warnings: expect.arrayContaining(['The module reports the version 3.0.0+1, not 2.9.0.']),
    });

    // Absent: the version stays until the module is loaded again.
    found = { ...found, version: '4.0.0' };
    const set = { active: true, name: 'Two', url: 'npm:one' };
    expect((await plugins.update(me, made.id, set)).version).toBe('3.0.0+1');
    expect((await plugins.update(me, made.id, { ...set, version: '3.5.0' })).version).toBe('3.5.0');
    expect((await plugins.update(me, made.id, { ...set, active: false })).version).toBe('3.5.0');
    expect((await plugins.update(me, made.id, set)).version).toBe('4.0.0');
    expect((await plugins.get(me, made.id)).version).toBe('4.0.0');
    const query = { ...firstPage, project: made.projectId, tags: [] };
    const sort = [{ key: 'version', direction: 'desc' as const }];
    expect((await plugins.list(me, { ...query, sort })).items.map(({ version }) => version)).toEqual([
      '4.0.0',
      '2.9.0',
    ]);
    for (const version of ['latest', '1.0', '01.0.0', '']) {
      for (const refused of [
        plugins.create(me, { ...input, version }),
        plugins.update(me, made.id, { ...set, version }),
      ])
        expect(await failure(refused)).toMatchObject({
          problem: 'invalid-request',
          errors: [{ pointer: '/version' }],
        });
    }
  });

  it('the version of an unreachable module stays unknown until an update reaches the module', async () => {
    const { options, me } = await start();
    let found: PluginInspection['found'] = 'The plugin does not respond.';
    const plugins = createPlugins({
      ...options,
      inspect: async () => ({ found, release: async () => undefined }),
    });
    const input = { name: 'One', url: 'npm:one', tags: ['toy'] };
    const { id, version, warnings } = await plugins.create(me, input);
    expect([version, warnings]).toEqual([
      null,
      ['The plugin does not respond.', expect.stringContaining('version is unknown')],
    ]);
    expect((await plugins.create(me, { ...input, version: '1.0.0' })).warnings).toEqual([
      'The plugin does not respond.',
    ]);
    const set = { active: true, name: 'One', url: 'npm:one' };
    expect((await plugins.update(me, id, set)).version).toBeNull();
    found = { technology: 'toy', interfaceVersion: '0.1.2', version: '01.0.0' };
    expect(await plugins.update(me, id, set)).toMatchObject({
      version: null,
      warnings: expect.arrayContaining([expect.stringContaining('"01.0.0"')]),
    });
    found = { ...found, version: '1.0.0' };
    expect((await plugins.update(me, id, set)).version).toBe('1.0.0');
    // The stored version belonged to the previous module.
    found = 'The plugin does not respond.';
    expect((await plugins.update(me, id, { ...set, active: false })).version).toBe('1.0.0');
    expect((await plugins.update(me, id, { ...set, url: 'npm:two' })).version).toBeNull();
  });

  it('warns about a plugin that serves only unknown ledgers', async () => {
    const { options, me, ledger } = await start();
    let ledgers: string[] | undefined;
    const plugins = createPlugins({
      ...options,
      inspect: async () => ({
        found: {
          technology: 'ethereum',
          interfaceVersion: '0.1.3',
          version: '1.0.0',
          ...(ledgers && { ledgers }),
        },
        release: async () => undefined,
      }),
    });
    const warnings = async (...its: string[]) => {
      ledgers = its;
      return (await plugins.create(me, { name: 'One', url: 'npm:one', tags: ['ethereum'] })).warnings;
    };
    expect(await warnings('main')).toEqual([expect.stringContaining('no ledger of technology')]);
    await ledger({ ledgerId: 'main' });
    expect(await warnings('other', 'main')).toEqual([]);
    expect(await warnings('other', 'third')).toEqual([
      'None of the ledgers that the plugin serves is registered: other, third.',
    ]);
    expect(await warnings(...Array.from({ length: 12 }, (_, index) => `l${index}`))).toEqual([
      expect.stringMatching(/: l0, .*, l9 and 2 more\.$/),
    ]);
    expect(await warnings()).toEqual(['None of the ledgers that the plugin serves is registered.']);
  });

  it('stores the description of a module until the plugin uses another module or is deleted', async () => {
    const { plugins, second, store, me, add } = await start();
    await add(me);
    const [one] = await plugins.all();
    if (one === undefined) throw new Error('There is no plugin.');
    const kept = async () => (await second.descriptions([one.uid, 'another'])).get(one.uid);
    expect(await kept()).toBeUndefined();
    await plugins.keepDescription(one, 'first');
    expect(await kept()).toBe('first');
    const revision = await plugins.revision();
    await second.keepDescription(one, 'newer');
    expect(await kept()).toBe('newer');
    // No plugin changed, so no module needs to be reloaded.
    expect(await plugins.revision()).toBe(revision);

    await plugins.update(me, one.pluginId, { active: true, name: 'n', url: 'npm:two' });
    expect(await kept()).toBeUndefined();
    await second.keepDescription(one, 'late');
    expect(await kept()).toBeUndefined();
    await plugins.update(me, one.pluginId, { active: true, name: 'n', url: 'npm:one' });
    expect(await kept()).toBe('newer');
    await plugins.delete(me, one.pluginId);
    await second.keepDescription(one, 'late');
    const { pluginDescription } = store.read.t;
    expect(await store.read.db.select().from(pluginDescription)).toEqual([]);
  });

  it('reports that a module must be reloaded after it is replaced or reactivated', async () => {
    const { plugins, second, me, add } = await start();
    const { id } = await add(me);
    const revisions = async () => {
      const [{ revision = 0, moduleRevision = 0 } = {}] = await second.all();
      return [moduleRevision, revision] as const;
    };
    const [made] = await revisions();
    await plugins.addTags(me, id, ['ethereum']);
    const set = { active: true, name: 'New', url: 'npm:one' };
    await plugins.update(me, id, set);
    await plugins.update(me, id, { ...set, active: false });
    expect((await revisions())[0]).toBe(made);
    await plugins.update(me, id, set);
    const [again, last] = await revisions();
    expect([again > made, again === last]).toEqual([true, true]);
    await plugins.update(me, id, { ...set, url: 'npm:two' });
    expect((await revisions())[0]).toBeGreaterThan(again);
  });

  it('refuses plugin changes without the permission, and hides plugins that the caller may not see', async () => {
    const { plugins, me, stranger, viewer, admin, add, project } = await start();
    const own = await add(me);
    const { warnings: _, ...common } = await add(admin, { projectId: 'system' });
    expect(common.projectId).toBe('system');
    expect(await failure(add(viewer))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(add(me, { projectId: 'system' }))).toMatchObject({ problem: 'not-found' });
    expect(await failure(add(stranger, { projectId: project.projectId }))).toMatchObject({
      problem: 'not-found',
    });
    expect(await failure(add(me, { projectId: 'none' }))).toMatchObject({
      problem: 'not-found',
      errors: [{ pointer: '/projectId' }],
    });
    expect(await plugins.get(stranger, common.id)).toEqual(common);
    expect(await failure(plugins.get(stranger, own.id))).toMatchObject({ problem: 'not-found' });
    const change = { active: false, name: 'x', url: 'npm:one' };
    expect(await failure(plugins.update(stranger, own.id, change))).toMatchObject({ problem: 'not-found' });
    expect(await failure(plugins.update(viewer, own.id, change))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(plugins.update(me, common.id, change))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(plugins.delete(me, common.id))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(plugins.addTags(viewer, own.id, ['t']))).toMatchObject({ problem: 'not-permitted' });
  });

  it('updates the given values, and rejects an unsupported interface version with a message that names both versions', async () => {
    const { plugins, me, add } = await start();
    const { id } = await add(me, { implementationVersion: '0.1.1' });
    const changed = await plugins.update(me, id, { active: false, name: 'New', url: 'npm:two@^2' });
    expect(changed).toMatchObject({
      active: false,
      name: 'New',
      url: 'npm:two@^2',
      implementationVersion: '0.1.1',
    });
    for (const implementationVersion of ['0.2.0', '1.0.0', '0.1.4']) {
      const error = await failure(add(me, { implementationVersion }));
      expect(error).toMatchObject({ errors: [{ pointer: '/implementationVersion' }] });
      expect(String(error)).toContain(implementationVersion);
      expect(String(error)).toContain('0.1.3');
    }
    const wrong: [Partial<NewPlugin>, string][] = [
      [{ implementationVersion: 'latest' }, '/implementationVersion'],
      [{ url: 'npm:three' }, '/url'],
      [{ url: 'https://other.example' }, '/url'],
      [{ name: '' }, '/name'],
      [{ tags: ['ok', 'a,b'] }, '/tags/1'],
      [{ tags: [''] }, '/tags/0'],
      [{ tags: Array.from({ length: 65 }, (_, i) => `t${i}`) }, '/tags'],
      [{ integrity: 'sha256-abc' }, '/integrity'],
      [{ url: 'https://plugins.example', integrity: `sha512-${'A'.repeat(86)}==` }, '/integrity'],
    ];
    for (const [input, pointer] of wrong) {
      expect(await failure(add(me, input))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer }],
      });
    }
  });

  it('a plugin keeps its pinned integrity until its URL changes', async () => {
    const { plugins, me, add } = await start();
    const integrity = `sha512-${'A'.repeat(86)}==`;
    const { id } = await add(me, { integrity });
    const same = await plugins.update(me, id, { active: true, name: 'n', url: 'npm:one' });
    expect(same.integrity).toBe(integrity);
    expect((await plugins.update(me, id, { active: true, name: 'n', url: 'npm:two' })).integrity).toBeNull();
  });

  it('tags of a plugin are added and removed as a set, even concurrently', async () => {
    const { plugins, second, me, add } = await start();
    const { id } = await add(me, { tags: ['a'] });
    await Promise.all([
      plugins.addTags(me, id, ['b', 'c']),
      second.addTags(me, id, ['c', 'd']),
      plugins.addTags(me, id, ['c']),
    ]);
    expect((await plugins.get(me, id)).tags.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect((await plugins.removeTags(me, id, ['a', 'none', 'd'])).tags.toSorted()).toEqual(['b', 'c']);
    expect((await plugins.removeTags(me, id, [])).tags.toSorted()).toEqual(['b', 'c']);
  });

  it('each plugin change increases the revision that every server sees at its next call', async () => {
    const { plugins, second, me, add, ledger, project } = await start();
    expect(await plugins.revision()).toBe(0);
    const { id } = await add(me, { tags: ['ethereum'] });
    const on = await ledger();
    expect((await second.choose(on, project.uid)).pluginId).toBe(id);
    const before = (await second.all())[0]?.revision ?? 0;
    await plugins.update(me, id, { active: false, name: 'n', url: 'npm:one' });
    expect((await second.all())[0]?.revision).toBeGreaterThan(before);
    expect(await failure(second.choose(on, project.uid))).toMatchObject({ problem: 'no-plugin' });
    await plugins.delete(me, id);
    expect(await second.all()).toEqual([]);
  });

  it('rejects the deletion of the only plugin that serves some wallets, and lists the wallets', async () => {
    const { plugins, options, auth, me, add, ledger, store, project } = await start();
    const { uid: ledgerUid } = await ledger({ ledgerId: 'main' });
    await store.transaction((tx) =>
      tx.db.insert(tx.t.wallet).values({
        uid: 'w',
        projectId: project.uid,
        walletId: 'w',
        ledgerUid,
        ledgerId: 'main',
        chainId: '1',
        address: '0x',
        material: null,
        keyType: 'secp256k1',
        publicKey: Buffer.of(1),
        kdf: '{}',
        sealedSecret: Buffer.of(1),
        sealedDataKey: Buffer.of(1),
        keyVersion: 1,
        createdBy: 'me',
        createdAt: 1,
        updatedAt: 1,
      }),
    );
    const { id } = await add(me, { tags: ['ethereum'] });
    const error = await failure(plugins.delete(me, id));
    expect(error).toMatchObject({ problem: 'in-use' });
    expect(String(error)).toContain('1 wallet on the ledger main');
    const { id: other } = await add(me, { tags: ['ethereum'] });
    await plugins.delete(me, id);
    expect(await failure(plugins.get(me, id))).toMatchObject({ problem: 'not-found' });
    expect((await auth.decide(me, ['plugin:read'], id)).result).toBe(false);
    const asked = createPlugins({ ...options, uses: async () => ['2 remote wallets'] });
    const { id: third } = await add(me);
    expect(String(await failure(asked.delete(me, third)))).toContain('2 remote wallets');
    // An inactive plugin serves no wallets.
    await plugins.update(me, other, { active: false, name: 'n', url: 'npm:one' });
    await plugins.delete(me, other);
  });

  it('rejects the deletion of a plugin whose planned actions are not signed yet, and lists them', async () => {
    const { plugins, store, me } = await start();
    const { id } = await plugins.create(me, { name: 'n', url: 'npm:one' });
    const [record] = await plugins.all();
    const action = (actionId: string, stage: string) => ({
      id: actionId,
      projectId: 'p',
      appId: 'a',
      caller: 'c',
      walletUid: 'w',
      walletId: 'w',
      plan: '{}',
      ledgerUid: 'l',
      ledgerId: 'l',
      chain: 'c',
      shard: 0,
      address: '0x',
      intent: '',
      operation: '{}',
      status: 'PENDING',
      stage,
      plugin: record?.uid ?? '',
      cost: '0',
      blockers: 0,
      minHeight: 0,
      deadline: 1,
      createdAt: 1,
      updatedAt: 1,
    });
    const { action: table } = store.read.t;
    await store.transaction(async (tx) => {
      for (const [name, stage] of [
        ['first', 'ready'],
        ['second', 'blocked'],
        ['third', 'signed'],
      ] as const) {
        await tx.db.insert(tx.t.action).values(action(name, stage));
      }
    });
    expect(await failure(plugins.delete(me, id))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['actions that are waiting to be signed: first, second'] },
    });
    await store.transaction((tx) => tx.db.update(table).set({ stage: 'signed' }));
    await plugins.delete(me, id);
    expect(await plugins.all()).toEqual([]);
  });

  it('stores the response for an Idempotency-Key, and creates nothing if the key is reused', async () => {
    const { plugins, store, me } = await start();
    const claim = { scope: 's', key: 'k', fingerprint: 'f' };
    const input = { name: 'Plugin', url: 'npm:one' };
    const made = await plugins.create(me, input, claim);
    const [row] = await store.read.db.select().from(store.read.t.idempotency);
    expect([row?.status, JSON.parse(row?.body ?? '')]).toEqual([201, made]);
    expect(await failure(plugins.create(me, input, claim))).toMatchObject({ problem: 'conflict' });
    expect(await plugins.all()).toHaveLength(1);
  });

  it('deprecated and current operations return the same records, with ids unique per project', async () => {
    const { plugins, me, stranger, project } = await start();
    const { legacy } = plugins;
    const made = await legacy.create(me, {
      name: 'Old',
      pluginURL: 'npm:one',
      pluginId: 'my-plugin',
      tags: [{ name: 'a' }],
    });
    expect(made).toEqual({
      id: 1,
      name: 'Old',
      pluginId: 'my-plugin',
      pluginURL: 'npm:one',
      project: project.projectId,
      resourceId: 'my-plugin',
      tags: [{ id: 1, name: 'a' }],
    });
    expect(await plugins.get(me, 'my-plugin')).toMatchObject({
      id: 'my-plugin',
      url: 'npm:one',
      tags: ['a'],
    });
    const input = { name: 'Old', pluginURL: 'npm:one', pluginId: 'my-plugin' };
    await legacy.create(stranger, input);
    expect(await failure(legacy.create(me, input))).toMatchObject({ problem: 'already-exists' });
    expect((await legacy.get(stranger, 'my-plugin')).id).not.toBe(made.id);
    expect(await legacy.addTag(me, 'my-plugin', { name: 'b' })).toMatchObject({
      tags: [{ name: 'a' }, { name: 'b' }],
    });
    expect(await legacy.removeTag(me, 'my-plugin', 'a')).toMatchObject({ tags: [{ name: 'b' }] });
    expect(await legacy.listTags(me, 'my-plugin')).toEqual([{ id: 2, name: 'b' }]);
    const query = { ...firstPage, project: project.projectId, tags: ['b'] };
    expect((await legacy.list(me, query)).items.map(({ pluginId }) => pluginId)).toEqual(['my-plugin']);
    expect((await legacy.list(me, { ...query, resourceId: 'none' })).total).toBe(0);
    expect((await legacy.list(me, { ...query, resourceId: 'my-plugin' })).total).toBe(1);
    expect(await legacy.update(me, 'my-plugin', { name: 'Newer', pluginURL: 'npm:two' })).toMatchObject({
      name: 'Newer',
      pluginURL: 'npm:two',
    });
    expect(
      await failure(legacy.update(me, 'my-plugin', { name: 'x', pluginURL: 'npm:three' })),
    ).toMatchObject({
      errors: [{ pointer: '/pluginURL' }],
    });
    expect(await failure(legacy.addTag(me, 'my-plugin', { name: '' }))).toMatchObject({
      problem: 'invalid-request',
    });
    await legacy.delete(me, 'my-plugin');
    expect(await failure(legacy.get(me, 'my-plugin'))).toMatchObject({ problem: 'not-found' });
    expect((await legacy.get(stranger, 'my-plugin')).name).toBe('Old');
  });

  it('accepts one of two concurrent creations with the same id', async () => {
    const { plugins, second, me } = await start();
    const input = { name: 'n', pluginURL: 'npm:one', pluginId: 'same' };
    const results = await Promise.allSettled([
      plugins.legacy.create(me, input),
      second.legacy.create(me, input),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { problem: 'already-exists' },
    });
  });

  it('writes each plugin change to the timeline', async () => {
    const { plugins, store, me, admin, add } = await start();
    const { id } = await add(me);
    await plugins.update(me, id, { active: true, name: 'n', url: 'npm:one' });
    await plugins.addTags(me, id, ['a', 'b']);
    await plugins.removeTags(me, id, ['a']);
    await plugins.delete(me, id);
    const records = await timelineOf(store).byResource(me, id);
    expect(records.map(({ action, targetObject }) => [action, targetObject])).toEqual([
      ['create', 'Plugin'],
      ['update', 'n'],
      ['add-tags', 'a,b'],
      ['remove-tags', 'a'],
      ['delete', 'n'],
    ]);
    const common = await add(admin, { projectId: 'system' });
    const [row] = await store.read.db.select().from(store.read.t.plugin);
    expect([row?.pluginId, row?.scope]).toEqual([common.id, systemUid]);
  });
});
