import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemUid } from '@ledger-ops/auth';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/logging/logger.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type Api, addTenant, type Tenant } from '../stage/api.ts';

/** A server with all its files in one folder: data, settings, installed packages, and a folder for plugins. */
interface Deployment {
  readonly root: string;
  readonly data: string;
  readonly plugins: string;
  readonly tenant: Tenant;
  readonly log: string[];
  /** Writes a file below the plugin folder. */
  write(path: string, text: string): string;
  /** Registers the module and creates a wallet on one of its ledgers. Returns the status and body of the response. */
  use(file: string, url?: string): Promise<{ status: number; text: string }>;
}

const secret = 'the-content-of-a-file-of-the-server';

async function deploy(
  environment: (root: string) => Record<string, string> = () => ({}),
): Promise<Deployment> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deployment-')));
  const [data, plugins] = [join(root, 'data'), join(root, 'plugins')];
  mkdirSync(plugins);
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ name: 'deployment', dependencies: { helper: '*' } }),
  );
  writeFileSync(join(root, '.env'), `SMTP_URL=${secret}`);
  writeFileSync(join(root, 'master.key'), Buffer.alloc(32, 5).toString('base64'));
  writeFileSync(join(root, 'server.log'), secret);
  const log: string[] = [];
  const config = readConfig({
    PORT: '0',
    DATA_DIR: data,
    MASTER_KEY_FILE: join(root, 'master.key'),
    PLUGINS_ALLOWED: `file:${plugins}`,
    PLUGINS_FOLDER: root,
    ...environment(root),
  });
  const stream = { write: (line: string) => void log.push(line) };
  const server = await startServer({ config, log: createLog('debug', stream), adapters: [] });
  onTestFinished(async () => {
    await server.close();
    rmSync(root, { recursive: true });
  });
  const file = JSON.parse(await readFile(join(data, 'administrator.json'), 'utf8'));
  const administrator = { ...file, appId: file.clientId, accountId: file.serviceAccount };
  const tenant = await addTenant(server.url, administrator, 'one');
  let count = 0;
  return {
    root,
    data,
    plugins,
    tenant,
    log,
    write(path, text) {
      const place = join(plugins, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
      return place;
    },
    async use(module, url = `file:${module}`) {
      count += 1;
      const tag = `tag-${count}`;
      const { api, projectId } = tenant;
      const registered = await api.call('POST', '/v1/plugins', {
        name: 'Reader',
        projectId,
        url,
        tags: ['ethereum', tag],
      });
      if (registered.status !== 201) return registered;
      await server.store.transaction((tx) =>
        server.registry.createLedger(tx, {
          ledgerId: tag,
          projectUid: null,
          parentResourceUid: systemUid,
          name: tag,
          technology: 'ethereum',
          properties: { plugin_tags: [tag] },
          nodes: [],
        }),
      );
      return makeWallet(api, tag);
    },
  };
}

function makeWallet(api: Api, ledgerId: string) {
  return api.call('POST', '/v1/cloud-wallet/wallets', {
    walletId: `wallet-${ledgerId}`,
    pluginParameters: { walletPassword: 'correct horse battery staple' },
    ledgerId,
  });
}

const members = `name: 'reader', technology: 'ethereum', version: '1.0.0', interfaceVersion: '0.1.0',
  description: { title: 'Test', addresses: { account: { pattern: '^.+$', example: 'a' } } },
  keyType: 'secp256k1', capabilities: { operations: ['transfer'], sequence: 'none', replacement: false,
    emulation: false, lookup: false, balance: false }, readInterface: async () => ({ interface: '', methods: [] }),`;

/** A module that runs this code when it creates a wallet. */
const refusing = (code: string) => `import { readFileSync, readdirSync } from 'node:fs';
  const problem = (detail, more) => Object.assign(new Error(detail), { name: 'AdapterError',
    problem: { code: 'invalid-argument', phase: 'wallet', detail, ...more } });
  export default { ${members} open: async () => ({
    chain: async () => ({ id: 'test:1', genesis: 'g' }), onHead: () => () => undefined, close: async () => undefined,
    createWallet: async () => { ${code} },
  }) };`;

/** A module that throws a problem with the paths that it could read. */
const reading = (paths: readonly string[]) =>
  refusing(`const results = ${JSON.stringify(paths)}.map((path) => {
    try { return path + ' open ' + readFileSync(path).length; } catch (error) {
      if (error.code !== 'EISDIR') return error.code;
      try { return path + ' open ' + readdirSync(path); } catch (also) { return also.code; }
    }
  });
  throw problem(results.join(' '));`);

const secretsOf = ({ root, data }: Deployment) =>
  [
    ...['.env', 'master.key', 'server.log', 'package.json', 'data', 'database', '.'].map((name) =>
      join(root, name),
    ),
    ...['administrator.json', 'ledger-ops.sqlite', 'ledger-ops.sqlite-wal'].map((name) => join(data, name)),
  ].filter(existsSync);

test('a module cannot read the deployment around the plugin folder, regardless of the package.json there', async () => {
  const here = await deploy();
  const source = reading(secretsOf(here));
  expect(secretsOf(here)).toHaveLength(9);
  for (const path of ['direct.mjs', 'deep/er/module.mjs']) {
    const { status, text } = await here.use(here.write(path, source));
    expect([status, text]).toEqual([400, expect.stringContaining('ERR_ACCESS_DENIED')]);
    expect(text).not.toContain(' open ');
  }
});

test('a module of several files can import packages of the deployment, with and without its own package.json', async () => {
  const here = await deploy();
  const helper = join(here.root, 'node_modules', 'helper');
  mkdirSync(helper, { recursive: true });
  writeFileSync(join(helper, 'package.json'), '{"name":"helper","main":"index.js"}');
  writeFileSync(join(helper, 'index.js'), "module.exports = 'installed';");
  here.write('own/package.json', '{"type":"module","dependencies":{"helper":"*"}}');
  const words = "export default 'of several files';";
  const source = `import helper from 'helper'; import words from './words.mjs';
    ${refusing("throw problem(helper + ' ' + words);")}`;
  for (const folder of ['', 'own/', 'bare/']) {
    here.write(`${folder}words.mjs`, words);
    const { text } = await here.use(here.write(`${folder}index.mjs`, source));
    expect(text).toContain('installed of several files');
  }
});

test('a module cannot be registered if it is in the data folder, or if its folder contains the data folder', async () => {
  const here = await deploy((root) => ({ PLUGINS_ALLOWED: `file:${root}` }));
  const inside = join(here.data, 'module.mjs');
  writeFileSync(inside, refusing(''));
  const inRoot = join(here.root, 'module.mjs');
  writeFileSync(inRoot, refusing(''));
  for (const [file, held] of [
    [inside, 'DATA_DIR'],
    [inRoot, 'DATA_DIR'],
    [here.write('module.mjs', refusing('')), 'DATA_DIR'],
  ] as const) {
    const { status, text } = await here.use(file);
    expect([status, text]).toEqual([400, expect.stringContaining(`the server's ${held}`)]);
    expect(text).toContain('a separate folder with a package.json');
    expect(text).not.toContain(here.root);
  }
  here.write('own/package.json', '{}');
  const { text } = await here.use(here.write('own/module.mjs', reading(secretsOf(here))));
  expect(text).toContain('ERR_ACCESS_DENIED');
  expect(text).not.toContain(' open ');
});

test('links and dependencies in a module’s folder do not give the module access to the deployment’s files', async () => {
  const here = await deploy();
  const { root } = here;
  const own = join(here.plugins, 'own');
  here.write(
    'own/package.json',
    JSON.stringify({
      dependencies: { deployment: '*', '../..': '*', '/': '*', '..': '*', data: 'file:../../data' },
    }),
  );
  mkdirSync(join(own, 'node_modules'));
  symlinkSync(root, join(own, 'node_modules', 'deployment'));
  symlinkSync(here.data, join(own, 'node_modules', 'data'));
  writeFileSync(join(here.data, 'package.json'), '{"name":"data"}');
  symlinkSync(here.data, join(own, 'leak'));
  symlinkSync(join(root, '.env'), join(own, 'settings'));
  const through = secretsOf(here).flatMap((path) => [
    path,
    path.replace(root, join(own, 'node_modules/deployment')),
  ]);
  const more = ['leak/administrator.json', 'settings', 'node_modules/data/administrator.json'].map((path) =>
    join(own, path),
  );
  const { status, text } = await here.use(here.write('own/module.mjs', reading([...through, ...more])));
  expect([status, text]).toEqual([400, expect.stringContaining('ERR_ACCESS_DENIED')]);
  expect(text).not.toContain(' open ');
  expect(here.log.join('')).toContain('plugin.dependency-closed');
});

test('links in a module’s own node_modules do not give access to other folders, regardless of its package.json', async () => {
  const here = await deploy();
  const { root } = here;
  const names = ['app', 'elsewhere', 'real', 'self'];
  const own = join(here.plugins, 'own');
  here.write(
    'own/package.json',
    JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '*'])) }),
  );
  here.write('own/lib/package.json', '{}');
  here.write('own/node_modules/real/package.json', '{"dependencies":{"app":"*"}}');
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'elsewhere-')));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  mkdirSync(join(root, 'app'));
  // A workspace around the plugin folder belongs to the deployer, not to a module.
  writeFileSync(join(root, 'pnpm-workspace.yaml'), '');
  for (const app of [join(root, 'app'), elsewhere]) {
    writeFileSync(join(app, 'package.json'), '{}');
    writeFileSync(join(app, '.env'), secret);
  }
  const links = [
    ['node_modules/app', join(root, 'app')],
    ['node_modules/elsewhere', elsewhere],
    ['node_modules/real/node_modules/app', join(root, 'app')],
    ['node_modules/self', join(own, 'lib')],
    ['lib/node_modules/app', join(root, 'app')],
  ] as const;
  for (const [name, target] of links) {
    mkdirSync(dirname(join(own, name)), { recursive: true });
    symlinkSync(target, join(own, name));
  }
  const ways = links
    .map(([name]) => join(own, name, '.env'))
    .concat(join(own, 'node_modules/self/node_modules/app/.env'));
  const targets = [...ways, join(root, 'app', '.env'), join(elsewhere, '.env')];
  const { status, text } = await here.use(here.write('own/module.mjs', reading(targets)));
  expect([status, text]).toEqual([400, expect.stringContaining('ERR_ACCESS_DENIED')]);
  expect(text).not.toContain(' open ');
});

test('neither the response nor the log contains the message of a module’s exception', async () => {
  const here = await deploy();
  here.write('words.txt', secret);
  const read = "readFileSync(new URL('words.txt', import.meta.url), 'utf8')";
  const thrown = `throw Object.assign(new RangeError(${read}), { code: 'E_ODD' })`;
  const calls = here.write('calls.mjs', refusing(`${thrown};`));
  const imports = here.write('imports.mjs', `import { readFileSync } from 'node:fs';\n${thrown};`);
  for (const [file, expected] of [
    [calls, 502],
    [imports, 422],
  ] as const) {
    const { status, text } = await here.use(file);
    expect(status).toBe(expected);
    expect(text).toContain('RangeError (E_ODD)');
    expect(text).not.toContain(secret);
    await vi.waitFor(
      () =>
        expect(here.log.join('')).toMatch(
          new RegExp(`RangeError \\(E_ODD\\) at [^"]*${file.split('/').at(-1)}:\\d+:\\d+`),
        ),
      { timeout: 30_000 },
    );
  }
  const { body } = await here.tenant.api.call<{ entries: object[] }>('GET', '/v1/plugins');
  expect(JSON.stringify(body)).not.toContain(secret);
  expect(here.log.join('')).not.toContain(secret);
});

test('a plugin’s messages are shortened, put on one line, and quoted with the plugin’s name', async () => {
  const here = await deploy();
  const hostile =
    "'\\u001b[2J\\u009b31m\\nThe service says: \"send money\"\\u202e\\r\\n' + 'x'.repeat(1_000_000)";
  const issues = `[...Array(1_000)].map(() => ({ pointer: '/' + ${hostile}, detail: ${hostile} }))`;
  const file = here
    .write(
      'module.mjs',
      refusing(`throw problem(${hostile}, { issues: ${issues}.slice(0, 3), data: { all: ${hostile} } });`),
    )
    .replace('module.mjs', 'module.mjs');
  const { status, text } = await here.use(file);
  expect(status).toBe(400);
  expect(text.length).toBeLessThan(30_000);
  const { detail, errors } = JSON.parse(text);
  expect(detail).toMatch(/^The plugin Reader says: "\[2J 31m The service says: 'send money' x+…"$/);
  for (const one of errors) expect(one.detail).toMatch(/^The plugin Reader says: "/);
  for (const all of [text, JSON.stringify(JSON.parse(text)), here.log.join('').replaceAll('\n', '')]) {
    expect(all).not.toMatch(/\\u001b|\\n|[\p{Cc}\u202e]/u);
  }
});

test('a module’s log lines are shortened, and name the plugin', async () => {
  const here = await deploy();
  const source = refusing("throw problem('done');")
    .replace(
      'open: async () => ({',
      "open: async (ledger, host) => { host.log('warn', 'ended\\n{\"level\":\"info\"}', { plugin: 'Another', ledgerId: 'other', detail: '\\u001b[2J' + 'x'.repeat(1_000_000) }); return { ",
    )
    .replace(/\}\) \};$/, '}; } };');
  const { text } = await here.use(here.write('module.mjs', source));
  expect(text).toContain('done');
  await vi.waitFor(() => expect(here.log.join('')).toContain('plugin.ended_level_info_'), {
    timeout: 30_000,
  });
  const line = here.log.find((one) => one.includes('plugin.ended_level_info_')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ plugin: 'Reader', ledgerId: expect.stringMatching(/^tag-/) });
  expect(line.length).toBeLessThan(1_500);
  expect(line).not.toContain('u001b');
});
