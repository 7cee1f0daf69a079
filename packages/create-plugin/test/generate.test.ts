import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { missingPython, sourceArguments } from '../../../testing/children.ts';
import { generate } from '../src/generate.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const templates = fileURLToPath(new URL('../templates/', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'created-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
const filesBelow = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));

test.each(['javascript', 'typescript', 'python'] as const)(
  '%s: the created package contains the new name in all places where the template has its own',
  (language) => {
    const target = join(folder, 'ledger-ops-plugin-two-words');
    expect(generate({ folder: target, language })).toBe('two-words');
    const texts = filesBelow(target).map((file) => readFileSync(file, 'utf8'));
    expect(texts.filter((text) => /acorn/i.test(text))).toEqual([]);
    expect(texts.filter((text) => text.includes('Two Words')).length).toBeGreaterThan(1);
    const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(manifest).toMatchObject({
      name: 'ledger-ops-plugin-two-words',
      devDependencies: { '@ledger-ops/adapter-kit': `^${version}` },
    });
    expect(existsSync(join(target, '.gitignore'))).toBe(true);
    expect(manifest.engines.node).toBe('>=24');
    expect(readFileSync(join(target, '.npmrc'), 'utf8')).toContain('engine-strict=true\n');
    expect(existsSync(join(target, '.github/workflows/test.yml'))).toBe(true);
  },
);

test.each(['javascript', 'typescript'] as const)(
  '%s: the README contains the name of the package’s folder, even if it differs from the technology',
  (language) => {
    for (const [name, argument] of [
      ['my-repo', 'my-repo'],
      ["my repo's", "'my repo'\\''s'"],
      ['my-acorn', 'my-acorn'],
    ] as const) {
      generate({ folder: join(folder, name), language, name: 'pebble' });
      expect(read(name, 'README.md')).toContain(`npx @ledger-ops/cli dev --plugin ${argument}\n`);
      expect(read(name, 'README.md')).toContain('"tags": ["pebble"]');
    }
  },
);

test('creating a package in a Git repository without files keeps its history', () => {
  const history = join(folder, 'acorns/.git/description');
  mkdirSync(join(history, '..'), { recursive: true });
  writeFileSync(history, 'an acorn');
  generate({ folder: join(folder, 'acorns'), language: 'python' });
  expect(existsSync(join(folder, 'acorns/plugin.py'))).toBe(true);
  expect(readFileSync(history, 'utf8')).toBe('an acorn');
});

test('adapter, adapter-kit and create-plugin have the same version', () => {
  const versions = ['adapter', 'adapter-kit', 'create-plugin'].map(
    (name) =>
      JSON.parse(readFileSync(new URL(`../../${name}/package.json`, import.meta.url), 'utf8')).version,
  );
  expect(new Set(versions).size).toBe(1);
});

/** The code without comments and formatting. */
const codeOf = (text: string) =>
  text
    .replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll(/\s+|,(?=\s*[\])}])/g, '')
    .replaceAll(/(\.\.?\/[a-z/]+)\.[jt]s'/g, "$1'");

test('the JavaScript template is the TypeScript template without types', () => {
  const files = filesBelow(join(templates, 'typescript')).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    const javascript = readFileSync(
      file.replace('/typescript/', '/javascript/').replace(/ts$/, 'js'),
      'utf8',
    );
    expect(codeOf(javascript), file).toBe(codeOf(stripTypeScriptTypes(readFileSync(file, 'utf8'))));
  }
});

test('the Python template passes its test vectors', ({ skip }) => {
  const missing = missingPython();
  skip(missing !== undefined, missing);
  execFileSync('python3', ['-B', '-m', 'unittest'], { cwd: join(templates, 'python'), stdio: 'pipe' });
});

test('the Python template rejects requests without the token, if one is set', async ({ skip }) => {
  const missing = missingPython();
  skip(missing !== undefined, missing);
  writeFileSync(join(folder, 'token'), 'of the host\n');
  const plugin = spawn('python3', ['-B', 'plugin.py', '0', join(folder, 'data')], {
    cwd: join(templates, 'python'),
    env: { ...process.env, BEARER_TOKEN_FILE: join(folder, 'token') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(plugin, 'close');
  try {
    const [url] = await once(createInterface(plugin.stdout), 'line');
    const ask = (headers: Record<string, string>) => fetch(`${url}/v1/cloud-wallet`, { headers });
    const refused = await ask({});
    expect(refused.status).toBe(401);
    // The plugin closes the connection, so the client must not use it again.
    expect(refused.headers.get('connection')).toBe('close');
    expect((await ask({ authorization: 'Bearer of another' })).status).toBe(401);
    expect((await ask({ authorization: 'Bearer of the host' })).status).toBe(200);
    // The server responds without waiting for a body that it does not read.
    const { hostname: host, port } = new URL(url);
    const socket = connect(Number(port), host);
    socket.write('POST /v1/cloud-wallet/wallets HTTP/1.1\r\nHost: here\r\nContent-Length: 9000000\r\n\r\n');
    socket.write(Buffer.alloc(65_536));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  } finally {
    plugin.kill();
    await ended;
  }
});

test('the Python template reports block, fee and transactions of a final transfer', async ({ skip }) => {
  const missing = missingPython();
  skip(missing !== undefined, missing);
  const plugin = spawn('python3', ['-B', 'plugin.py', '0', join(folder, 'reporting')], {
    cwd: join(templates, 'python'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(plugin, 'close');
  try {
    const [url] = await once(createInterface(plugin.stdout), 'line');
    const post = async (path: string, body: object) =>
      await fetch(`${url}/v1/cloud-wallet/${path}`, { method: 'POST', body: JSON.stringify(body) });
    const secret = { walletPassword: 'a secret of the wallet' };
    await post('wallets', { ledgerId: 'acorn', walletId: 'w', pluginParameters: secret });
    const recipient = { lookup_service: { type: 'ledger', value: 'acorn' }, resource: 'a1'.repeat(32) };
    const glo = { version: '0.1.0', type: 'transfer', options: { recipient, amount: '1' } };
    const sent = await post('transactions', { actionId: 'a', wallet: 'w', pluginParams: secret, glo });
    const { txId } = (await sent.json()) as { txId: string };
    const statuses = async () =>
      (await (await fetch(`${url}/v1/cloud-wallet/transactions?txId=a`)).json()) as unknown;
    await vi.waitFor(
      async () =>
        expect(await statuses()).toEqual([
          {
            ...{ status: 'SUCCEEDED', problem: null },
            details: {
              ...{ locator: txId, blockHeight: 1, blockTime: expect.any(Number) },
              ...{ fee: '0', transactions: [txId] },
            },
          },
        ]),
      { timeout: 10_000, interval: 50 },
    );
  } finally {
    plugin.kill();
    await ended;
  }
});

test('`npm run dev` restarts the Python template after a change', async ({ skip }) => {
  const missing = missingPython();
  skip(missing !== undefined, missing);
  generate({ folder: join(folder, 'gold'), language: 'python' });
  const { scripts } = JSON.parse(read('gold/package.json'));
  const [program = '', script = ''] = scripts.dev.split(' ');
  const plugin = spawn(program, [script, '0', join(folder, 'data')], {
    cwd: join(folder, 'gold'),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(plugin, 'close');
  try {
    const lines = createInterface(plugin.stdout)[Symbol.asyncIterator]();
    const next = async () => await (await fetch(`${(await lines.next()).value}/v1/cloud-wallet`)).json();
    expect(await next()).toMatchObject({ version: '0.1.0' });
    writeFileSync(join(folder, 'gold/package.json'), read('gold/package.json').replace('"0.1.0"', '"0.2.0"'));
    expect(await next()).toMatchObject({ version: '0.2.0' });
  } finally {
    plugin.kill('SIGINT');
    await ended;
  }
});

const run = (...args: string[]) =>
  execFileSync(process.execPath, [...sourceArguments, main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('create-plugin uses defaults if there is no terminal', () => {
  expect(run()).toContain('cd my-ledger\n');
  expect(JSON.parse(read('my-ledger/package.json')).name).toBe('ledger-ops-plugin-my-ledger');
  expect(read('my-ledger/src/plugin.js')).toContain("technology: 'my-ledger'");
});

test('--name and --language select the package', () => {
  run('Here', '--name', 'gold', '--language', 'python');
  expect(read('Here/plugin.py')).toContain('"technology": "gold"');
});

test.each([
  [['Bad_Name'], 'bad_name is not a valid technology name'],
  [
    ['x', '--language', 'cobol'],
    'cobol is not a supported language. Use one of javascript, typescript, python.',
  ],
  [['full'], 'full is not empty.'],
  [['a', 'b'], 'Only one folder can be given.'],
  [['a', '--color', 'red'], "Unknown option '--color'"],
])('create-plugin rejects the arguments %j: %s', (args, words) => {
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full/file'), '');
  let refused: unknown;
  try {
    run(...args);
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(words) });
  expect(readdirSync(folder)).toEqual(['full']);
});
