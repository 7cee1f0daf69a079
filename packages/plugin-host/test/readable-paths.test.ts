import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { closedPaths } from '../src/sandbox/closed-paths.ts';
import { readFlags } from '../src/sandbox/read-flags.ts';
import { readablePaths } from '../src/sandbox/readable-paths.ts';
import { workspaceOf } from '../src/sandbox/workspace.ts';
import { problemOf } from './modules.ts';

/** Returns a folder with these files. A content that starts with `->` creates a link. */
function folderOf(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'readable-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text.startsWith('->')) symlinkSync(text.slice(2), path);
    else writeFileSync(path, text);
  }
  return root;
}

/** Returns the requested files that Node lets a process read with these paths. */
function opened(paths: readonly string[], asked: readonly string[]): string[] {
  const code = `console.log(JSON.stringify(${JSON.stringify(asked)}.filter((path) => process.permission.has('fs.read', path))))`;
  const { stdout } = spawnSync(process.execPath, ['--permission', ...readFlags(paths), '-e', code], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

const manifest = (...dependencies: string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])) });

test('a module can read its own folder and all its dependencies, wherever they are installed', async () => {
  const root = folderOf({
    'package.json': manifest('unnamed'),
    'node_modules/one/package.json': manifest('two'),
    'node_modules/two/package.json': manifest('one', 'absent'),
    'node_modules/two/node_modules/inner/package.json': '{}',
    'node_modules/unnamed/package.json': '{}',
    'plugins/own/package.json': manifest('one', '../two', '..', '/', '@a/../..', 'file:x'),
    'plugins/own/dist/package.json': '{"type":"module"}',
    'plugins/own/dist/index.js': '',
  });
  const own = join(root, 'plugins/own');
  const file = join(own, 'dist/index.js');
  const { paths, absent, leftOut } = await readablePaths('p', file, own, []);
  const installed = join(root, 'node_modules');
  expect(paths.toSorted()).toEqual(
    [join(installed, 'one'), join(installed, 'two/package.json'), own].toSorted(),
  );
  expect(leftOut).toEqual([]);
  expect(absent).toEqual(
    expect.arrayContaining([join(installed, 'two/node_modules/one'), join(installed, 'absent')]),
  );
});

test('a plugin can read the dependencies of a package.json above its folder, but not the folder of that package.json', async () => {
  const root = folderOf({
    'package.json': manifest('one'),
    'node_modules/one/package.json': '{}',
    'plugins/module.mjs': '',
    'plugins/words.mjs': '',
  });
  const { paths } = await readablePaths('p', join(root, 'plugins/module.mjs'), join(root, 'plugins'), []);
  expect(paths.toSorted()).toEqual([join(root, 'node_modules/one'), join(root, 'plugins')]);
});

test('rejects a folder that contains a closed path or is inside one, in any spelling', async () => {
  const root = folderOf({
    'data/file': '',
    'data/plugin/module.mjs': '',
    'app/module.mjs': '',
    'app/key': '',
    'app/own/module.mjs': '',
    link: '->data',
  });
  const closed = [
    { name: 'DATA_DIR', path: join(root, 'link') },
    { name: 'MASTER_KEY_FILE', path: join(root, 'app/key') },
    { name: 'CONFIG_FILE', path: join(root, 'app/later/config.json') },
  ];
  const holds = closedPaths(closed);
  const held = (path: string) => holds(join(root, path));
  expect(['data', 'data/file', 'data/plugin', '.', 'link/plugin'].map(held)).toEqual(
    Array(5).fill('DATA_DIR'),
  );
  expect(['app', 'app/key'].map(held)).toEqual(['MASTER_KEY_FILE', 'MASTER_KEY_FILE']);
  expect(['app/own', 'app/module.mjs', 'app/absent'].map(held)).toEqual([undefined, undefined, undefined]);
  rmSync(join(root, 'app/key'));
  expect(held('app')).toBe('MASTER_KEY_FILE');
  const open = (folder: string) =>
    readablePaths('Named', join(root, folder, 'module.mjs'), join(root, folder), closed);
  for (const folder of ['data/plugin', 'app']) {
    const problem = await problemOf(open(folder));
    expect(problem).toMatchObject({
      code: 'adapter-fault',
      detail: expect.stringContaining('The plugin Named cannot run'),
    });
    expect(JSON.stringify(problem)).not.toContain(root);
  }
  expect(await open('app/own')).toMatchObject({ leftOut: [] });
});

test('omits links that lead out of a readable folder, and keeps the rest of the folder', async () => {
  const root = folderOf({
    'secret/file': '',
    'own/package.json': '{}',
    'own/module.mjs': '',
    'own/lib/a.js': '',
    'own/lib/leak': '->../../secret',
    'own/lib/other': '->../../secret/file',
    'own/lib/dangling': '->../../secret/later',
    'own/alias.mjs': '->module.mjs',
    'own/inside': '->lib',
    'own/.env': '',
    'own/src/b.js': '',
  });
  const own = join(root, 'own');
  const { paths } = await readablePaths('p', join(own, 'module.mjs'), own, []);
  const expected = ['.env', 'alias.mjs', 'lib/a.js', 'module.mjs', 'package.json', 'src'];
  expect(paths.toSorted()).toEqual(expected.map((name) => join(own, name)));
  const asked = [
    ...expected,
    'lib/leak',
    'lib/leak/file',
    'lib/other',
    'lib/dangling',
    'inside/leak',
    'src/b.js',
  ];
  const readable = opened(
    paths,
    asked.map((name) => join(own, name)),
  );
  expect(readable).toEqual([...expected, 'src/b.js'].map((name) => join(own, name)));
});

test('omits a dependency that would make a closed path or files around the module readable', async () => {
  const root = folderOf({
    'package.json': '{}',
    'data/package.json': '{}',
    'packages/linked/package.json': '{}',
    'packages/linked/node_modules/up': '->../../..',
    'packages/leaking/package.json': '{}',
    'packages/leaking/leak': '->../../data',
    'packages/clean/package.json': manifest('linked'),
    'packages/clean/index.js': '',
    'plugins/own/package.json': manifest('root', 'data', 'linked', 'leaking', 'clean', 'around'),
    'plugins/own/module.mjs': '',
    'node_modules/root': '->..',
    'node_modules/data': '->../data',
    'node_modules/linked': '->../packages/linked',
    'node_modules/leaking': '->../packages/leaking',
    'node_modules/clean': '->../packages/clean',
    'node_modules/around': '->../plugins',
    'plugins/package.json': '{}',
  });
  const own = join(root, 'plugins/own');
  const closed = [{ name: 'DATA_DIR', path: join(root, 'data') }];
  const { paths, leftOut } = await readablePaths('p', join(own, 'module.mjs'), own, closed);
  expect(paths.toSorted()).toEqual(
    [join(root, 'node_modules/clean'), join(root, 'packages/clean'), own].toSorted(),
  );
  expect(leftOut.map(({ dependency }) => dependency)).toEqual([
    'root',
    'data',
    'linked',
    'leaking',
    'around',
  ]);
  expect(
    opened(paths, [join(root, 'node_modules/root/data'), join(root, 'data'), join(root, 'package.json')]),
  ).toEqual([]);
});

test('a package linked from a module’s node_modules is readable only if the package is installed or in the workspace', async () => {
  const root = folderOf({
    'app/package.json': '{}',
    'app/.env': 'secret',
    'other/package.json': '{}',
    'other/.env': 'secret',
    'store/node_modules/installed/package.json': manifest('further'),
    'store/node_modules/further': '->../../other',
    'plugins/own/package.json': manifest(
      ...['app', 'dots', '@scope/app', 'modules', 'self', 'nested', 'real', 'installed'],
    ),
    'plugins/own/module.mjs': '',
    'plugins/own/node_modules/app': '->../../../app',
    'plugins/own/node_modules/dots': '->../../../store/node_modules/../../app',
    'plugins/own/node_modules/@scope': '->../../..',
    'store/node_modules/package.json': '{}',
    'plugins/own/node_modules/modules': '->../../../store/node_modules',
    'plugins/own/node_modules/self': '->../lib',
    'plugins/own/lib/package.json': '{}',
    'plugins/own/lib/deep/node_modules/leak': '->../../../../../app',
    'plugins/own/node_modules/nested': '->../nested',
    'plugins/own/nested/package.json': manifest('other'),
    'plugins/own/nested/node_modules/other': '->../../../../other',
    'plugins/own/node_modules/real/package.json': manifest('leak'),
    'plugins/own/node_modules/real/node_modules/leak': '->../../../../../app',
    'plugins/own/node_modules/installed': '->../../../store/node_modules/installed',
  });
  const own = join(root, 'plugins/own');
  const { paths, leftOut } = await readablePaths('p', join(own, 'module.mjs'), own, []);
  const secrets = ['app/.env', 'other/.env'].map((name) => join(root, name));
  const ways = ['app', 'dots', '@scope/app', 'self/deep/node_modules/leak', 'nested/node_modules/other']
    .concat('real/node_modules/leak', 'modules/further', '@scope/other')
    .map((name) => join(own, 'node_modules', name, '.env'));
  expect(opened(paths, [...secrets, ...ways])).toEqual([]);
  expect(leftOut.map(({ dependency }) => dependency).toSorted()).toEqual(
    ['@scope/app', 'app', 'dots', 'further', 'leak', 'modules', 'nested', 'self'].toSorted(),
  );
  const installed = ['plugins/own', 'store'].map((name) => join(root, name, 'node_modules/installed'));
  expect(opened(paths, [join(own, 'node_modules/real/package.json'), ...installed])).toHaveLength(3);
});

test('packages of one workspace can read each other, and an installed module belongs to no workspace', async () => {
  const files = {
    'workspace/pnpm-workspace.yaml': '',
    'workspace/node_modules/.store/far/package.json': '{}',
    'workspace/packages/own/package.json': manifest('near'),
    'workspace/packages/own/module.mjs': '',
    'workspace/packages/own/node_modules/near': '->../../near',
    'workspace/packages/near/package.json': manifest('next', 'far', 'out'),
    'workspace/packages/near/node_modules/next': '->../../next',
    'workspace/packages/near/node_modules/far': '->../../../node_modules/.store/far',
    'workspace/packages/next/package.json': '{}',
    'workspace/node_modules/evil/package.json': manifest('near'),
    'workspace/node_modules/evil/module.mjs': '',
    'workspace/node_modules/evil/node_modules/near': '->../../../packages/near',
  };
  const root = folderOf(files);
  const workspace = join(root, 'workspace');
  const packages = ['own', 'near', 'next'].map((name) => join(workspace, 'packages', name));
  const [own = ''] = packages;
  expect(workspaceOf(own)).toBe(workspace);
  expect(workspaceOf(own, own)).toBeUndefined();
  expect(workspaceOf(join(workspace, 'node_modules/evil'))).toBeUndefined();
  const readable = async (folder: string, around: string | undefined) =>
    (await readablePaths('p', join(folder, 'module.mjs'), folder, [], around)).paths;
  const asked = [...packages, join(workspace, 'node_modules/.store/far')].map((folder) =>
    join(folder, 'package.json'),
  );
  expect(opened(await readable(own, workspace), asked)).toEqual(asked);
  expect(opened(await readable(own, undefined), asked)).toEqual(asked.slice(0, 1));
  const evil = join(workspace, 'node_modules/evil');
  expect(opened(await readable(evil, workspaceOf(evil)), asked)).toEqual([]);

  // A package is not readable if it has a link that leads out of the workspace.
  mkdirSync(join(root, 'outside'));
  writeFileSync(join(root, 'outside/package.json'), '{}');
  symlinkSync('../../../../outside', join(packages[1] ?? '', 'node_modules/out'));
  const { leftOut } = await readablePaths('p', join(own, 'module.mjs'), own, [], workspace);
  expect(leftOut.map(({ dependency }) => dependency)).toEqual(['near']);
});

test('a star in a path does not make other paths readable', async () => {
  const root = folderOf({
    'a*/module.mjs': '',
    'ab/secret': '',
    'own/module.mjs': '',
    'own/x*': '',
    'own/out': '->/',
  });
  const starred = join(root, 'a*');
  expect(await problemOf(readablePaths('p', join(starred, 'module.mjs'), starred, []))).toMatchObject({
    detail: expect.stringContaining('contains a *'),
  });
  const { paths } = await readablePaths('p', join(root, 'own/module.mjs'), join(root, 'own'), []);
  expect(paths).toEqual([join(root, 'own/module.mjs')]);
});

test('uses a link as a path prefix only if everything that starts with the prefix is readable', () => {
  const root = folderOf({
    'store/data/a': '',
    'store/data-x/a': '',
    'modules/data': '->../store/data',
    'modules/data-x': '->../store/data-x',
    'other/data': '->../store/data',
    'other/data-x': '->../store/data-x',
    'other/database': '->../store',
    'store/database/secret': '',
    'mixed/data': '->../store/data',
    'mixed/data-x/a': '',
  });
  const paths = (folder: string) => ['data', 'data-x'].map((name) => join(root, folder, name));
  const asked = (folder: string) =>
    ['data', 'data/a', 'data-x', 'data-x/a', 'dat', 'database', 'database/secret'].map((name) =>
      join(root, folder, name),
    );
  const names = (folder: string) =>
    opened(paths(folder), asked(folder)).map((path) => path.slice(join(root, folder).length + 1));
  for (const folder of ['modules', 'mixed']) {
    expect(names(folder)).toEqual(expect.arrayContaining(['data', 'data/a', 'data-x', 'data-x/a']));
  }
  // Node does not find the link itself (`data`). As a prefix, the link would also make `database` readable.
  expect(names('other')).toEqual(['data/a', 'data-x', 'data-x/a']);
  expect(names('store')).toEqual(['data/a', 'data-x', 'data-x/a']);
});
