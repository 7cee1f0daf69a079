// Runs one suite of the client against a real server, over HTTP: in Node, in an edge runtime and in Chromium.
import { readFile } from 'node:fs/promises';
import { Secret } from '@ledger-ops/base';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../../testing/children.ts';
import { missingChromium } from '../../../../testing/chromium.ts';
import { addUser, pkce } from '../access/users.ts';
import {
  addTenant,
  addTokenTemplate,
  addWallet,
  type Installation,
  install,
  logIn,
  type Tenant,
} from '../stage/api.ts';
import { type ModulePage, openModulePage } from './client/chromium.ts';
import { openEdge } from './client/edge.ts';
import { cases, type Ground } from './client/suite.ts';

const walletPassword = 'correct horse battery staple';
const redirectUri = 'https://client.example/callback';

const missing = missingChromium();
const suite = new URL('client/suite.ts', import.meta.url);
const edge = openEdge(suite);
let page: ModulePage | undefined;
let here: Installation;
let tenant: Tenant;
let shared: Omit<Ground, 'name' | 'user'>;
beforeAll(async () => {
  page = missing === undefined ? await openModulePage(suite) : undefined;
  here = await install(page === undefined ? {} : { CORS_ORIGINS: page.origin });
  tenant = await addTenant(here.url, here.administrator, 'client');
  await here.server.store.transaction((tx) =>
    here.server.auth.setRedirectUris(tx, tenant.appUuid, [redirectUri]),
  );
  for (const walletId of ['alice', 'payer']) await addWallet(here, tenant, walletId);
  const pluginParameters = { walletPassword };
  for (const walletId of ['poor', 'one', 'two', 'three', 'four']) {
    await tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId: 'chain',
      pluginParameters,
    });
  }
  for (const template of ['coin', 'dev-token']) await addTokenTemplate(tenant.api, template);
  const { keyID, privateKey } = await tenant.api.expect<{ keyID: number; privateKey: string }>(
    ...([201, 'POST', `/v1/service-accounts/${tenant.accountId}/keys`] as const),
  );
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const body = JSON.stringify({ type: 'action.succeeded' });
  const now = new Date();
  shared = {
    ...{ baseUrl: here.url, applicationToken: tenant.applicationToken, clientId: tenant.appId },
    ...{ serviceAccount: tenant.accountId, apiToken: tenant.apiToken },
    key: { keyId: String(keyID), privateKey },
    sender: { walletId: 'payer', walletPassword },
    poor: { walletId: 'poor', walletPassword },
    webhook: {
      ...{ secret, body },
      headers: {
        'webhook-id': 'e1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('e1', now, body),
      },
    },
  };
});
afterAll(async () => {
  await page?.close();
  (await edge).close();
  await here?.close();
});

/** Creates a user who consents to the application, and returns the authorization code. */
async function agreed(): Promise<NonNullable<Ground['user']>> {
  const { auth } = here.server;
  const user = await addUser(here.server);
  const admin = await logIn(here.url, here.administrator);
  await admin.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    ...{ identity: { serviceId: user.serviceId }, resource: { resourceUUID: tenant.projectUuid } },
    role: { name: 'transactor' },
  });
  const password = new Secret(user.password);
  const { session } = await auth.login({ username: user.email, password, client: { source: 'tests' } });
  const { verifier, challenge } = pkce();
  const request = await auth.authorization.read(
    new URLSearchParams({
      ...{ response_type: 'code', code_challenge: challenge, code_challenge_method: 'S256' },
      ...{ client_id: tenant.appId, redirect_uri: redirectUri },
    }),
  );
  const csrf = auth.authorization.csrfToken(request, session);
  const target = new URL(await auth.authorization.approve(request, session, csrf));
  return { code: target.searchParams.get('code') ?? '', codeVerifier: verifier, redirectUri };
}

const groundOf = async (test: string, name: string): Promise<Ground> => ({
  ...{ ...shared, name },
  ...(test.startsWith('a person') ? { user: await agreed() } : {}),
});

const names = Object.keys(cases);

describe('in Node', () => {
  test.each(names)('the client works in Node: %s', async (name) => {
    await cases[name]?.(await groundOf(name, 'node'));
  });
});

test.each(names)('the client works in an edge runtime: %s', async (name) => {
  await (await edge).run(name, await groundOf(name, 'edge'));
});

if (missing !== undefined) console.warn(`Skipped: the client in Chromium, for ${missing}.`);
describe.skipIf(missing !== undefined)('in Chromium', () => {
  test.each(names)('the client works in Chromium: %s', async (name) => {
    await page?.run(name, await groundOf(name, 'chromium'));
  });
});

const client = new URL('../../../../packages/client/', import.meta.url);

test('the README’s program gets a token, deploys and calls a contract, and prints the result', async () => {
  const program = new URL('test/readme/program.ts', client);
  const text = await readFile(program, 'utf8');
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(20);
  expect(await readFile(new URL('README.md', client), 'utf8')).toContain(text.trim());
  const ran = run(program, {
    ...{ URL: here.url, APP_TOKEN: tenant.applicationToken, APP: tenant.appId, ACCOUNT: tenant.accountId },
    ...{ TOKEN: tenant.apiToken, PASSWORD: walletPassword },
  });
  expect([await ran.code, ran.out().trim(), ran.err()]).toEqual([0, '5n', '']);
});
