import { systemUid } from '@ledger-ops/auth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addCaller,
  type Ground,
  makeServer,
  openGround,
  problemOf,
  type TestServer,
} from '../stage/harness.ts';

/** An account in the caller's project that administers the installation, and its credentials. */
interface Powerful {
  accountId: string;
  serviceId: string;
  handle: string;
  keyId: number;
}

let ground: Ground;
let server: TestServer;
let powerful: Powerful;
/** Paths that set the status of the account, and of each record that can also disable its access. */
let paths: Record<string, (status: string) => string>;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
  powerful = await addPowerful();
  const { accountId, serviceId, handle, keyId } = powerful;
  paths = {
    'API token': (status) => `/v1/service-accounts/api-tokens/${handle}?status=${status}`,
    key: (status) => `/v1/service-accounts/${accountId}/keys?keyId=${keyId}&status=${status}`,
    identity: (status) => `/v1/identities/${serviceId}/status?status=${status}`,
  };
});
afterAll(() => ground.close());

async function addPowerful(): Promise<Powerful> {
  const { auth, store, caller, administrator } = ground;
  return await store.transaction(async (tx) => {
    const { accountId, serviceId } = await auth.createServiceAccount(tx, {
      projectUid: caller.principal.projectUid,
      name: 'powerful',
      createdBy: administrator,
    });
    await auth.assignRole(tx, {
      holder: { identity: serviceId },
      role: 'administrator',
      resourceUid: systemUid,
    });
    const { handle } = await auth.createApiToken(tx, serviceId);
    const { keyId } = await auth.generateKey(tx, {
      serviceId,
      generatedBy: administrator,
      prepared: await auth.prepareKey(['test']),
    });
    return { accountId, serviceId, handle, keyId };
  });
}

const asAdministrator = (method: string, path: string, body?: unknown) =>
  server.call(method, path, body, { ...ground.superuser.headers });

describe('disabled records of an account with more rights', () => {
  test('a project owner can disable an account with more permissions, but only a caller with all of them can enable it', async () => {
    for (const [what, path] of Object.entries(paths)) {
      expect([what, (await server.call('PUT', path('DISABLED'))).status]).toEqual([what, 200]);
      const refused = await server.call('PUT', path('ENABLED'));
      expect([what, refused.status]).toEqual([what, 403]);
      expect((await problemOf(refused)).type).toBe('urn:ledger-ops:problem:not-permitted');
      expect([what, await isDisabled(what)]).toEqual([what, true]);
      expect((await asAdministrator('PUT', path('ENABLED'))).status).toBe(200);
      expect([what, await isDisabled(what)]).toEqual([what, false]);
    }
  });

  test('a caller that lacks a permission of an account cannot enable it, whether its identity is LOCKED or PENDING', async () => {
    const path = paths.identity ?? (() => '');
    for (const status of ['LOCKED', 'PENDING']) {
      expect((await asAdministrator('PUT', path(status))).status).toBe(200);
      expect([status, (await server.call('PUT', path('ENABLED'))).status]).toEqual([status, 403]);
      expect((await asAdministrator('PUT', path('ENABLED'))).status).toBe(200);
    }
  });

  test('a caller can enable an account if the caller has all permissions of the account', async () => {
    const made = await server.call('POST', '/v1/service-accounts', { name: 'plain' });
    const { accountId, serviceId } = (await made.json()) as Powerful;
    const issued = await server.call('POST', `/v1/service-accounts/${accountId}/api-tokens`);
    const { handle } = (await issued.json()) as Powerful;
    for (const path of [
      (status: string) => `/v1/service-accounts/api-tokens/${handle}?status=${status}`,
      (status: string) => `/v1/identities/${serviceId}/status?status=${status}`,
    ]) {
      expect((await server.call('PUT', path('DISABLED'))).status).toBe(200);
      expect((await server.call('PUT', path('ENABLED'))).status).toBe(200);
    }
  });

  async function isDisabled(what: string): Promise<boolean> {
    const { accountId, serviceId } = powerful;
    if (what === 'identity') {
      const found = await asAdministrator('GET', `/v1/identities/${serviceId}?filter_by=SERVICE_ID`);
      return ((await found.json()) as { status: string }).status === 'DISABLED';
    }
    const kind = what === 'key' ? 'keys' : 'api-tokens';
    const found = await asAdministrator('GET', `/v1/service-accounts/${accountId}/${kind}?status=DISABLED`);
    return ((await found.json()) as unknown[]).length > 0;
  }
});

test('only a caller with all permissions of an application can issue its token', async () => {
  const made = await server.call('POST', '/v1/apps', { name: 'wide' });
  const { appId, resourceUUID } = (await made.json()) as Record<string, string>;
  const path = `/v1/apps/${appId}/token`;
  expect((await server.call('POST', path)).status).toBe(201);
  const { auth, store } = ground;
  await store.transaction((tx) =>
    auth.assignRole(tx, {
      holder: { app: resourceUUID ?? '' },
      role: 'administrator',
      resourceUid: systemUid,
    }),
  );
  expect((await server.call('POST', path)).status).toBe(403);
  expect((await asAdministrator('POST', path)).status).toBe(201);
});

describe('the owner of a record without any other role in its project', () => {
  test('a plugin record’s owner without a role on the project can deactivate the plugin, but not activate it or a copy', async () => {
    const { owner, give } = await formerMember('plugin-owner');
    const { id } = await json(201, 'POST', '/v1/plugins', {
      name: 'p',
      projectId: ground.caller.principal.projectId,
      url: 'npm:@ledger-ops/plugin-ethereum',
    });
    await give(id);
    const path = `/v1/plugins/${id}`;
    const body = { name: 'p', url: 'npm:@ledger-ops/plugin-ethereum' };
    const call = (change: object) => server.call('PUT', path, { ...body, ...change }, { ...owner.headers });
    expect((await call({ active: true })).status).toBe(200);
    expect((await call({ active: true, url: 'npm:@ledger-ops/plugin-ethereum@^0.1.0' })).status).toBe(403);
    const pinned = `sha512-${Buffer.alloc(64).toString('base64')}`;
    expect((await call({ active: true, integrity: pinned })).status).toBe(403);
    expect((await call({ active: false })).status).toBe(200);
    expect((await call({ active: true })).status).toBe(403);
    expect((await server.call('PUT', path, { ...body, active: true })).status).toBe(200);
    const legacy = { name: 'p', pluginURL: 'npm:@ledger-ops/plugin-ethereum@^0.1.0' };
    const older = await server.call('PUT', `/v1/legacy-plugins/${id}`, legacy, { ...owner.headers });
    expect(older.status).toBe(403);
  });

  test('the owner of a ledger record who has no role on its project can deactivate the ledger, but cannot activate it', async () => {
    const { owner, give } = await formerMember('ledger-owner');
    const { ledgerID } = await json(201, 'POST', '/v1/ledgers', {
      name: 'l',
      ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
    });
    await give(ledgerID);
    const path = `/v1/ledgers/${ledgerID}`;
    const call = (body: object) => server.call('PUT', path, body, { ...owner.headers });
    expect((await call({ active: false, name: 'm' })).status).toBe(200);
    expect((await call({ active: true })).status).toBe(403);
    expect((await call({ name: 'n' })).status).toBe(200);
    expect((await server.call('PUT', path, { active: true })).status).toBe(200);
  });

  /**
   * Creates a caller whose identity and application belong to another project. `give` grants the
   * identity and the application the roles that allow changing a record.
   */
  async function formerMember(name: string) {
    const owner = await addCaller(ground.store, ground.auth, ground.administrator, name);
    const { serviceId, appUid } = owner.principal;
    const give = async (resourceId = '') => {
      const [row] = await ground.store.read.all<{ uid: string }>(
        'select uid from resource where resource_id = $1',
        [resourceId],
      );
      await ground.store.transaction(async (tx) => {
        const resourceUid = row?.uid ?? '';
        await ground.auth.assignRole(tx, { holder: { identity: serviceId }, role: 'owner', resourceUid });
        await ground.auth.assignRole(tx, { holder: { app: appUid }, role: 'application', resourceUid });
      });
    };
    return { owner, give };
  }

  async function json(status: number, method: string, path: string, body: object) {
    const response = await server.call(method, path, body);
    expect(response.status).toBe(status);
    return (await response.json()) as Record<string, string>;
  }
});
