import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../../test/world.ts';
import { createPluginUrls } from './plugin-url.ts';

const urls = createPluginUrls({
  modules: ['@acme/ledger-plugin', 'plain'],
  folders: [],
  hosts: [
    'plugins.example',
    'plugins.example:8443',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
    'bücher.example',
  ],
});
const refused = (url: string) =>
  expect(failure(urls.locate(url, '/url'))).resolves.toMatchObject({
    problem: 'invalid-request',
    errors: [{ pointer: '/url' }],
  });

describe('npm: plugin URLs', () => {
  it.each([
    ['npm:plain', 'plain', null],
    ['npm:plain@^1.2', 'plain', '^1.2'],
    ['npm:@acme/ledger-plugin', '@acme/ledger-plugin', null],
    ['npm:@acme/ledger-plugin@1.0.0-beta.1', '@acme/ledger-plugin', '1.0.0-beta.1'],
  ])('accepts %s as an allowed package', async (url, name, range) => {
    expect(await urls.locate(url, '/url')).toEqual({ kind: 'npm', url, package: name, range });
  });

  it.each([
    ['npm:'],
    ['npm:other'],
    ['npm:plain@'],
    ['npm:plain@git+ssh://host/x'],
    ['npm:plain@file:../x'],
    ['npm:plain@npm:other'],
    ['npm:@acme'],
    ['npm:@acme/..'],
    ['npm:../plain'],
    ['npm:plain/../other'],
    ['npm:Plain'],
    ['npm:plain '],
    ['NPM:plain'],
  ])('rejects the package URL %s', async (url) => await refused(url));
});

describe('remote plugin URLs', () => {
  it.each([
    ['https://plugins.example', 'https://plugins.example'],
    ['https://plugins.example:443/base/', 'https://plugins.example/base'],
    ['HTTPS://PLUGINS.Example/Base', 'https://plugins.example/Base'],
    ['https://plugins.example:8443', 'https://plugins.example:8443'],
    ['http://127.0.0.1:9000/a', 'http://127.0.0.1:9000/a'],
    ['http://[0:0:0:0:0:0:0:1]:9000', 'http://[::1]:9000'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
    // Different spellings of an allowed address are the same address.
    ['http://2130706433:9000', 'http://127.0.0.1:9000'],
    ['http://0x7f.1:9000', 'http://127.0.0.1:9000'],
  ])('stores the remote plugin URL %s as %s', async (url, stored) => {
    expect(await urls.locate(url, '/url')).toEqual({ kind: 'remote', url: stored });
  });

  it.each([
    ['https://other.example'],
    ['https://plugins.example:444'],
    ['https://sub.plugins.example'],
    ['https://plugins.example.evil.example'],
    ['http://plugins.example'],
    ['http://plugins.example:443'],
    ['https://plugins.example.'],
    ['https://plugins.example@evil.example'],
    ['https://user@plugins.example'],
    ['https://:secret@plugins.example'],
    ['https://@plugins.example'],
    ['https://evil.example\\@plugins.example'],
    ['https://evil.example#@plugins.example'],
    ['https://plugins.example/?x'],
    ['https://plugins.example?'],
    ['https://plugins.example#'],
    ['https://plugins.example/a b'],
    ['https://plug\tins.example'],
    ['https://plugins.example\n'],
    ['https://127.0.0.1:9000'],
    ['http://127.0.0.1'],
    ['http://127.0.0.2:9000'],
    ['http://2130706434:9000'],
    ['http://0177.0.0.2:9000'],
    ['http://[::ffff:127.0.0.1]:9000'],
    ['http://[::ffff:7f00:1]:9000'],
    ['http://[::]:9000'],
    ['http://[fe80::1%25eth0]:9000'],
    ['http://localhost:9000'],
    ['http://169.254.169.254/latest'],
    ['https://ｐlugins.example:1'],
    ['https://plugıns.example'],
    ['https:plugins.example'],
    ['https:///plugins.example:1'],
    ['ftp://plugins.example'],
    ['ws://plugins.example'],
    ['//plugins.example'],
    ['data:text/javascript,1'],
    [`https://plugins.example/${'a'.repeat(2_048)}`],
    [''],
  ])('rejects the remote URL %s', async (url) => await refused(url));

  it('does not repeat the user or password of a URL', async () => {
    const error = await failure(urls.locate('https://user:hunter2@plugins.example', '/url'));
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  });
});

describe('file: plugin URLs', () => {
  let base: string;
  let inside: ReturnType<typeof createPluginUrls>;
  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'plugin-url-')));
    await mkdir(join(base, 'plugins', 'deep'), { recursive: true });
    await mkdir(join(base, 'plugins-other'));
    await writeFile(join(base, 'plugins', 'a.js'), '');
    await writeFile(join(base, 'plugins', 'deep', 'b.js'), '');
    await writeFile(join(base, 'plugins-other', 'c.js'), '');
    await writeFile(join(base, 'secret.js'), '');
    await symlink(join(base, 'secret.js'), join(base, 'plugins', 'out.js'));
    await symlink(base, join(base, 'plugins', 'up'));
    await symlink(join(base, 'plugins', 'a.js'), join(base, 'plugins', 'deep', 'alias.js'));
    await symlink(join(base, 'plugins'), join(base, 'linked'));
    inside = createPluginUrls({
      modules: [],
      folders: [join(base, 'plugins'), join(base, 'linked')],
      hosts: [],
    });
  });
  afterAll(() => rm(base, { recursive: true }));

  it('accepts files in an allowed folder, by path or URL, and returns the real path', async () => {
    const a = join(base, 'plugins', 'a.js');
    const folder = join(base, 'plugins');
    expect(await inside.locate(`file:${a}`, '/url')).toEqual({
      kind: 'file',
      url: `file:${a}`,
      path: a,
      folder,
      allowed: folder,
    });
    expect(await inside.locate(pathToFileURL(a).href, '/url')).toEqual({
      kind: 'file',
      url: `file:${a}`,
      path: a,
      folder,
      allowed: folder,
    });
    const alias = join(base, 'plugins', 'deep', 'alias.js');
    expect(await inside.locate(`file:${alias}`, '/url')).toMatchObject({ path: a });
    expect(await inside.locate(`file:${join(base, 'linked', 'a.js')}`, '/url')).toMatchObject({ path: a });
  });

  it.each(['my plugins', '100%', 'a#b?', 'bücher'])(
    'accepts a module in the folder %s, by path or URL, and by the URL that was returned for it',
    async (name) => {
      const file = join(base, 'plugins', name, 'a.js');
      await mkdir(join(base, 'plugins', name), { recursive: true });
      await writeFile(file, '');
      for (const url of [`file:${file}`, pathToFileURL(file).href]) {
        const located = await inside.locate(url, '/url');
        expect(located).toMatchObject({ path: file });
        expect(await inside.locate(located.url, '/url')).toEqual(located);
      }
    },
  );

  it("a module's own folder is the nearest one with a package.json in the allowed folder, otherwise the file's folder", async () => {
    const [top, home] = [join(base, 'plugins'), join(base, 'plugins', 'home')];
    await mkdir(join(home, 'dist', 'esm'), { recursive: true });
    const file = join(home, 'dist', 'esm', 'c.js');
    await writeFile(file, '');
    await writeFile(join(base, 'package.json'), '{}');
    const ownOf = async (path: string) => inside.locate(`file:${path}`, '/url');
    expect(await ownOf(file)).toMatchObject({ folder: join(home, 'dist', 'esm') });
    await writeFile(join(home, 'package.json'), '{}');
    expect(await ownOf(file)).toMatchObject({ folder: home, allowed: top });
    expect(await ownOf(join(top, 'a.js'))).toMatchObject({ folder: top });
    expect(await ownOf(join(top, 'deep', 'b.js'))).toMatchObject({ folder: join(top, 'deep') });
    await writeFile(join(top, 'package.json'), '{}');
    expect(await ownOf(join(top, 'deep', 'b.js'))).toMatchObject({ folder: top });
  });

  it('rejects a module at a protected path with the reason that the policy returns', async () => {
    const a = join(base, 'plugins', 'a.js');
    const asked: string[][] = [];
    const folders = [join(base, 'plugins')];
    const urls = createPluginUrls({ modules: [], folders, hosts: [] }, (...place) => {
      asked.push(place);
      return 'is not yours';
    });
    expect(await failure(urls.locate(`file:${a}`, '/url'))).toMatchObject({
      errors: [{ pointer: '/url', detail: 'is not yours' }],
    });
    expect(asked).toEqual([[a, join(base, 'plugins')]]);
  });

  it('rejects all other files with one message that does not reveal whether they exist', async () => {
    const outside = [
      `file:${base}/plugins/../secret.js`,
      `file:${base}/plugins/./a.js`,
      `file:${base}/plugins/out.js`,
      `file:${base}/plugins/up/secret.js`,
      `file:${base}/plugins/none.js`,
      `file:${base}/plugins/deep`,
      `file:${base}/plugins`,
      `file:${base}/plugins-other/c.js`,
      `file:${base}/secret.js`,
      'file:/etc/passwd',
      'file:/no/such/file',
    ];
    const messages = new Set<string>();
    for (const url of outside) messages.add(String(await failure(inside.locate(url, '/url'))));
    expect([...messages]).toEqual([
      'Problem: /url: must name the built file that exports the adapter, not its folder, in a folder that this server allows; its deployer can add the folder to PLUGINS_ALLOWED',
    ]);
    const malformed = [
      'file:plugins/a.js',
      'file:./a.js',
      `file://host${base}/plugins/a.js`,
      `file://${base}/plugins/%2e%2e/secret.js`,
      `file://${base}/plugins/../secret.js`,
      `file://${base}/plugins%2f..%2fsecret.js`,
      `file://${base}/plugins/a.js?x`,
      'file:',
    ];
    for (const url of malformed) {
      expect(await failure(inside.locate(url, '/url'))).toMatchObject({ errors: [{ pointer: '/url' }] });
    }
  });
});

it('rejects malformed allow-lists', () => {
  const none = { modules: [], folders: [], hosts: [] };
  for (const bad of [
    { ...none, modules: ['../x'] },
    { ...none, folders: ['plugins'] },
    { ...none, hosts: ['https://host/path'] },
    { ...none, hosts: ['*.example'] },
    { ...none, hosts: ['user@host'] },
    { ...none, hosts: ['host.'] },
    { ...none, hosts: [''] },
  ]) {
    expect(() => createPluginUrls(bad)).toThrow(TypeError);
  }
});
