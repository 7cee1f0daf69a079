import { expect, onTestFinished, test } from 'vitest';
import { PluginLoader } from '../../src/plugins/loader.ts';
import { pluginFolder } from './plugin-folder.ts';

test("rejects a module process beyond the installation's limit until another process ends", async () => {
  const { records, write, put } = pluginFolder();
  let now = 1_000;
  const loader = new PluginLoader({
    builtIn: [],
    records: { ...records, policy: { ...records.policy, processes: 2 } },
    log: () => undefined,
    now: () => now,
  });
  onTestFinished(() => loader.close());
  for (const uid of ['one', 'two', 'three']) put({ uid, name: uid, url: write(uid) });
  // A module that fails to start does not count.
  put({ uid: 'broken', name: 'broken', url: write('broken', 'throw new Error();') });
  await expect(loader.plugin('broken')).rejects.toMatchObject({ problem: 'plugin-fault' });

  await Promise.all([loader.plugin('one'), loader.plugin('two')]);
  await expect(loader.plugin('three')).rejects.toMatchObject({
    problem: 'unavailable',
    message: expect.stringMatching(
      /three was not started: this server runs 2 plugins .* at most 2 are allowed \(PLUGIN_PROCESSES\)\. Deactivate/,
    ),
  });
  put({ uid: 'one', active: false });
  await loader.sweep(
    () => false,
    () => false,
  );
  now += 60_000;
  expect(await loader.plugin('three')).toMatchObject({ name: 'three' });
});

test('an organization with many projects and plugins leaves processes for other organizations', async () => {
  const { records, write, put } = pluginFolder();
  const loader = new PluginLoader({
    builtIn: [],
    records: { ...records, policy: { ...records.policy, processes: 6 } },
    log: () => undefined,
    now: () => 1_000,
  });
  onTestFinished(() => loader.close());
  const load = (organizationUid: string | null, uid: string) => {
    put({ uid, name: uid, organizationUid, url: write(uid) });
    return loader.plugin(uid);
  };
  const many = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((uid) => load('greedy', uid)));
  expect(many.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'fulfilled'],
    ...['rejected', 'rejected'],
  ]);
  await expect(loader.plugin('e')).rejects.toMatchObject({
    problem: 'unavailable',
    message: expect.stringMatching(
      /e was not started: 3 plugins of its organization run .*, and the remaining 3 of this server are reserved for others \(PLUGIN_PROCESSES\)/,
    ),
  });
  expect(await load('second', 'f')).toMatchObject({ name: 'f' });
  expect(await load('third', 'g')).toMatchObject({ name: 'g' });
  // The deployer's plugins do not belong to an organization, so the limit of an organization does not apply.
  expect(await load(null, 'h')).toMatchObject({ name: 'h' });
});
