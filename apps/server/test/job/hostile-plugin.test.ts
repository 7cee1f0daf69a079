import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { findIsolation } from '@ledger-ops/plugin-host';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { childEnvironment, freePort, sourceArguments } from '../../../../testing/children.ts';
import { selectCases } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { addTenant, ended, type Tenant, transferBody } from '../stage/api.ts';
import { attemptsOn, type Targets } from './hostile-attempts.ts';
import { type HostileNode, startHostileNode } from './hostile-node.ts';

const password = 'correct horse battery staple';
const recipient = '0x00000000000000000000000000000000000000aa';
const { level: best } = await findIsolation();
const levels = best === 'isolated' ? (['isolated', 'restricted'] as const) : (['restricted'] as const);
console.log(`Hostile modules are tried on: ${levels.join(', ')}.`);

/** Simulates a kernel that does not let this user create namespaces. */
const withoutNamespaces = [
  ...['unshare', '--user', '--map-root-user', '/bin/sh', '-c'],
  ...['echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'sh'],
];

/** Code with which a module ends its own process. */
const ends: readonly [what: string, code: string][] = [
  ['an endless heap', 'const all = []; for (;;) all.push([...Array(1_000).keys()].map((one) => ({ one })));'],
  ['endless buffers', 'const all = []; for (;;) { all.push(Buffer.alloc(8_000_000, 1)); await undefined; }'],
  [
    'garbage in its messages to the host',
    `const fs = await load('node:fs'); fs.writeSync(3, Buffer.alloc(1_000, 255));`,
  ],
  [
    'garbage in its messages about connections',
    `const fs = await load('node:fs'); fs.writeSync(4, Buffer.alloc(1_000, 255));`,
  ],
  [
    'a small message that is large to read',
    `const fs = await load('node:fs'); const v8 = await load('node:v8');
    const body = v8.serialize(Array.from({ length: 200_000 }, () => ({}))); const header = Buffer.alloc(4); header.writeUInt32BE(body.length);
    const frame = Buffer.concat([header, body]); for (let at = 0; at < frame.length; ) { try { at += fs.writeSync(3, frame, at); } catch (error) { if (error.code !== 'EAGAIN') throw error; } }`,
  ],
];

interface Server {
  child: ChildProcess;
  url: string;
  port: number;
  code: Promise<number | null>;
  output(): string;
}

function start(level: string, environment: Record<string, string>): Omit<Server, 'url' | 'port'> {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const node = [process.execPath, ...sourceArguments, main];
  const [command = '', ...args] =
    level !== best && best === 'isolated' ? [...withoutNamespaces, ...node] : node;
  const child = spawn(command, args, {
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = once(child, 'close').then(([value]) => value);
  return { child, code, output: () => output };
}

describe.each(selectCases(levels, (level) => level === best))(
  'a hostile module in a child process, %s',
  (level) => {
    let folder: Awaited<ReturnType<typeof openFolder>>;
    let anvil: Anvil;
    let node: HostileNode;
    let server: Server;
    let tenant: Tenant;
    let targets: Targets;
    const touched: string[] = [];
    const listeners: ReturnType<typeof createServer>[] = [];

    beforeAll(async () => {
      [folder, anvil, node] = await Promise.all([openFolder(), startAnvil(), startHostileNode()]);
      const plugins = join(folder.path, 'plugins');
      for (const name of ['hostile', 'sibling']) mkdirSync(join(plugins, name), { recursive: true });
      copyFileSync(new URL('hostile-plugin.mjs', import.meta.url), join(plugins, 'hostile', 'index.mjs'));
      writeFileSync(join(plugins, 'hostile', 'package.json'), '{"name":"hostile","type":"module"}');
      for (const file of ['secret.txt', 'index.mjs'])
        writeFileSync(join(plugins, 'sibling', file), 'export default "secret"');
      const port = await freePort();
      const dataDir = join(folder.path, 'data');
      const running = start(level, {
        MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
        PORT: String(port),
        DATA_DIR: dataDir,
        LOG_LEVEL: 'debug',
        OUTBOUND_OPEN: '127.0.0.0/8,::1',
        PLUGINS_ALLOWED: `file:${plugins}`,
        PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-ethereum',
        PLUGINS_FOLDER: fileURLToPath(new URL('../..', import.meta.url)),
      });
      server = { ...running, port, url: `http://127.0.0.1:${port}` };
      await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), 60_000);
      const file = JSON.parse(readFileSync(join(dataDir, 'administrator.json'), 'utf8'));
      tenant = await addTenant(
        server.url,
        { ...file, appId: file.clientId, accountId: file.serviceAccount },
        'one',
      );
      targets = {
        serverPid: server.child.pid ?? 0,
        serverPort: port,
        dataDir,
        sibling: join(plugins, 'sibling'),
        port: await listen({ port: 0, host: '::' }),
        socket: join(folder.path, 'socket'),
      };
      await listen({ path: targets.socket });
      await addLine('chain', 'npm:@ledger-ops/plugin-ethereum', anvil.url);
      await addLine('hostile', `file:${join(plugins, 'hostile', 'index.mjs')}`, node.url);
      const { walletAddress } = await addWallet('sender', 'chain');
      await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
      await addWallet('first', 'hostile');
    }, 300_000);

    afterAll(async () => {
      server?.child.kill('SIGKILL');
      for (const listener of listeners) listener.close();
      await node?.close();
      await anvil?.stop();
      await folder?.remove();
    });

    async function listen(place: { port: number; host: string } | { path: string }): Promise<number> {
      const listener = createServer((socket) => {
        touched.push('path' in place ? place.path : String(place.port));
        socket.destroy();
      });
      listeners.push(listener.listen(place));
      await once(listener, 'listening');
      return 'path' in place ? 0 : (listener.address() as AddressInfo).port;
    }

    /** Adds a plugin, and a ledger that selects it by its tag. */
    async function addLine(ledgerID: string, url: string, uri: string): Promise<void> {
      const { api, projectId } = tenant;
      const tags = ['ethereum', ledgerID];
      await api.expect(201, 'POST', '/v1/plugins', { name: ledgerID, projectId, url, tags });
      await api.expect(201, 'POST', '/v1/ledgers', {
        ledgerID,
        name: ledgerID,
        projectId,
        ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
        properties: [
          { type: { name: 'plugin_tags' }, value: [ledgerID] },
          { type: { name: 'polling_interval' }, value: 50 },
        ],
      });
      await api.expect(201, 'POST', '/v1/nodes', { ledgerID, name: 'node', options: { uri } });
    }

    function addWallet(walletId: string, ledgerId: string) {
      return tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
        walletId,
        ledgerId,
        pluginParameters: { walletPassword: password },
      });
    }

    /** Sends a transfer on the ledger `chain`, and waits until it completes. */
    async function transfer(): Promise<void> {
      const body = transferBody('sender', recipient);
      const { actionId = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', body);
      expect(await ended(tenant.api, actionId)).toMatchObject({ status: 'SUCCEEDED' });
    }

    /** Waits until the module's process, which was stopped, creates a wallet again. */
    async function back(walletId: string): Promise<void> {
      await vi.waitFor(() => addWallet(walletId, 'hostile'), { timeout: 60_000, interval: 200 });
    }

    /** Calls the module repeatedly until `answer` settles. A stopped process is restarted only when it is needed. */
    async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
      let wanted = 0;
      const wanting = setInterval(() => {
        wanted += 1;
        addWallet(`wanted-${wanted}-${Date.now()}`, 'hostile').catch(() => undefined);
      }, 5_000);
      return await answer.finally(() => clearInterval(wanting));
    }

    test('a hostile module cannot reach other processes, files, environments, native code or network addresses except its node', async () => {
      const said: Record<string, string> = {};
      for (const [name, code] of attemptsOn(targets)) {
        said[name] = await asked(node.order(code));
        expect(server.child.exitCode, name).toBeNull();
      }
      expect(Object.entries(said).filter(([, words]) => !words.startsWith('failed'))).toEqual([]);
      expect(touched).toEqual([]);
      expect(existsSync(join(targets.dataDir, 'written'))).toBe(false);
      await transfer();
    }, 300_000);

    test.each(ends)(
      'a plugin’s process is stopped because of %s and restarted, while other ledgers continue',
      async (what, code) => {
        await asked(node.begin(code));
        await transfer();
        await back(`after ${what}`.replaceAll(/\W/g, '-'));
        expect(await asked(node.order('return 1;'))).toBe('got: 1');
        expect(server.child.exitCode).toBeNull();
      },
      300_000,
    );

    test('other ledgers continue while a hostile module floods its output and loops forever', async () => {
      const flood = `const end = Date.now() + 1_000; const line = 'x'.repeat(60_000) + '\\n';
      while (Date.now() < end) await new Promise((done) => process.stdout.write(line, done)); return 'flooded';`;
      await asked(node.begin(flood));
      await transfer();
      await back('after-the-flood');
      await asked(node.begin('for (;;);'));
      for (let count = 0; count < 3; count += 1) await transfer();
    }, 300_000);

    test('SIGUSR1 opens no inspector, and the server still exits normally', async () => {
      server.child.kill('SIGUSR1');
      await transfer();
      expect(server.output()).not.toMatch(/debugger listening|inspector/i);
      server.child.kill('SIGTERM');
      expect(await server.code).toBe(0);
      // The server logs this at startup; the line is written when it exits.
      expect(server.output()).toContain(`"plugins ${level}"`);
    }, 180_000);
  },
);

test('the server does not start if the required isolation is unavailable, and its error says what to do', async () => {
  const folder = await openFolder();
  const { code, output } = start('restricted', {
    MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    PORT: '0',
    DATA_DIR: folder.path,
    PLUGIN_ISOLATION: 'required',
  });
  expect(await code).toBe(2);
  expect(output()).toMatch(/^PLUGIN_ISOLATION is required, .*sysctl/m);
  await folder.remove();
}, 180_000);
