import { createHash } from 'node:crypto';
import { consoleAppUid, ensureConsole } from '@ledger-ops/auth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../people/console-stage.ts';
import { addTenant, headersOf, type Installation, install, type Tenant } from '../stage/api.ts';
import { openGround } from '../stage/harness.ts';
import { addUser, formsOf, mailIn, openBrowser, pkce, type TestUser } from './users.ts';

let installation: Installation;
let mill: Tenant;
let barn: Tenant;
let user: TestUser;

beforeAll(async () => {
  buildConsole();
  installation = await install();
  const { server, url, administrator } = installation;
  mill = await addTenant(url, administrator, 'mill');
  barn = await addTenant(url, administrator, 'barn');
  user = await addUser(server);
  await giveRole('owner', mill);
});
afterAll(() => installation.close());

async function giveRole(role: string, { projectUuid }: Tenant): Promise<void> {
  const { store, auth } = installation.server;
  const holder = { identity: user.serviceId };
  await store.transaction((tx) => auth.assignRole(tx, { holder, role, resourceUid: projectUuid }));
}

/** Returns an authorization request of the console. */
function requestPath(redirectUri: string, challenge: string): string {
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: consoleAppUid,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'here',
  });
  return `/v1/auth/authorize?${asked}`;
}

/** Returns the response after a login. */
async function authorize(redirectUri: string): Promise<{ response: Response; verifier: string }> {
  const { url } = installation;
  const browser = openBrowser((path, init) => fetch(url + path, init), url);
  const { verifier, challenge } = pkce();
  const [form] = formsOf(await (await browser.get(requestPath(redirectUri, challenge))).text());
  const fields = { ...form?.fields, username: user.email, password: user.password };
  const loggedIn = await browser.submit(form?.action ?? '', fields);
  return { response: await browser.get(loggedIn.headers.get('location') ?? ''), verifier };
}

async function signIn(): Promise<Record<string, string>> {
  const { url } = installation;
  const redirectUri = `${url}/console/callback`;
  const { response, verifier } = await authorize(redirectUri);
  const target = new URL(response.headers.get('location') ?? '');
  expect(target.href).toMatch(new RegExp(`^${redirectUri}[?]code=`));
  const answer = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: consoleAppUid,
      code: target.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  return { Authorization: `Bearer ${token}` };
}

const wallets = (headers: Record<string, string>) =>
  fetch(`${installation.url}/v1/cloud-wallet/wallets`, { headers });
const problemOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { type?: string }).type,
];

describe('signing in to the console', () => {
  test('console users give no consent, and work in the projects where they hold a role', async () => {
    const bearer = await signIn();
    expect((await wallets({ ...bearer, 'Ledger-Ops-Project': mill.projectUuid })).status).toBe(200);
    const refused = await wallets({ ...bearer, 'Ledger-Ops-Project': barn.projectUuid });
    expect(await problemOf(refused)).toEqual([403, 'urn:ledger-ops:problem:not-permitted']);
    const unknown = await wallets({ ...bearer, 'Ledger-Ops-Project': 'nowhere' });
    expect(await problemOf(unknown)).toEqual([403, 'urn:ledger-ops:problem:not-permitted']);
    const withAnother = await wallets({ ...bearer, ApplicationToken: mill.applicationToken });
    expect(await problemOf(withAnother)).toEqual([403, 'urn:ledger-ops:problem:application-mismatch']);
  });

  test('an Idempotency-Key that the console uses in one project can be used again in another project', async () => {
    await giveRole('owner', barn);
    const bearer = await signIn();
    const create = (project: string) =>
      fetch(`${installation.url}/v1/contract-groups`, {
        method: 'POST',
        headers: {
          ...bearer,
          'Ledger-Ops-Project': project,
          'Idempotency-Key': 'one',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ name: 'tokens' }),
      });
    const made = [await create(mill.projectUuid), await create(barn.projectUuid)];
    expect(made.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual([
      [201, null],
      [201, null],
    ]);
    expect((await create(barn.projectUuid)).headers.get('idempotency-replayed')).toBe('true');
  });

  test('the console needs consent if its redirect URI is at another address', async () => {
    const { store, auth } = installation.server;
    const elsewhere = 'https://elsewhere.example/callback';
    const own = `${installation.url}/console/callback`;
    await store.transaction((tx) => auth.setRedirectUris(tx, consoleAppUid, [own, elsewhere]));
    const { response } = await authorize(elsewhere);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('act for you?')]);

    await ensureConsole({ store, baseUrl: installation.url, now: Date.now });
    const again = await fetch(installation.url + requestPath(elsewhere, pkce().challenge));
    expect(again.status).toBe(400);
  });
});

test('other applications send their ApplicationToken and name no project', async () => {
  const { Authorization = '' } = mill.headers;
  expect(await problemOf(await wallets({ Authorization }))).toEqual([
    401,
    'urn:ledger-ops:problem:application-token-invalid',
  ]);
  const named = await wallets({ ...mill.headers, 'Ledger-Ops-Project': mill.projectUuid });
  expect(await problemOf(named)).toEqual([400, 'urn:ledger-ops:problem:invalid-request']);
});

test('a service account cannot use the console, even as administrator', async () => {
  const { Authorization = '' } = await headersOf(installation.url, {
    ...installation.administrator,
    appId: consoleAppUid,
  });
  expect(await problemOf(await wallets({ Authorization }))).toEqual([
    401,
    'urn:ledger-ops:problem:access-token-invalid',
  ]);
});

test('servers that start at the same time create one console application, without a redirect URI if the service has no TLS', async () => {
  const ground = await openGround();
  const make = (baseUrl: string) => ensureConsole({ store: ground.store, baseUrl, now: Date.now });
  const uris = () => ground.auth.redirectUris(consoleAppUid);
  await Promise.all([make('https://ledger.example'), make('https://ledger.example')]);
  expect(await uris()).toEqual(['https://ledger.example/console/callback']);
  await make('http://ledger.example');
  expect(await uris()).toEqual([]);
  await ground.close();
});

describe('the files of the console', () => {
  const file = (path: string, init: RequestInit = {}) =>
    fetch(`${installation.url}${path}`, { redirect: 'manual', ...init });

  test('every path that is not a file serves the console’s page, with a policy that forbids inline code', async () => {
    const moved = await file('/console');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/console/']);
    for (const path of ['/console/', '/console/actions/one', '/console/callback?code=x']) {
      const page = await file(path);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(await page.text()).not.toMatch(/<script>|<style|style=|https?:\/\//);
    }
  });

  test('the sign-in pages and the API reference load the console’s font, which their policies allow', async () => {
    const page = await file(requestPath(`${installation.url}/console/callback`, pkce().challenge));
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(await page.text()) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policyOf = ({ headers }: Response) => headers.get('content-security-policy');
    expect(policyOf(page)).toContain(`style-src 'sha256-${hash}'; font-src 'self';`);
    expect(policyOf(await file('/docs'))).toContain("; font-src 'self';");
    for (const css of [style, await (await file('/docs/reference.css')).text()]) {
      const fonts = [...css.matchAll(/url\(([^)]*)\)/g)].map(([, path = '']) => path);
      expect(fonts).toHaveLength(1);
      const font = await file(fonts[0] ?? '');
      expect([font.status, font.headers.get('content-type')]).toEqual([200, 'font/woff2']);
    }
  });

  test('console files with a hash in their names are cached forever, and files of another console version get 404', async () => {
    const page = await (await file('/console/')).text();
    const [, script = ''] = /src="(\/console\/assets\/[^"]+[.]js)"/.exec(page) ?? [];
    const found = await file(script, { headers: { 'Accept-Encoding': 'br' } });
    expect(Object.fromEntries(found.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    const known = { 'Accept-Encoding': 'br', 'If-None-Match': found.headers.get('etag') ?? '' };
    expect((await file(script, { headers: known })).status).toBe(304);
    for (const path of [
      '/console/assets/index-old.js',
      '/console/assets/',
      '/console/x.js',
      '/console/..%2fx.y',
    ]) {
      expect([path, (await file(path)).status]).toEqual([path, 404]);
    }
    const posted = await file('/console/', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('links in mails lead to the console', async () => {
  const { api, organizationId } = mill;
  await api.expect(201, 'POST', '/v1/admin/invitations', { organizationId, email: 'eve@example.com' });
  const mail = await mailIn(`${installation.folder}/mail`, 'eve@example.com');
  expect(mail).toContain(`${installation.url}/console/#/init-user?initToken=ivs_`);
  expect(mail).toContain(`${installation.url}/console/#/invitation?invitationToken=`);
});
