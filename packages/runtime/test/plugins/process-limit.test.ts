import { expect, onTestFinished, test } from 'vitest';
import { createPluginLoader } from '../../src/plugins/loader.ts';
import { pluginFolder } from './plugin-folder.ts';

test('more modules in processes of their own than the deployer lets run are refused, until one has ended', async () => {
  const { records, write, put } = pluginFolder();
  let now = 1_000;
  const loader = createPluginLoader({
    builtIn: [],
    records: { ...records, policy: { ...records.policy, processes: 2 } },
    log: () => undefined,
    now: () => now,
  });
  onTestFinished(() => loader.close());
  for (const uid of ['one', 'two', 'three']) put({ uid, name: uid, url: write(uid) });
  // What cannot be started takes no place.
  put({ uid: 'broken', name: 'broken', url: write('broken', 'throw new Error();') });
  await expect(loader.plugin('broken')).rejects.toMatchObject({ problem: 'plugin-fault' });

  await Promise.all([loader.plugin('one'), loader.plugin('two')]);
  await expect(loader.plugin('three')).rejects.toMatchObject({
    problem: 'unavailable',
    message: expect.stringMatching(
      /three is not started: this server runs 2 plugins .* no more than 2 \(PLUGIN_PROCESSES\)\. Deactivate/,
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
