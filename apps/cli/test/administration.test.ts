// Administers an installation from the command line: accounts and their permissions, tokens, webhooks,
// plugins, people.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { asyncListener } from '../../../testing/async-listener.ts';
import { endAll } from '../../../testing/children.ts';
import { formsOf, mailIn, openBrowser } from '../../server/test/access/users.ts';
import { testCommandsRun } from './commands-run.ts';
import type { Shell } from './shell.ts';
import { openStage, type Stage } from './stage.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let stage: Stage;
let shell: Shell;
/** A server that closes every connection without a response. */
let silentServer: Server;
let silentUrl: string;
const at = (...names: string[]) => stage.at(...names);
const profilesFile = () => join(shell.home, '.config/ledger-ops/profiles.json');
const readProfiles = async () => JSON.parse(await readFile(profilesFile(), 'utf8'));
beforeAll(async () => {
  silentServer = createServer((socket) => void socket.destroy());
  silentUrl = await listen(silentServer);
  stage = await openStage({ PLUGINS_ALLOWED: silentUrl });
  ({ shell } = stage);
});
afterEach(() => shell?.reset());
afterAll(async () => {
  await stage?.close();
  await endAll();
  silentServer?.close();
});

async function listen(server: Pick<Server, 'listen' | 'address'>): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('setting up an account', () => {
  const who = ['--profile', 'cashier'];
  const [appToken, accountToken] = [() => at('app.token'), () => at('account.token')];
  let serviceId: string;

  test('a new service account is created in its own organization, project and application', async () => {
    await shell.json('org', 'create', 'shop');
    await shell.json('project', 'create', 'till', '--org', 'shop');
    await shell.json('app', 'create', 'till-app', '--project', 'till');
    const made = await shell.json('account', 'create', 'cashier', '--project', 'till');
    serviceId = made.serviceId ?? '';
    expect((await shell.run('account', 'list', '--project', 'till')).out).toContain(serviceId);
    expect((await shell.run('storage', 'list', '--org', 'shop')).out).toMatch(
      /^projects +1 +1000 +records +default/m,
    );
    const changed = await shell.run('storage', 'set', 'projects', '2000', '--org', 'shop');
    expect(changed.out).toMatch(/^projects +1 +2000 +records +organization/m);
    expect((await shell.run('storage', 'list')).out).toMatch(/^projects +1000 +records +default/m);
    expect((await shell.run('org', 'list')).out).toMatch(/^shop +shop /m);
    expect((await shell.run('project', 'list', '--org', 'shop')).out).toMatch(/^till +shop +till /m);
    expect((await shell.run('app', 'list', '--project', 'till')).out).toMatch(/^till-app +till +till-app$/m);
  });

  test('the tokens of a service account are written to files that only their owner can read', async () => {
    // If a request is refused, the command leaves no file, because a file would block the next attempt.
    const nobodys = at('nobodys.token');
    const refused = await shell.run('token', 'account', 'nobody', '--out-file', nobodys);
    expect(refused).toMatchObject({ code: 1, out: '' });
    await expect(stat(nobodys)).rejects.toThrow('ENOENT');
    for (const [kind, id, file, said] of [
      ['app', 'till-app', appToken(), /^The token of the application till-app is in /],
      ['account', 'cashier', accountToken(), /^API token \S+ of cashier is in /],
    ] as const) {
      const made = await shell.run('token', kind, id, '--out-file', file);
      expect(made).toMatchObject({ code: 0, out: expect.stringMatching(said) });
      const secret = (await readFile(file, 'utf8')).trim();
      expect(secret).toMatch(/^(app|sak)_/);
      expect(made.out).not.toContain(secret);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });

  test('a service account signs in and has the permissions of its role', async () => {
    expect((await shell.run('role', 'list')).out).toMatch(/^transactor +/m);
    await shell.json('role', 'grant', serviceId, 'transactor', 'till');
    await shell.json(
      ...['login', ...who, '--url', stage.baseUrl, '--client-id', 'till-app'],
      ...['--service-account', 'cashier', '--application-token-file', appToken()],
      ...['--api-token-file', accountToken()],
    );
    await shell.json('profile', 'use', 'default');
    const check = (permission: string) => shell.run('role', 'check', 'till', permission, ...who);
    expect(await check('wallet:transact')).toMatchObject({ code: 0 });
    expect(await check('project:update')).toMatchObject({
      code: 3,
      err: expect.stringContaining('project:update'),
    });
    expect(await shell.run('plugin', 'list', '--project', 'till', ...who)).toMatchObject({ code: 0 });
    expect(await shell.run('plugin', 'show', 'nothing', ...who)).toMatchObject({ code: 1 });
    expect(await shell.json('contract', 'list', '--project', 'till', ...who)).toEqual([]);
    await shell.json('role', 'grant', serviceId, 'owner', 'till');
    expect(await check('project:update')).toMatchObject({ code: 0 });
    const { out } = await shell.run('role', 'revoke', serviceId, 'transactor', 'till');
    expect(out).toContain('still has 1 on till and below it');
    expect(out).toContain(`ledger-ops role revoke ${serviceId} transactor till --all`);
    await shell.json('app', 'create', 'scale', '--project', 'till');
    const revoked = await shell.run('role', 'revoke-app', 'scale', 'application', 'till');
    expect(revoked.out.trimEnd()).toBe('The role is revoked.');
  });

  test('lists a service account’s roles and credentials, and removes leaked credentials', async () => {
    expect((await shell.run('role', 'grants', '--resource', 'till')).out).toMatch(
      /^cashier\S* +owner +till +/m,
    );
    expect(await shell.json('role', 'grants', '--identity', serviceId)).toMatchObject([{ role: 'owner' }]);
    const { permissions } = await shell.json<{ permissions: string[] }>(
      'role',
      'permissions',
      serviceId,
      'till',
    );
    expect(permissions).toContain('project:update');
    expect(await shell.run('role', 'grants')).toMatchObject({ code: 2, out: '' });

    const [token] = await shell.json<{ tokenId: string }[]>('token', 'list', 'cashier');
    await shell.json('token', 'disable', 'cashier', token?.tokenId ?? '');
    expect(await shell.run('whoami', ...who)).toMatchObject({ code: 4, out: '' });
    await shell.json('token', 'enable', 'cashier', token?.tokenId ?? '');
    expect(await shell.json('whoami', ...who)).toMatchObject({ serviceId, application: 'till-app' });

    const { keyId = '' } = await shell.json('key', 'create', 'cashier', '--out-file', at('cashier.key'));
    expect(JSON.parse(await readFile(at('cashier.key'), 'utf8'))).toMatchObject({
      ...{ accountId: 'cashier', privateKey: expect.stringContaining('PRIVATE KEY') },
    });
    await shell.json('key', 'disable', 'cashier', keyId);
    expect((await shell.run('key', 'list', 'cashier')).out).toMatch(new RegExp(`^${keyId} +DISABLED`, 'm'));
    await shell.json('key', 'enable', 'cashier', keyId);
    expect(await shell.run('key', 'disable', 'cashier', 'first')).toMatchObject({ code: 2, out: '' });
  });

  test('adds, disables, enables and removes a webhook, and replaces its secret', async () => {
    const [secret, rotated] = [at('webhook.secret'), at('rotated.secret')];
    const { webhookId: id = '' } = await shell.json(
      ...['webhook', 'add', silentUrl, '--out-file', secret, '--type', 'action.failed', '--wallet', 'alice'],
      ...['--type', 'contract.event'],
      ...['--ledger', 'main', '--format', 'cloudevents', '--description', 'alarm', ...who],
    );
    expect(await readFile(secret, 'utf8')).toMatch(/^whsec_/);
    expect(await shell.json<object[]>('webhook', 'list', ...who)).toMatchObject([{ id }]);
    expect(await shell.json('webhook', 'show', id, ...who)).toMatchObject({
      ...{ types: ['action.failed', 'contract.event'], ledgers: ['main'], wallets: ['alice'] },
      ...{ format: 'cloudevents', description: 'alarm', status: 'ENABLED' },
    });
    expect(await shell.json('webhook', 'disable', id, ...who)).toMatchObject({ status: 'DISABLED' });
    expect(await shell.json('webhook', 'enable', id, ...who)).toMatchObject({ status: 'ENABLED' });
    const refused = await shell.run('webhook', 'test', id, ...who);
    expect(refused).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^Not accepted: .*[^.][.]\nNext: /),
    });
    expect(await shell.json('webhook', 'deliveries', id, '--status', 'DEAD', ...who)).toEqual([]);
    await shell.json('webhook', 'replay', id, '--since', new Date().toISOString(), ...who);
    expect(await shell.run('webhook', 'replay', id, ...who)).toMatchObject({ code: 2, out: '' });
    await shell.json('webhook', 'rotate', id, '--out-file', rotated, ...who);
    expect(await readFile(rotated, 'utf8')).toMatch(/^whsec_/);
    expect(await readFile(rotated, 'utf8')).not.toBe(await readFile(secret, 'utf8'));
    await shell.json('webhook', 'remove', id, ...who);
    expect((await shell.run('webhook', 'list', ...who)).out).toContain('No webhooks');
  });
});

test.each([
  ['account', 'cashier', ['--project', 'till']],
  ['app', 'till-app', ['--project', 'till']],
  ['project', 'till', ['--org', 'shop']],
  ['org', 'shop', []],
])('archives a record, lists it with --archived, and restores it: %s', async (kind, id, where) => {
  await shell.json(kind, 'archive', id);
  const listed = async (...more: string[]) => (await shell.run(kind, 'list', ...where, ...more)).out;
  const row = new RegExp(`^${id} `, 'm');
  expect(await listed()).not.toMatch(row);
  expect(await listed('--archived')).toMatch(row);
  if (kind === 'org') {
    const refused = await shell.run('project', 'create', 'late', '--org', id);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is archived.*\nNext: .*org restore/s),
    });
  }
  await shell.json(kind, 'restore', id);
  expect(await listed()).toMatch(row);
});

test('changes an application’s name and redirect URIs independently', async () => {
  const change = ['app', 'change', 'till-app'];
  const uri = 'http://127.0.0.1/callback';
  await shell.json(...change, '--redirect-uri', uri);
  expect(await shell.json(...change, '--name', 'Till')).toMatchObject({ name: 'Till', redirectUris: [uri] });
});

describe('rotating the token that the command line itself uses', () => {
  interface App {
    readonly appId: string;
    readonly formerToken: boolean;
  }
  const ownToken = async (): Promise<string> => (await readProfiles()).profiles.default.applicationToken;
  /** Sends a request that requires only an application token; returns its status. */
  const accepts = async (token: string) =>
    (await fetch(`${stage.baseUrl}/v1/auth/certs`, { headers: { ApplicationToken: token } })).status;
  const hasFormer = async () => {
    const apps = await shell.json<App[]>('app', 'list', '--project', 'administration');
    return apps.find(({ appId }) => appId === 'administration')?.formerToken;
  };
  const useAddress = async (baseUrl: string) => {
    const kept = await readProfiles();
    kept.profiles.default.baseUrl = baseUrl;
    await writeFile(profilesFile(), JSON.stringify(kept));
  };

  /** Kills `token app` after the service handled this request and before the command gets the response. */
  async function killBehind(method: string, path: string, file: string): Promise<void> {
    const done = Promise.withResolvers<void>();
    const proxy = createHttpServer(
      asyncListener(async (request, response) => {
        const body = request.method === 'GET' ? null : await buffer(request);
        const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
        const answer = await fetch(`${stage.baseUrl}${request.url}`, {
          ...{ method: request.method ?? '', headers: headers as Record<string, string>, body },
        });
        if (request.method === method && request.url?.startsWith(path)) return done.resolve();
        response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      }),
    );
    try {
      await useAddress(await listen(proxy));
      const command = shell.start(
        { HOME: shell.home },
        ...['token', 'app', 'administration', '--out-file', file],
      );
      await Promise.race([done.promise, command.code]);
      command.child.kill('SIGKILL');
      expect([await command.code, command.err()]).toEqual([null, '']);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
      await useAddress(stage.baseUrl);
    }
  }

  test('a token rotation that is killed before it stores the new token can be repeated with the previous token', async () => {
    const [before, file] = [await ownToken(), at('rotated.token')];
    for (const _ of ['once', 'and again']) {
      await killBehind('POST', '/v1/admin/apps/administration/token', file);
      expect(await ownToken()).toBe(before);
      expect(await hasFormer()).toBe(true);
    }
    expect(await shell.run('token', 'app', 'administration', '--out-file', file)).toMatchObject({ code: 0 });
    const after = await ownToken();
    expect(await readFile(file, 'utf8')).toBe(`${after}\n`);
    expect([await accepts(before), await accepts(after), await hasFormer()]).toEqual([401, 200, false]);
  });

  test('if a token rotation is killed after it has stored the new token, the previous token is already revoked', async () => {
    const [before, file] = [await ownToken(), at('kept.token')];
    await killBehind('DELETE', '/v1/admin/apps/administration/former-token', file);
    const after = await ownToken();
    expect(await readFile(file, 'utf8')).toBe(`${after}\n`);
    expect([await accepts(before), await accepts(after)]).toEqual([401, 200]);
    const again = ['token', 'app', 'administration', '--keep-former', '--out-file'];
    expect(await shell.run(...again, file)).toMatchObject({ code: 2, out: '' });
    await shell.json(...again, at('third.token'));
    expect([await accepts(after), await hasFormer()]).toEqual([200, true]);
    await shell.json('token', 'end-former', 'administration');
    expect([await accepts(after), await hasFormer()]).toEqual([401, false]);
  });
});

test('registers a plugin, deactivates it and activates it again', async () => {
  await shell.json('ledger', 'add', 'plain', '--technology', 'ethereum', '--set', 'chain_id=1');
  const selection = () => shell.run('plugin', 'selection', 'plain');
  // The plugin is selected, but the ledger cannot be served because it has no node.
  expect(await selection()).toMatchObject({ code: 3, out: expect.stringMatching(/^\S+ +\S+ +serves it$/m) });
  const plugin = ['--project', 'administration', '--name', 'Notes', '--tag', 'ethereum'];
  plugin.push('--plugin-version', '1.2.0');
  // A built-in plugin serves ledgers of this technology until the caller allows the new plugin to take over.
  const without = await shell.run('plugin', 'add', silentUrl, ...plugin);
  expect(without).toMatchObject({ code: 1, err: expect.stringContaining('--take-over') });
  const add = ['plugin', 'add', silentUrl, ...plugin, '--take-over'];
  shell.input = 'not a token\n';
  expect(await shell.run(...add, '--bearer-token-file', '-')).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('/credentials/bearerToken') },
  });
  shell.input = 'abc.def\n';
  const added = await shell.run(...add, '--bearer-token-file', '-', '--json');
  const { id = '', version, warnings, hasCredentials } = JSON.parse(added.out);
  expect([version, hasCredentials]).toEqual(['1.2.0', true]);
  // The URL does not respond. The plugin serves the ledger that a built-in plugin served.
  expect(warnings).toEqual([expect.any(String), expect.stringContaining('plain (by ')]);
  const lines = warnings.map((warning: string) => `Warning: ${warning}\n`);
  expect(added).toMatchObject({ code: 0, err: lines.join('') });
  const chosen = await selection();
  expect(chosen).toMatchObject({
    code: 3,
    out: expect.stringMatching(new RegExp(`^${id} +Notes +serves it$`, 'm')),
  });
  expect(chosen.err).toMatch(/^plain is not served: .+\nNext: /);
  const isActive = async () =>
    (await shell.json<{ id: string; active: boolean }[]>('plugin', 'list', '--project', 'administration'))
      .filter((one) => one.id === id)
      .map(({ active }) => active);
  await shell.json('plugin', 'off', id);
  expect(await isActive()).toEqual([false]);
  expect(await shell.run('plugin', 'show', id)).toMatchObject({
    ...{ code: 3, err: expect.stringContaining('is inactive: ledgers do not select it.') },
  });
  await shell.json('plugin', 'on', id, '--take-over');
  expect(await isActive()).toEqual([true]);
  expect(await shell.run('plugin', 'show', id)).toMatchObject({ code: 3 });
});

test('invites people, lists them without their secrets, and cancels invitations', async () => {
  const invite = ['invite', 'send', 'ada@example.com', '--org', 'shop'];
  expect(await shell.run(...invite, '--role', 'transactor')).toMatchObject({ code: 2, out: '' });
  const sent = await shell.run(...invite, '--role', 'transactor@till', '--json');
  expect(JSON.parse(sent.out).roles).toMatchObject([{ role: 'transactor', resourceId: 'till' }]);
  expect(sent).toMatchObject({ code: 0, out: expect.not.stringContaining('inv_') });
  const listed = await shell.run('invite', 'list', '--org', 'shop', '--json');
  expect(listed.out).not.toContain('inv_');
  const [{ invitationId = '', email } = {}] = JSON.parse(listed.out);
  expect(email).toBe('ada@example.com');
  await shell.json('invite', 'cancel', String(invitationId));
  expect(await shell.json('invite', 'list', '--org', 'shop')).toEqual([]);
  expect(await shell.json('invite', 'list', '--state', 'CANCELED')).toHaveLength(1);
  expect(await shell.run('invite', 'cancel', 'ada')).toMatchObject({ code: 2 });
});

describe('a person who uses the CLI', () => {
  const baseUrl = () => stage.baseUrl;
  const [email, password] = ['grace@example.com', 'correct horse battery staple'];
  const login = () => [
    ...['login', '--profile', 'grace', '--url', baseUrl(), '--client-id', 'desk'],
    ...['--application-token-file', at('desk.token')],
  ];
  const kept = async () => (await readProfiles()).profiles.grace;

  /** Signs in at the URL that a command opens, and follows the redirects. */
  async function browse(address: string): Promise<void> {
    const browser = openBrowser((path, init) => fetch(new URL(path, baseUrl()), init), baseUrl());
    const [logIn] = formsOf(await (await browser.get(address)).text());
    const fields = { ...logIn?.fields, username: email, password };
    const asked = (await browser.submit(logIn?.action ?? '', fields)).headers.get('location') ?? '';
    const [consent] = formsOf(await (await browser.get(asked)).text());
    const decided = { ...consent?.fields, decision: 'approve' };
    const target = (await browser.submit(consent?.action ?? '', decided)).headers.get('location') ?? '';
    // A request from another user of this machine, who does not know the state value.
    expect((await fetch(target.replace(/state=[^&]*/, 'state=x'))).status).toBe(400);
    expect((await fetch(target)).status).toBe(200);
  }

  test('an invited person signs in through the browser, even if the command cannot open one', async () => {
    const invited = await shell.run('invite', 'send', email, '--org', 'shop');
    const [link = '', initToken = ''] =
      /^http\S+[?&]initToken=([\w-]+)$/m.exec(await mailIn(at('data/mail'), email)) ?? [];
    expect(initToken).not.toBe('');
    // Without a mail server, no mail is sent: the command prints the link, and the server logs it.
    expect(invited).toMatchObject({ code: 0, out: expect.stringContaining(`\n${link}\n`) });
    await vi.waitFor(() => expect(stage.log()).toContain(`"link":"${link}"`), 30_000);
    const first = await fetch(`${baseUrl()}/v1/auth/init-user`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ initToken, acceptTnC: true, additional: { name: 'Grace', password } }),
    });
    expect([first.ok, await first.text()]).toEqual([true, expect.not.stringContaining('problem')]);
    const redirect = ['--redirect-uri', 'http://127.0.0.1/callback'];
    await shell.json('app', 'create', 'desk', '--project', 'till', ...redirect);
    await shell.json('token', 'app', 'desk', '--out-file', at('desk.token'));

    shell.browser = browse;
    expect(await shell.run(...login())).toMatchObject({ code: 0, err: '' });
    shell.browser = undefined;
    const printing = shell.begin(...login(), '--no-browser');
    const [, address = ''] = await printing.says(/\n(http\S+)\n/);
    await browse(address);
    expect(await printing.end).toMatchObject({ code: 0 });
    await shell.json('profile', 'use', 'default');
  });

  test('a person stays signed in between commands, and signs out', async () => {
    const before = await kept();
    expect((await shell.run('profile', 'list')).out).not.toContain(before.person.refreshToken);
    // Many concurrent processes may have an expired token. Only one of them may use the refresh token,
    // because a second use would end the session.
    const ended = { ...before, person: { ...before.person, accessUntil: 0 } };
    const file = await readProfiles();
    await writeFile(
      profilesFile(),
      JSON.stringify({ ...file, profiles: { ...file.profiles, grace: ended } }),
    );
    const asks = Array.from({ length: 4 }, () => shell.run('ledger', 'technologies', '--profile', 'grace'));
    for (const { code, err } of await Promise.all(asks)) expect([code, err]).toEqual([0, '']);
    const after = await kept();
    expect(after.person.refreshToken).not.toBe(before.person.refreshToken);
    expect(await shell.run('logout', '--profile', 'grace')).toMatchObject({ code: 0 });
    const headers = {
      ApplicationToken: after.applicationToken,
      Authorization: `Bearer ${after.person.accessToken}`,
    };
    expect((await fetch(`${baseUrl()}/v1/technologies`, { headers })).status).toBe(401);
  });
});

testCommandsRun('administration.test.ts', () => shell);
