import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Auth, type Principal, systemUid } from '../src/index.ts';
import {
  addResource,
  expectProblem,
  type Installation,
  install,
  may,
  problemOf,
  type Tenant,
} from '../src/testing/index.ts';

describeDialects('decisions', (open, { dialect, locate }) => {
  let here: Installation;
  let second: Auth;
  let tenant: Tenant;
  let principal: Principal;
  let wallet: string;

  beforeAll(async () => {
    const at = await locate();
    here = await install(await open(at));
    // Two servers: on PostgreSQL with separate connections; a SQLite file has one server, so two Auth
    // objects.
    const other: Store = dialect === 'postgres' ? await open(at) : here.store;
    second = await here.server(other);
  });
  beforeEach(async () => {
    tenant = await here.tenant('Tenant');
    principal = await tenant.principal();
    wallet = await addResource(here, 'cloud-wallet', tenant.projectUid);
  });
  const give = (role: string, resourceUid: string) =>
    here.change((tx) =>
      here.auth.assignRole(tx, { holder: { identity: principal.serviceId }, role, resourceUid }),
    );
  const take = (role: string, resourceUid: string) =>
    here.change((tx) =>
      here.auth.revokeRole(tx, { holder: { identity: principal.serviceId }, role, resourceUid }),
    );
  /** Returns the decision of both servers, which must agree. */
  const mayTransact = async () => {
    const [a, b] = [
      await may(here.auth, principal, 'wallet:transact', wallet),
      await may(second, principal, 'wallet:transact', wallet),
    ];
    expect(a).toBe(b);
    return a;
  };

  it('a new service account has no permissions', async () => {
    expect(await mayTransact()).toBe(false);
  });

  it('a role on a resource or on one of its ancestors takes effect immediately on every server', async () => {
    for (const resourceUid of [wallet, tenant.projectUid, tenant.organizationUid, systemUid]) {
      await give('transactor', resourceUid);
      expect(await mayTransact()).toBe(true);
      await take('transactor', resourceUid);
      expect(await mayTransact()).toBe(false);
    }
  });

  it('a role does not grant permissions on siblings or ancestors of its resource', async () => {
    const beside = await addResource(here, 'cloud-wallet', tenant.projectUid);
    await give('owner', wallet);
    expect(await mayTransact()).toBe(true);
    expect(await may(here.auth, principal, 'wallet:read', beside)).toBe(false);
    expect(await may(here.auth, principal, 'project:read', tenant.projectUid)).toBe(false);
    const stranger = await here.tenant('Stranger');
    const theirs = await addResource(here, 'wallet', stranger.projectUid);
    await give('owner', tenant.organizationUid);
    expect(await may(here.auth, principal, 'wallet:read', theirs)).toBe(false);
  });

  it('a role grants only its own permissions', async () => {
    await give('viewer', tenant.projectUid);
    expect(await may(here.auth, principal, 'wallet:read', wallet)).toBe(true);
    expect(await mayTransact()).toBe(false);
    expect(
      await here.auth.decide(principal, ['wallet:read', 'wallet:transact', 'wallet:export'], wallet),
    ).toEqual({
      result: false,
      missingAppPermissions: [],
      missingResourcePermissions: ['wallet:transact', 'wallet:export'],
    });
  });

  it('a decision requires a role of the application and a role of the identity, and names the one that is missing', async () => {
    const { auth, change } = here;
    await give('owner', tenant.projectUid);
    const app = { app: tenant.app.uid };
    expect(await mayTransact()).toBe(true);
    await change((tx) =>
      auth.revokeRole(tx, { holder: app, role: 'application', resourceUid: tenant.projectUid }),
    );
    expect(await mayTransact()).toBe(false);
    expect(await auth.decide(principal, ['wallet:transact'], wallet)).toEqual({
      result: false,
      missingAppPermissions: ['wallet:transact'],
      missingResourcePermissions: [],
    });
    await change((tx) =>
      auth.assignRole(tx, { holder: app, role: 'viewer', resourceUid: tenant.projectUid }),
    );
    expect(await may(auth, principal, 'wallet:read', wallet)).toBe(true);
    expect(await mayTransact()).toBe(false);
  });

  it('an application is limited to its own project, even if its user has roles in other projects', async () => {
    const elsewhere = await here.tenant('Elsewhere');
    await give('owner', elsewhere.projectUid);
    expect(await here.auth.decide(principal, ['project:read'], elsewhere.projectUid)).toEqual({
      result: false,
      missingAppPermissions: ['project:read'],
      missingResourcePermissions: [],
    });
  });

  it('wallet permissions apply to cloud wallets, under either name', async () => {
    await give('transactor', tenant.projectUid);
    expect(await may(here.auth, principal, 'cloud-wallet:transact', wallet)).toBe(true);
    expect(await may(here.auth, principal, 'cloud-wallet:export', wallet)).toBe(false);
  });

  it('nobody holds a permission that does not exist', async () => {
    await give('administrator', systemUid);
    expect(await here.auth.decide(principal, ['wallet:fly', 'nothing:read'], wallet)).toEqual({
      result: false,
      missingAppPermissions: ['wallet:fly', 'nothing:read'],
      missingResourcePermissions: ['wallet:fly', 'nothing:read'],
    });
  });

  it('a decision reports all permissions as missing on a resource that does not exist', async () => {
    expect(await here.auth.decide(principal, ['wallet:read'], 'nowhere')).toEqual({
      result: false,
      missingAppPermissions: ['wallet:read'],
      missingResourcePermissions: ['wallet:read'],
    });
  });

  it('demand responds not-found if the caller may not even see the resource', async () => {
    const unknown = await problemOf(here.auth.demand(principal, 'wallet:transact', 'nowhere'));
    const hidden = await problemOf(here.auth.demand(principal, 'wallet:transact', wallet));
    expect(unknown.problem).toBe('not-found');
    expect(hidden.toDocument()).toEqual(unknown.toDocument());
  });

  it('demand names the missing permission if the caller may see the resource', async () => {
    await give('viewer', wallet);
    const problem = await problemOf(here.auth.demand(principal, 'wallet:transact', wallet));
    expect(problem.toDocument()).toMatchObject({
      status: 403,
      type: 'urn:ledger-ops:problem:not-permitted',
      missingAppPermissions: [],
      missingResourcePermissions: ['wallet:transact'],
    });
    expect(problem.message).toContain('wallet:transact');
    await expect(here.auth.demand(principal, 'wallet:read', wallet)).resolves.toBeUndefined();
  });

  it("everyone sees the operator's ledgers and plugins, but nobody can change them", async () => {
    for (const type of ['ledger', 'plugin', 'explorer'] as const) {
      const shared = await addResource(here, type, systemUid);
      await expect(here.auth.demand(principal, `${type}:read`, shared)).resolves.toBeUndefined();
      await expectProblem(here.auth.demand(principal, `${type}:update`, shared), 'not-permitted');
      const node = await addResource(here, 'node', shared);
      await expectProblem(here.auth.demand(principal, 'node:read', node), 'not-found');
    }
    const stranger = await here.tenant('Stranger');
    const theirs = await addResource(here, 'ledger', stranger.projectUid);
    await expectProblem(here.auth.demand(principal, 'ledger:read', theirs), 'not-found');
  });

  it('the owner of a new resource gets the owner role on it', async () => {
    const own = await addResource(here, 'cloud-wallet', tenant.projectUid, principal.serviceId);
    expect(await may(second, principal, 'wallet:transact', own)).toBe(true);
    expect(await mayTransact()).toBe(false);
  });

  it('a removed resource loses its roles and cached decisions', async () => {
    const { auth, change } = here;
    await give('owner', wallet);
    expect(await mayTransact()).toBe(true);
    await change((tx) => auth.removeResource(tx, wallet));
    expect(await mayTransact()).toBe(false);
    // The uid is reused for another resource; the roles of the old resource do not apply.
    const stranger = await here.tenant('Stranger');
    await change((tx) =>
      auth.registerResource(tx, {
        uid: wallet,
        resourceId: wallet,
        type: 'wallet',
        parentUid: stranger.projectUid,
      }),
    );
    await give('owner', tenant.projectUid);
    expect(await mayTransact()).toBe(false);
  });

  it('a role assigned in a rolled-back transaction does not grant permissions', async () => {
    const { auth, change } = here;
    const holder = { identity: principal.serviceId };
    await expect(
      change(async (tx) => {
        await auth.assignRole(tx, { holder, role: 'owner', resourceUid: wallet });
        throw new RangeError('no');
      }),
    ).rejects.toThrow('no');
    expect(await mayTransact()).toBe(false);
  });

  it.each(['identity', 'application', 'API token'] as const)(
    'refuses a disabled %s on the next call on every server, and accepts it when enabled again',
    async (what) => {
      const { auth, change } = here;
      const { account, app } = tenant;
      const bearer = await tenant.bearer();
      await give('owner', tenant.projectUid);
      const servers = [auth, second];
      const set = (status: 'ENABLED' | 'DISABLED') =>
        change((tx) => {
          if (what === 'identity') return auth.setIdentityStatus(tx, account.serviceId, status);
          if (what === 'application') return auth.setAppStatus(tx, app.uid, status);
          return auth.setApiTokenStatus(tx, account.handle, status);
        });
      for (const server of servers) await server.authenticate(app.token, bearer);
      expect(await mayTransact()).toBe(true);

      await set('DISABLED');
      const problem = what === 'application' ? 'application-token-invalid' : 'access-token-invalid';
      for (const server of servers) await expectProblem(server.authenticate(app.token, bearer), problem);
      // The principal was authenticated before, as in an event stream.
      if (what !== 'API token') expect(await mayTransact()).toBe(false);

      await set('ENABLED');
      for (const server of servers) await server.authenticate(app.token, bearer);
      expect(await mayTransact()).toBe(true);
    },
  );

  it('a decision that is made during a concurrent change of roles is not cached', async () => {
    for (let round = 0; round < 10; round += 1) {
      for (const change of [give, take]) {
        const asking = Array.from({ length: 20 }, () => may(here.auth, principal, 'wallet:transact', wallet));
        await Promise.all([...asking, change('transactor', wallet)]);
        expect(await mayTransact()).toBe(change === give);
      }
    }
  });
});
