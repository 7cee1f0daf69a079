// Archives organizations, projects, applications and accounts over HTTP. On PostgreSQL, a second server on the same
// database is also checked.
import { consoleAppUid } from '@ledger-ops/auth';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { followStream } from '../events/sse.ts';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  headersOf,
  type Installation,
  install,
  logIn,
  nobody,
  openApi,
  send,
  type Tenant,
  transferBody,
} from '../stage/api.ts';
import { addUser, pkce, type TestUser, tokensOfUser } from './users.ts';

const baseUrl = 'https://ledger.example';
const redirectUri = 'https://shop.example/callback';
const quick = { look: 20, again: { first: 20, longest: 100 }, answer: 30_000 };

interface Shown {
  uid?: string;
  appId?: string;
  accountId?: string;
  projectId?: string;
  archivedAt: string | null;
}
interface Refusal {
  type: string;
  detail: string;
}
interface Activity {
  action: string;
  resourceID: string;
}

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

const dialects = selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'postgres');
describe.each(dialects)('on %s', (dialect) => {
  let here: Installation;
  /** A second server on the same database; SQLite supports only one server. */
  let another: RunningServer | undefined;
  let urls: string[];
  let admin: Api;
  let tenant: Tenant;
  let receiver: Receiver;
  let bystander: Receiver;

  beforeAll(async () => {
    const environment = {
      BASE_URL: baseUrl,
      ...(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() }),
    };
    here = await install(environment, [], {}, quick);
    if (dialect === 'postgres') {
      const folder = await openFolder();
      another = await startServer({
        config: readConfig({
          ...{ PORT: '0', DATA_DIR: folder.path, MASTER_KEY: Buffer.alloc(32, 5).toString('base64') },
          ...{ OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'silent', ...environment },
        }),
        log: createLog('silent'),
        adapters: [ethereumAdapter],
        webhookTiming: quick,
      });
    }
    urls = [here.url, another?.url ?? here.url];
    admin = await logIn(here.url, here.administrator);
    tenant = await addTenant(here.url, here.administrator, 'shop');
    [receiver, bystander] = [await startReceiver(), await startReceiver()];
    await addWallet(here, tenant, 'bystander');
    const { secret = '' } = await tenant.api.expect(201, 'POST', '/v1/webhooks', { url: bystander.url });
    bystander.secret = secret;
  });
  afterAll(async () => {
    await receiver?.close();
    await bystander?.close();
    await another?.close();
    await here?.close();
  });

  /** Returns the responses of each server to a request with these headers. */
  const asked = async (headers: Record<string, string>) =>
    await Promise.all(
      urls.map(async (url) => {
        const { status, body } = await openApi(url, headers).call<Partial<Refusal>>('GET', '/v1/admin/me');
        return status === 200 ? status : body.type?.replace('urn:ledger-ops:problem:', '');
      }),
    );
  const refusedAtBoth = (problem: string) => [problem, problem];
  const tokenAnswer = async (fields: Record<string, string>) => {
    const response = await fetch(`${urls[1]}/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    const body = (await response.json()) as { error?: string; refresh_token?: string };
    return { status: response.status, ...body };
  };
  const tokenOf = ({ appId, accountId, apiToken }: Tenant) =>
    tokenAnswer({
      ...{ grant_type: 'client_credentials', client_id: appId },
      ...{ service_account: accountId, client_secret: apiToken },
    });
  const archive = (path: string) => admin.expect<Shown>(200, 'POST', `/v1/admin/${path}/archive`);
  const restore = (path: string) => admin.expect<Shown>(200, 'POST', `/v1/admin/${path}/restore`);
  const list = async (path: string) =>
    (await admin.expect<{ items: Shown[] }>(200, 'GET', `/v1/admin/${path}`)).items;
  /** Returns the last timeline record of a resource. */
  const lastChange = async (resource: string) => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const path = `/v1/timeline/resources/${resource}?from=${from}`;
    return (await admin.expect<Activity[]>(200, 'GET', path)).map(({ action }) => action);
  };
  const giveRole = async (serviceId: string, resourceUid: string, role = 'owner') => {
    const { store, auth } = here.server;
    await store.transaction((tx) =>
      auth.assignRole(tx, { holder: { identity: serviceId }, role, resourceUid }),
    );
  };
  /** Signs a user in to the console. Returns the user's API, with the project if one is given. */
  const atConsole = async (user: TestUser, projectUid?: string) => {
    const callback = `${baseUrl}/console/callback`;
    const { access_token } = await tokensOfUser(here.server, user, { appId: consoleAppUid }, callback);
    const headers = {
      Authorization: `Bearer ${access_token}`,
      ...(projectUid === undefined ? {} : { 'Ledger-Ops-Project': projectUid }),
    };
    return openApi(here.url, headers);
  };

  test('archiving an application ends its access immediately, and a restored application needs a new consent', async () => {
    const shop = await addTenant(here.url, here.administrator, 'app');
    await here.server.store.transaction((tx) =>
      here.server.auth.setRedirectUris(tx, shop.appUuid, [redirectUri]),
    );
    const user = await addUser(here.server);
    await giveRole(user.serviceId, shop.projectUuid);
    const byId = { ...shop, appId: shop.appUuid };
    const { access_token, refresh_token = '' } = await tokensOfUser(here.server, user, byId, redirectUri);
    const consented = { ...shop.headers, Authorization: `Bearer ${access_token}` };
    const stream = await followStream<Activity>(`${urls[1]}/v1/timeline/events`, shop.headers);
    expect(await asked(shop.headers)).toEqual([200, 200]);
    const path = `apps/${shop.appUuid}`;

    const archived = await archive(path);
    expect(archived).toMatchObject({ appId: shop.appId, archivedAt: expect.stringMatching(/Z$/) });
    expect(await asked(shop.headers)).toEqual(refusedAtBoth('application-token-invalid'));
    expect(await asked(consented)).toEqual(refusedAtBoth('application-token-invalid'));
    expect(await tokenOf(shop)).toMatchObject({ status: 401, error: 'invalid_client' });
    expect(await tokenAnswer(refreshed(shop, refresh_token))).toMatchObject({
      error: 'invalid_client',
    });
    const { challenge } = pkce();
    const authorize = new URLSearchParams({
      ...{ response_type: 'code', client_id: shop.appUuid, redirect_uri: redirectUri },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    });
    expect((await fetch(`${urls[1]}/v1/auth/authorize?${authorize}`)).status).toBe(400);

    // The application's streams send nothing more and end.
    const told = stream.events.length;
    await admin.expect(200, 'PUT', `/v1/admin/apps/${tenant.appUuid}`, { name: 'Renamed meanwhile' });
    await stream.ended;
    expect(stream.events.length).toBe(told);

    const project = `apps?projectId=${shop.projectUuid}`;
    expect(await list(project)).toEqual([]);
    expect((await list(`${project}&archived=true`)).map(({ appId }) => appId)).toEqual([shop.appId]);
    expect(await admin.expect<Shown>(200, 'GET', `/v1/admin/${path}`)).toEqual(archived);
    const refused = await admin.call<Refusal>('PUT', `/v1/admin/${path}`, { name: 'Other' });
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('restore it')]);
    expect((await admin.call('POST', `/v1/apps/${shop.appUuid}/token`)).status).toBe(403);
    // No other application can take over the archived application's id, and with it the application's users.
    const again = await admin.call('POST', '/v1/admin/apps', {
      ...{ appId: shop.appId, name: 'Impostor', projectId: shop.projectUuid },
    });
    expect(again.status).toBe(409);

    expect(await archive(path)).toEqual(archived);
    expect(await restore(path)).toEqual({ ...archived, archivedAt: null });
    expect(await lastChange(shop.appUuid)).toEqual(expect.arrayContaining(['archive', 'restore']));
    expect((await lastChange(shop.appUuid)).filter((action) => action === 'archive')).toHaveLength(1);
    expect(await asked(shop.headers)).toEqual([200, 200]);
    expect(await asked(consented)).toEqual(refusedAtBoth('access-token-invalid'));
    expect(await tokenAnswer(refreshed(shop, refresh_token))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('an archived account cannot get or use tokens, and restoring it does not enable a token disabled meanwhile', async () => {
    const owner = await addTenant(here.url, here.administrator, 'account');
    const path = `accounts/${owner.serviceId}`;
    expect(await archive(path)).toMatchObject({ accountId: owner.accountId });
    expect(await asked(owner.headers)).toEqual(refusedAtBoth('access-token-invalid'));
    expect(await tokenOf(owner)).toMatchObject({ status: 401, error: 'invalid_client' });
    expect(await list(`accounts?projectId=${owner.projectUuid}`)).toEqual([]);
    const tokens = `/v1/service-accounts/${owner.serviceId}/api-tokens`;
    expect((await admin.call('POST', tokens)).status).toBe(403);
    expect((await admin.call('POST', `/v1/service-accounts/${owner.serviceId}/keys`)).status).toBe(403);
    const [token] = await admin.expect<{ handle?: string; apiToken?: string }[]>(200, 'GET', tokens);
    const status = `/v1/service-accounts/api-tokens/${token?.apiToken ?? token?.handle}?status=`;
    await admin.expect(200, 'PUT', `${status}DISABLED`);
    expect((await admin.call('PUT', `${status}ENABLED`)).status).toBe(403);
    expect(await restore(path)).toMatchObject({ archivedAt: null });
    expect(await tokenOf(owner)).toMatchObject({ status: 401, error: 'invalid_client' });
    await admin.expect(200, 'PUT', `${status}ENABLED`);
    expect(await tokenOf(owner)).toMatchObject({ status: 200 });
  });

  test('an archived project is read-only but completes accepted actions, and restoring it restores everything in it', async () => {
    const shop = await addTenant(here.url, here.administrator, 'project');
    await addWallet(here, shop, 'payer');
    const user = await addUser(here.server);
    await giveRole(user.serviceId, shop.projectUuid);
    const webhook = await shop.api.expect(201, 'POST', '/v1/webhooks', { url: receiver.url });
    receiver.secret = webhook.secret ?? '';
    await admin.expect(201, 'POST', '/v1/admin/invitations', {
      ...{ organizationId: shop.organizationId, email: 'ada@example.com' },
      roles: [{ resourceId: shop.projectUuid, role: 'operator' }],
    });
    const person = await atConsole(user, shop.projectUuid);
    // Nothing can be signed on the ledger, so an action stays pending.
    const { suspensionId } = await admin.expect(201, 'POST', '/v1/ledger-ops/suspensions', {
      ...{ ledgerId: 'chain', reason: 'Something is under way' },
    });
    const actionId = await send(shop, 'payer');
    await vi.waitFor(() => expect(typesOf(actionId)).toEqual(['action.accepted']), 30_000);

    const path = `projects/${shop.projectUuid}`;
    await archive(path);
    expect(await asked(shop.headers)).toEqual(refusedAtBoth('application-token-invalid'));
    expect(await tokenOf(shop)).toMatchObject({ status: 401 });
    expect(await list(`projects?organizationId=${shop.organizationId}`)).toEqual([]);
    expect(await list(`apps?projectId=${shop.projectUuid}`)).toEqual([]);
    expect(await list(`apps?projectId=${shop.projectUuid}&archived=true`)).toMatchObject([
      { appId: shop.appId, archivedAt: expect.any(String) },
    ]);
    for (const [method, at, body] of [
      ['POST', '/v1/ledger-ops/send', transferBody('payer', nobody)],
      ['POST', `/v1/ledger-ops/actions/${actionId}/cancel`, undefined],
      ['POST', '/v1/cloud-wallet/wallets/payer/export', { walletPassword: 'correct horse battery staple' }],
      ['POST', '/v1/cloud-wallet/wallets', newWallet],
      ['POST', '/v1/webhooks', { url: receiver.url }],
      ['POST', '/v1/admin/apps', { name: 'Another', projectId: shop.projectUuid }],
      ['POST', '/v1/admin/accounts', { name: 'Another', projectId: shop.projectUuid }],
    ] as const) {
      const answer = await person.call<Refusal>(method, at, body);
      expect([at, answer.status, answer.text]).toEqual([at, 403, expect.stringContaining('archived')]);
    }
    expect((await admin.call('POST', '/v1/admin/apps', appIn(shop))).status).toBe(403);
    expect(await person.expect<Shown>(200, 'GET', `/v1/admin/${path}`)).toMatchObject({
      archivedAt: expect.any(String),
    });

    await admin.expect(204, 'DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    expect(await ended(person, actionId)).toMatchObject({ status: 'SUCCEEDED' });
    // Later events of another project have arrived, so the archived project has sent none.
    const later = await send(tenant, 'bystander');
    await vi.waitFor(
      () => expect(bystander.received.map(({ data }) => data.actionId)).toContain(later),
      30_000,
    );
    expect(typesOf(actionId)).toEqual(['action.accepted']);

    const ada = await invited('ada@example.com');
    const { invitationToken } = ada;
    const taken = await ada.api.call('POST', '/v1/admin/invitations/answer', {
      ...{ invitationToken, accept: true },
    });
    expect(taken.status).toBe(409);

    await restore(path);
    expect(await asked(shop.headers)).toEqual([200, 200]);
    await vi.waitFor(
      () => expect(typesOf(actionId)).toEqual(['action.accepted', 'action.sent', 'action.succeeded']),
      30_000,
    );
    await ended(shop.api, await send(shop, 'payer'));
    await ada.api.expect(200, 'POST', '/v1/admin/invitations/answer', { invitationToken, accept: true });
  });

  test('archiving an organization archives its contents, and its applications can be restored only after it', async () => {
    const shop = await addTenant(here.url, here.administrator, 'organization');
    const path = `organizations/${shop.organizationUuid}`;
    await archive(`apps/${shop.appUuid}`);
    await archive(path);
    expect(await asked(shop.headers)).toEqual(refusedAtBoth('application-token-invalid'));
    const names = async (query: string) =>
      (await list(`organizations?all=true&size=100${query}`)).map(({ uid }) => uid);
    expect(await names('')).not.toContain(shop.organizationUuid);
    expect(await names('&archived=true')).toEqual([shop.organizationUuid]);
    const project = { name: 'Another', organizationId: shop.organizationUuid };
    expect((await admin.call('POST', '/v1/admin/projects', project)).status).toBe(403);
    expect((await admin.call('POST', '/v1/admin/invitations', inviting(shop))).status).toBe(403);
    const early = await admin.call<Refusal>('POST', `/v1/admin/apps/${shop.appUuid}/restore`);
    expect([early.status, early.body.detail]).toEqual([
      409,
      `The organization ${shop.organizationId} above it is archived. Restore the organization ${shop.organizationId} first.`,
    ]);
    await restore(path);
    // This record was archived separately before, so it stays archived.
    expect(await asked(shop.headers)).toEqual(refusedAtBoth('application-token-invalid'));
    await restore(`apps/${shop.appUuid}`);
    expect(await asked(shop.headers)).toEqual([200, 200]);
  });

  test('nobody can archive their own account or application, the console, or the last administrator', async () => {
    for (const path of [
      `accounts/${tenant.serviceId}`,
      `apps/${tenant.appUuid}`,
      `projects/${tenant.projectUuid}`,
      `organizations/${tenant.organizationUuid}`,
    ]) {
      const answer = await tenant.api.call<Refusal>('POST', `/v1/admin/${path}/archive`);
      expect([path, answer.status, answer.body.detail]).toEqual([
        path,
        409,
        expect.stringMatching(/that sent this request/),
      ]);
    }
    const { items: projects } = await admin.expect<{ items: Shown[] }>(200, 'GET', '/v1/admin/projects');
    const home = projects.find(({ projectId }) => projectId === 'administration')?.uid ?? '';
    const [app] = await list(`apps?projectId=${home}`);
    const me = await admin.expect(200, 'GET', '/v1/admin/me');

    // This user owns the administration's project, but is not an administrator.
    const user = await addUser(here.server);
    await giveRole(user.serviceId, home);
    const person = await atConsole(user);
    for (const [path, why] of [
      [`projects/${home}`, 'console'],
      [`apps/${consoleAppUid}`, 'console'],
      [`apps/${app?.uid}`, 'without an administrator'],
      [`accounts/${me.serviceId}`, 'without an administrator'],
    ]) {
      const answer = await person.call<Refusal>('POST', `/v1/admin/${path}/archive`);
      expect([path, answer.status, answer.body.detail]).toEqual([
        path,
        409,
        expect.stringContaining(why ?? ''),
      ]);
    }
    expect(await asked(await headersOf(here.url, here.administrator))).toEqual([200, 200]);

    // An administrator can restore the application in the console.
    const boss = await addUser(here.server);
    await giveRole(boss.serviceId, '00000000-0000-7000-8000-000000000000', 'administrator');
    await person.expect(200, 'POST', `/v1/admin/apps/${app?.uid}/archive`);
    const back = `/v1/admin/apps/${app?.uid}/restore`;
    // The application has permissions that the owner of its project lacks.
    expect((await person.call('POST', back)).status).toBe(403);
    await (await atConsole(boss)).expect(200, 'POST', back);
    expect(await asked(await headersOf(here.url, here.administrator))).toEqual([200, 200]);
  });

  test('a caller without permission cannot archive or restore a record, or learn that a hidden record exists', async () => {
    const user = await addUser(here.server);
    await giveRole(user.serviceId, tenant.projectUuid, 'operator');
    const person = await atConsole(user);
    for (const verb of ['archive', 'restore']) {
      const of = async (path: string) => (await person.call('POST', `/v1/admin/${path}/${verb}`)).status;
      expect(await of(`apps/${tenant.appUuid}`)).toBe(403);
      expect(await of(`projects/${tenant.projectUuid}`)).toBe(403);
      expect(await of(`organizations/${tenant.organizationUuid}`)).toBe(404);
    }
  });

  const newWallet = {
    walletId: 'another',
    ledgerId: 'chain',
    pluginParameters: { walletPassword: 'correct horse battery staple' },
  };
  const appIn = ({ projectUuid: projectId }: Tenant) => ({ name: 'Another', projectId });
  const inviting = ({ organizationId }: Tenant) => ({ organizationId, email: 'bea@example.com' });
  const typesOf = (actionId: string) =>
    receiver.received.filter(({ data }) => data.actionId === actionId).map(({ type }) => type);
  const refreshed = ({ appUuid }: Tenant, refreshToken: string) => ({
    ...{ grant_type: 'refresh_token', client_id: appUuid, refresh_token: refreshToken },
  });

  /** Returns a person with this address, who has an open invitation. */
  async function invited(email: string) {
    const { store } = here.server;
    const user = await addUser(here.server);
    await store.transaction((tx) =>
      tx.run('update identity set identifier = $2, identifier_key = $2 where service_id = $1', [
        user.serviceId,
        email,
      ]),
    );
    const api = await atConsole({ ...user, email });
    const { items } = await api.expect<{ items: { invitationToken: string }[] }>(
      200,
      'GET',
      '/v1/admin/invitations',
    );
    return { api, invitationToken: items[0]?.invitationToken ?? '' };
  }
});
