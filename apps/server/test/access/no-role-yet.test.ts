import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ground, makeServer, openGround, problemOf } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

/** Returns a service account in the caller's project without roles, and its own record. */
async function newcomer(accountId: string) {
  const { store, auth, caller } = ground;
  const { serviceId, apiToken } = await store.transaction(async (tx) => {
    const account = await auth.createServiceAccount(tx, {
      accountId,
      projectUid: caller.principal.projectUid,
      name: accountId,
      createdBy: caller.principal.serviceId,
    });
    return { ...account, apiToken: (await auth.createApiToken(tx, account.serviceId)).apiToken };
  });
  const { access_token } = await auth.issueToken(
    new Map([
      ['grant_type', 'client_credentials'],
      ['service_account', accountId],
      ['client_id', caller.appId],
      ['client_secret', apiToken.reveal()],
    ]),
  );
  const { app } = makeServer(ground);
  const headers = {
    ApplicationToken: caller.applicationToken,
    Authorization: `Bearer ${access_token}`,
    'Content-Type': 'application/json',
  };
  const call = async (method: string, path: string, body?: unknown) =>
    await app.request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { serviceId, call };
}

const told = 'Your identity has no role yet';

test('each 403 and 404 response to an account without roles reports that it has none', async () => {
  const { serviceId, call } = await newcomer('fresh');
  const project = ground.caller.principal.projectUid;
  const asks = [
    () => call('GET', `/v1/projects/${project}`),
    () => call('GET', '/v1/organizations/nothing'),
    () => call('POST', '/v1/cloud-wallet/wallets', { ledgerId: 'x', pluginParameters: {} }),
  ];
  for (const ask of asks) {
    const response = await ask();
    expect([403, 404]).toContain(response.status);
    expect((await problemOf(response)).detail).toContain(told);
  }
  await ground.store.transaction((tx) =>
    ground.auth.assignRole(tx, { holder: { identity: serviceId }, role: 'viewer', resourceUid: project }),
  );
  const response = await call('GET', '/v1/organizations/nothing');
  expect(response.status).toBe(404);
  expect((await problemOf(response)).detail).not.toContain(told);
});

test('a service account changes its profile but not its status, as documented', async () => {
  const { serviceId, call } = await newcomer('itself');
  const { routes } = makeServer(ground);
  const declared = (path: string) =>
    routes.flatMap(({ method, path: at, permission }) =>
      method === 'put' && at === path && typeof permission === 'object' ? [permission.on] : [],
    );
  for (const [part, body, status] of [
    ['profile', { displayName: 'Itself' }, 200],
    ['status?status=DISABLED', undefined, 404],
  ] as const) {
    const [name] = part.split('?');
    const response = await call('PUT', `/v1/identities/${serviceId}/${part}`, body);
    expect([part, response.status]).toEqual([part, status]);
    expect(declared(`/v1/identities/{${name === 'status' ? 'id' : 'serviceId'}}/${name}`)).toEqual([
      status === 200 ? 'self' : 'record',
    ]);
  }
});

test('a project must name its organization', async () => {
  const { call } = makeServer(ground);
  for (const body of [{ name: 'Nowhere' }, { name: 'Nowhere', organization: {} }]) {
    const response = await call('POST', '/v1/projects', body);
    expect(response.status).toBe(400);
    expect((await problemOf(response)).errors?.[0]?.pointer).toContain('/organization');
  }
});
