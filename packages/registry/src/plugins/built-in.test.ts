import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { createPluginUrls } from './plugin-url.ts';
import { createPlugins } from './plugins.ts';

const one = { name: 'one', technology: 'ledger', interfaceVersion: '0.1.0', version: '1.0.0' };
const two = { ...one, name: 'two' };
const page = { page: 0, size: 20, tags: [], sort: [{ key: 'id', direction: 'asc' as const }] };

describeStores('built-in plugins', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { store, auth, project, other } = world;
    const options = {
      store,
      auth,
      now: Date.now,
      interfaceVersion: '0.1.0',
      urls: createPluginUrls({ modules: ['one'], folders: [], hosts: [] }),
    };
    const plugins = createPlugins(options);
    const stranger = await world.callerIn(other);
    return {
      plugins,
      second: createPlugins(options),
      me: await world.callerIn(project),
      admin: await world.deployer(),
      listed: async () => {
        const { items } = await plugins.list(stranger, { ...page, project: other.uid });
        return items.map(({ id, tags, ...its }) => [id, tags.join(), its.implementationVersion, its.version]);
      },
    };
  }

  it('every project lists the built-in plugins of the most recently started server', async () => {
    const { plugins, second, listed } = await start();
    await Promise.all([plugins.recordBuiltIn([one, two]), second.recordBuiltIn([one, two])]);
    expect(await listed()).toEqual([
      ['one', 'ledger,one', '0.1.0', '1.0.0'],
      ['two', 'ledger,two', '0.1.0', '1.0.0'],
    ]);
    const revision = await plugins.revision();
    await second.recordBuiltIn([one, two]);
    expect(await plugins.revision()).toBe(revision);
    await second.recordBuiltIn([{ ...two, technology: 'another', interfaceVersion: '0.1.1' }]);
    expect(await listed()).toEqual([['two', 'another,two', '0.1.1', '1.0.0']]);
    await second.recordBuiltIn([{ ...two, version: '1.1.0' }]);
    expect(await listed()).toEqual([['two', 'ledger,two', '0.1.0', '1.1.0']]);
    await plugins.recordBuiltIn([]);
    expect(await listed()).toEqual([]);
  });

  it('built-in plugins are not stored as records, and do not replace a record of the deployer with the same id', async () => {
    const { plugins, admin, me, listed } = await start();
    const legacy = { name: 'mine', pluginURL: 'npm:one', pluginId: 'one', project: 'system' };
    await plugins.legacy.create(admin, legacy);
    await plugins.recordBuiltIn([one, two]);
    expect((await plugins.get(me, 'one')).name).toBe('mine');
    expect(await listed()).toHaveLength(2);
    expect((await plugins.all()).map(({ pluginId }) => pluginId)).toEqual(['one']);
    await plugins.delete(admin, 'one');
    await plugins.recordBuiltIn([one, two]);
    expect((await plugins.get(me, 'one')).url).toBe('built-in:one');
  });
});
