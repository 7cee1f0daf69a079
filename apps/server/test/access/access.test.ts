// These tests use only fetch and jose, as a third-party program would.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createRemoteJWKSet, importPKCS8, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  openApi,
  type Tenant,
  transferBody,
} from '../stage/api.ts';
import { addUser, formsOf, openBrowser, type TestUser } from './users.ts';

const to = '0x00000000000000000000000000000000000000aa';
let here: Installation;
let admin: Api;
let tenant: Tenant;
beforeAll(async () => {
  here = await install();
  admin = await logIn(here.url, here.administrator);
  tenant = await addTenant(here.url, here.administrator, 'one');
  await addWallet(here, tenant, 'one-wallet');
});
afterAll(() => here.close());

const redirectUri = 'https://client.example/callback';

async function requestToken(form: Record<string, string>) {
  const response = await fetch(`${here.url}/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const body = (await response.json()) as { access_token?: string; token_type?: string; error?: string };
  return { status: response.status, body };
}

async function tokenOf(form: Record<string, string>): Promise<string> {
  const { status, body } = await requestToken(form);
  expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  return body.access_token ?? '';
}

/** Verifies a token's signature with the published keys, and its audience. */
async function verify(token: string) {
  const keys = createRemoteJWKSet(new URL(`${here.url}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(token, keys, {
    issuer: here.url,
    audience: here.url,
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'sub', 'client_id'],
  });
  return payload;
}

const apiWith = (token: string) =>
  openApi(here.url, { ApplicationToken: tenant.applicationToken, Authorization: `Bearer ${token}` });
const send = async (token: string) =>
  await apiWith(token).call('POST', '/v1/ledger-ops/send', transferBody('one-wallet', to));

const apiTokenForm = (secret: string) => ({
  grant_type: 'client_credentials',
  client_id: tenant.appId,
  service_account: tenant.accountId,
  client_secret: secret,
});

interface KeyFile {
  keyID: number;
  privateKey: string;
  accountId: string;
  tokenUri: string;
}

async function newKey(): Promise<KeyFile> {
  return await tenant.api.expect(201, 'POST', `/v1/service-accounts/${tenant.accountId}/keys`);
}

async function assertionForm({ keyID, privateKey, accountId, tokenUri }: KeyFile) {
  const assertion = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: String(keyID) })
    .setIssuer(accountId)
    .setSubject(accountId)
    .setAudience(tokenUri)
    .setIssuedAt()
    .setExpirationTime('2 minutes')
    .setJti(randomBytes(16).toString('hex'))
    .sign(await importPKCS8(privateKey, 'RS256'));
  return {
    grant_type: 'client_credentials',
    client_id: tenant.appId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  };
}

/** Signs a user in and consents through the pages. Returns the form with which the client exchanges the code. */
async function codeForm(user: TestUser) {
  const verifier = randomBytes(32).toString('base64url');
  const browser = openBrowser((path, init) => fetch(here.url + path, init), here.url);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: tenant.appId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const [login] = formsOf(await (await browser.get(`/v1/auth/authorize?${query}`)).text());
  const loggedIn = await browser.submit(login?.action ?? '', {
    ...login?.fields,
    username: user.email,
    password: user.password,
  });
  const [consent] = formsOf(await (await browser.get(loggedIn.headers.get('location') ?? '')).text());
  const agreed = await browser.submit(consent?.action ?? '', { ...consent?.fields, decision: 'approve' });
  const code = new URL(agreed.headers.get('location') ?? '').searchParams.get('code') ?? '';
  return {
    grant_type: 'authorization_code',
    client_id: tenant.appId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
}

async function newUser(): Promise<TestUser> {
  const user = await addUser(here.server);
  await admin.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    identity: { serviceId: user.serviceId },
    resource: { resourceUUID: tenant.projectUuid },
    role: { name: 'transactor' },
  });
  return user;
}

/** Checks that a token works: it verifies, sends a transfer, and the transfer succeeds. */
async function expectWorks(token: string, serviceId: string) {
  expect(await verify(token)).toMatchObject({ sub: serviceId, client_id: tenant.appId });
  const sent = await send(token);
  expect([sent.status, sent.text]).toEqual([201, expect.any(String)]);
  expect(await ended(apiWith(token), sent.body.actionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
}

const refusal = (error: string) => ({ status: 401, body: { error, error_description: expect.any(String) } });
const status = (path: string, value: 'ENABLED' | 'DISABLED') =>
  `${path}${path.includes('?') ? '&' : '?'}status=${value}`;

describe('grants of the token endpoint', () => {
  test('an API token yields access tokens until it is disabled', async () => {
    const { apiToken = '', handle = '' } = await tenant.api.expect(
      201,
      'POST',
      `/v1/service-accounts/${tenant.accountId}/api-tokens`,
    );
    const token = await tokenOf(apiTokenForm(apiToken));
    await expectWorks(token, tenant.serviceId);

    const path = `/v1/service-accounts/api-tokens/${handle}`;
    await tenant.api.expect(200, 'PUT', status(path, 'DISABLED'));
    expect((await send(token)).status).toBe(401);
    expect(await requestToken(apiTokenForm(apiToken))).toEqual(refusal('invalid_client'));
    await tenant.api.expect(200, 'PUT', status(path, 'ENABLED'));
    expect((await send(token)).status).toBe(201);
    // Listings contain the token's handle.
    const listed = await tenant.api.call('GET', `/v1/service-accounts/${tenant.accountId}/api-tokens`);
    expect(listed.text).toContain(handle);
    expect(listed.text).not.toContain(apiToken);
  });

  test('a key file yields access tokens until the key is disabled', async () => {
    const key = await newKey();
    expect(key.tokenUri).toBe(`${here.url}/v1/auth/token`);
    const form = await assertionForm(key);
    const token = await tokenOf(form);
    await expectWorks(token, tenant.serviceId);
    // An assertion can be used once.
    expect(await requestToken(form)).toEqual(refusal('invalid_client'));

    const path = `/v1/service-accounts/${tenant.accountId}/keys?keyId=${key.keyID}`;
    await tenant.api.expect(200, 'PUT', status(path, 'DISABLED'));
    expect((await send(token)).status).toBe(401);
    expect(await requestToken(await assertionForm(key))).toEqual(refusal('invalid_client'));
    expect((await newKey()).keyID).not.toBe(key.keyID);
  });

  test('a user’s consent yields access tokens until the user’s identity is disabled', async () => {
    await admin.expect(200, 'PUT', `/v1/apps/${tenant.appId}`, { redirectUris: [redirectUri] });
    const user = await newUser();
    const form = await codeForm(user);
    const token = await tokenOf(form);
    await expectWorks(token, user.serviceId);
    expect(await apiWith(token).expect(200, 'GET', '/v1/identities/me')).toMatchObject({
      identifier: user.email,
    });

    await admin.expect(200, 'PUT', `/v1/identities/${user.serviceId}/status?status=DISABLED`);
    expect((await send(token)).status).toBe(401);
    await admin.expect(200, 'PUT', `/v1/identities/${user.serviceId}/status?status=ENABLED`);
    expect((await send(token)).status).toBe(201);
  });

  test('reusing an authorization code revokes the tokens that were issued for it', async () => {
    const form = await codeForm(await newUser());
    const token = await tokenOf(form);
    expect((await send(token)).status).toBe(201);
    expect(await requestToken(form)).toEqual(refusal('invalid_grant'));
    expect((await send(token)).status).toBe(401);
  });

  test('disabling an account’s identity revokes all its tokens', async () => {
    const token = await tokenOf(apiTokenForm(tenant.apiToken));
    await admin.expect(200, 'PUT', `/v1/identities/${tenant.serviceId}/status?status=DISABLED`);
    expect((await send(token)).status).toBe(401);
    expect(await requestToken(apiTokenForm(tenant.apiToken))).toEqual(refusal('invalid_client'));
    await admin.expect(200, 'PUT', `/v1/identities/${tenant.serviceId}/status?status=ENABLED`);
    expect((await send(token)).status).toBe(201);
  });

  test('revoking a role removes the access that it granted', async () => {
    const user = await newUser();
    const token = await tokenOf(await codeForm(user));
    expect((await send(token)).status).toBe(201);
    const removed = await admin.call(
      'DELETE',
      `/v1/resource-manager/resources/${tenant.projectUuid}/identities/${user.serviceId}/roles/transactor`,
    );
    expect([removed.status, removed.text]).toEqual([202, '']);
    await here.server.admin.sweep();
    expect([403, 404]).toContain((await send(token)).status);
  });

  test('a rotated ApplicationToken is refused, and the new one works', async () => {
    const other = await addTenant(here.url, here.administrator, 'rotating');
    const { appToken = '' } = await other.api.expect(201, 'POST', `/v1/apps/${other.appId}/token`);
    expect((await other.api.call('GET', '/v1/identities/me')).status).toBe(401);
    const again = await logIn(here.url, { ...other, applicationToken: appToken });
    expect((await again.call('GET', '/v1/identities/me')).status).toBe(200);
  });

  test('disabling an application revokes every token issued for it', async () => {
    const other = await addTenant(here.url, here.administrator, 'ending');
    const { auth, store } = here.server;
    await store.transaction((tx) => auth.setAppStatus(tx, other.appUuid, 'DISABLED'));
    expect((await other.api.call('GET', '/v1/identities/me')).status).toBe(401);
    const form = {
      ...apiTokenForm(other.apiToken),
      client_id: other.appId,
      service_account: other.accountId,
    };
    expect(await requestToken(form)).toEqual(refusal('invalid_client'));
  });
});

test('on loopback, the session cookie is not Secure, so a development server works', async () => {
  const user = await newUser();
  const response = await fetch(`${here.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: user.email, password: user.password }),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  expect(cookie).toMatch(/^SERVICESESSIONID=/);
  expect(cookie).toContain('; HttpOnly; SameSite=Lax');
  expect(cookie).not.toContain('Secure');
});

test('without a mail server, mails are written to files that only the server’s system user can read', async () => {
  const userEmail = 'mailed@example.com';
  await admin.expect(201, 'POST', '/v1/invitations', { userEmail, organizationId: tenant.organizationId });
  const folder = join(here.folder, 'mail');
  // Reads only complete files: the name of a file that is being written begins with a dot.
  const files = await vi.waitFor(async () => {
    const found = (await readdir(folder)).filter((name) => /^[^.].*\.eml$/.test(name));
    expect(found).not.toEqual([]);
    return found;
  }, 30_000);
  const path = join(folder, files[0] ?? '');
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect(await readFile(path, 'utf8')).toContain(`To: ${userEmail}`);
});

test('a second organization can create a wallet, send a transfer and create records using only HTTP', async () => {
  const second = await addTenant(here.url, here.administrator, 'second');
  const wallet = await addWallet(here, second, 'second-wallet');
  const sent = await second.api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody(wallet.walletId, to));
  expect(await ended(second.api, sent.actionId ?? '')).toMatchObject({ status: 'SUCCEEDED' });
  const group = await second.api.expect(201, 'POST', '/v1/contract-groups', { name: 'second group' });
  expect(await second.api.expect(200, 'GET', `/v1/contract-groups/${group.groupId}`)).toEqual(group);
  // Neither organization sees the other's records.
  for (const [caller, walletId] of [
    [second, 'one-wallet'],
    [tenant, 'second-wallet'],
  ] as const) {
    expect((await caller.api.call('GET', `/v1/cloud-wallet/wallets/${walletId}`)).status).toBe(404);
  }
});
