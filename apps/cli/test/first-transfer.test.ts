// From nothing to a first transfer, by the command line alone, as its page tells it.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { endAll, freePort, type Run, run } from '../../../testing/children.ts';
import { openShell, type Shell } from './shell.ts';

const main = new URL('../src/main.ts', import.meta.url);

let shell: Shell;
let anvil: Anvil;
let server: Run;
let folder: string;
const at = (...names: string[]) => join(folder, ...names);
beforeAll(async () => {
  [shell, anvil] = await Promise.all([openShell(), startAnvil()]);
  folder = join(shell.home, 'till');
  await shell.json('init', folder, '--port', String(await freePort()));
  // Settings name files from the folder that the server is started in.
  const settings = JSON.parse(await readFile(at('ledger-ops.json'), 'utf8'));
  const absolute = { ...settings, DATA_DIR: at('data'), MASTER_KEY_FILE: at('master.key') };
  await writeFile(at('absolute.json'), JSON.stringify(absolute));
  server = run(main, { CONFIG_FILE: at('absolute.json'), OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'warn' }, [
    'serve',
  ]);
  await vi.waitFor(
    async () => expect((await shell.run('login', '--file', at('data/administrator.json'))).code).toBe(0),
    {
      timeout: 60_000,
      interval: 100,
    },
  );
}, 120_000);
afterAll(async () => {
  server?.child.kill('SIGTERM');
  await server?.code;
  await endAll();
  await anvil?.stop();
  await shell?.close();
});

test('init makes a folder for its owner alone, with a key, and touches none that has something in it', async () => {
  for (const name of ['', 'master.key', 'ledger-ops.json']) {
    expect((await stat(at(name))).mode & 0o077, name).toBe(0);
  }
  expect(Buffer.from(await readFile(at('master.key'), 'utf8'), 'base64')).toHaveLength(32);
  const again = await shell.run('init', folder);
  expect(again).toMatchObject({ code: 2, out: '' });
  expect(again.err).toContain('is not empty');
});

test('a profile is a file for its owner alone, and no answer shows a secret of it', async () => {
  const file = join(shell.home, '.config/ledger-ops/profiles.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { apiToken, applicationToken } = JSON.parse(await readFile(file, 'utf8')).profiles.default;
  const lists = [await shell.run('profile', 'list'), await shell.run('profile', 'list', '--json')];
  for (const { out, code } of lists) {
    expect(code).toBe(0);
    expect(out).toContain('administrator');
    expect(out).not.toContain(apiToken);
    expect(out).not.toContain(applicationToken);
  }
});

test('a ledger, two wallets, a transfer, and what became of it', async () => {
  const properties = ['chain_id=31337', 'development=true', 'polling_interval=20'];
  await shell.json(
    ...['ledger', 'add', 'main', '--technology', 'ethereum', '--node', anvil.url],
    ...properties.flatMap((one) => ['--set', one]),
  );
  expect((await shell.run('ledger', 'list')).out).toMatch(/^LEDGER +TECHNOLOGY .*\nmain +/);
  const passwordFile = at('alice.password');
  const create = ['wallet', 'create', 'alice', '--ledger', 'main', '--new-password-file', passwordFile];
  const { walletAddress = '' } = await shell.json(...create);
  expect((await stat(passwordFile)).mode & 0o777).toBe(0o600);
  expect(await shell.run(...create)).toMatchObject({ code: 2 });
  shell.input = 'correct horse battery staple\n';
  await shell.json('wallet', 'create', 'bob', '--ledger', 'main', '--password-file', '-');
  await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);

  const sent = await shell.run(
    'send',
    'bob',
    '1000',
    '--from',
    'alice',
    '--password-file',
    passwordFile,
    '--tag',
    'rent',
  );
  expect(sent).toMatchObject({ code: 0, err: '' });
  expect(sent.out).toMatch(/^SUCCEEDED: [0-9a-f-]{36}, transaction 0x[0-9a-f]{64}\n$/);
  const [, actionId = ''] = /SUCCEEDED: (\S+),/.exec(sent.out) ?? [];
  expect(await shell.json('wallet', 'show', 'bob')).toMatchObject({ balance: '1000' });
  const [row] = await shell.json<Record<string, string>[]>('action', 'list', '--tag', 'rent');
  expect(row).toMatchObject({ actionId, status: 'SUCCEEDED', walletId: 'alice' });
  expect((await shell.run('action', 'list', '--tag', 'rent')).out).toContain('0.000000000000001 ');
  expect(await shell.json('action', 'show', actionId)).toMatchObject({ actionId });
  expect((await shell.run('action', 'explain', actionId)).out).toContain('bob');
  expect((await shell.run('action', 'watch', actionId)).out).toContain('SUCCEEDED');

  shell.environment = { LEDGER_OPS_WALLET_PASSWORD: 'wrong wrong wrong wrong' };
  const wrong = await shell.run('send', 'bob', '1', '--from', 'alice');
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toMatch(/password.*\nNext: /s);
  shell.environment = {};
  const asked = await shell.run('send', 'bob', '1', '--from', 'alice');
  expect(asked).toMatchObject({ code: 2, out: '' });
  expect(asked.err).toContain('LEDGER_OPS_WALLET_PASSWORD');
  shell.typed = [(await readFile(passwordFile, 'utf8')).trim()];
  const detached = await shell.json('send', 'bob', '1', '--from', 'alice', '--detach');
  expect(detached).toMatchObject({ status: 'PENDING' });
  shell.typed = undefined;
  expect(await shell.json('action', 'watch', detached.actionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
});

test('an account of one’s own, from an organization to its first login', async () => {
  await shell.json('org', 'create', 'shop');
  await shell.json('project', 'create', 'till', '--org', 'shop');
  await shell.json('app', 'create', 'till-app', '--project', 'till');
  const { serviceId = '' } = await shell.json('account', 'create', 'cashier', '--project', 'till');
  expect((await shell.run('account', 'list', '--project', 'till')).out).toContain(serviceId);
  await shell.json('role', 'grant', serviceId, 'transactor', 'till');
  const files = [at('app.token'), at('account.token')];
  for (const [kind, id, file = ''] of [
    ['app', 'till-app', files[0]],
    ['account', 'cashier', files[1]],
  ] as const) {
    const made = await shell.run('token', kind, id, '--out-file', file);
    expect(made.code).toBe(0);
    const secret = (await readFile(file, 'utf8')).trim();
    expect(secret).toMatch(/^(app|sak)_/);
    expect(made.out).not.toContain(secret);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }
  const { baseUrl = '' } = (await shell.json<Record<string, string>[]>('profile', 'list'))[0] ?? {};
  const [applicationTokenFile = '', apiTokenFile = ''] = files;
  await shell.json(
    ...['login', '--profile', 'cashier', '--url', baseUrl, '--client-id', 'till-app'],
    ...['--service-account', 'cashier', '--application-token-file', applicationTokenFile],
    ...['--api-token-file', apiTokenFile],
  );
  expect(await shell.run('role', 'check', 'till', 'wallet:transact', '--profile', 'cashier')).toMatchObject({
    code: 0,
  });
  const denied = await shell.run('role', 'check', 'till', 'project:update', '--profile', 'cashier');
  expect(denied).toMatchObject({ code: 3, err: expect.stringContaining('project:update') });
  const who = ['--profile', 'cashier'];
  expect(await shell.run('plugin', 'list', '--project', 'till', ...who)).toMatchObject({ code: 0 });
  expect(await shell.run('plugin', 'check', 'nothing', ...who)).toMatchObject({ code: 1 });
  expect(await shell.json('contract', 'list', '--project', 'till', ...who)).toEqual([]);
  await shell.json('role', 'grant', serviceId, 'owner', 'till', '--profile', 'default');
  const secretFile = at('webhook.secret');
  const url = `http://127.0.0.1:${await freePort()}/`;
  await shell.json('webhook', 'add', url, '--out-file', secretFile, ...who);
  expect(await readFile(secretFile, 'utf8')).toMatch(/^whsec_/);
  const [{ id = '' } = {}] = await shell.json<Record<string, string>[]>('webhook', 'list', ...who);
  expect(await shell.run('webhook', 'test', id, ...who)).toMatchObject({ code: 3 });
  await shell.json('webhook', 'remove', id, ...who);
  expect((await shell.run('webhook', 'list', ...who)).out).toContain('There is no webhook');
  await shell.json('role', 'revoke', serviceId, 'transactor', 'till', '--profile', 'default');
});
