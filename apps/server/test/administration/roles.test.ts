import { systemUid } from '@ledger-ops/auth';
import { addResource, expectProblem, may, problemOf } from '@ledger-ops/auth/testing';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { type World, world } from './world.ts';

describeStores('roles', (open) => {
  let w: World;
  beforeAll(async () => {
    w = await world(await open());
  });
  const fresh = () => addResource(w.here, 'cloud-wallet', w.acme.tenant.projectUid);
  const give = (body: unknown, principal = w.acme.owner) =>
    w.call('createResourceIdentityRole', principal, { body });
  const take = (resourceId: string, serviceId: string, name: string, principal = w.acme.owner) =>
    w.call('deleteResourceIdentityRole', principal, { params: { resourceId, serviceId, name } });

  it('roles are listed by name and type', async () => {
    const names = async (query: object) =>
      (await w.call('listRoles', w.acme.owner, { query })).map((role) => role.name);
    expect(await names({})).toContain('transactor');
    expect(await names({ names: ['viewer'] })).toEqual(['viewer', 'viewer']);
    expect(await names({ names: ['viewer', 'king'], roleType: 'APP' })).toEqual(['viewer']);
  });

  it('granted roles take effect immediately and can be read back completely', async () => {
    const wallet = await fresh();
    const member = await w.member(w.acme, 'viewer', w.acme.tenant.projectUid);
    expect(await may(w.here.auth, member, 'wallet:transact', wallet)).toBe(false);
    const given = await give({
      identity: { serviceId: member.serviceId },
      resource: wallet,
      role: 'transactor',
    });
    expect(given).toMatchObject({
      identity: { serviceId: member.serviceId },
      resource: { resourceUUID: wallet },
      role: { name: 'transactor', roleType: 'IDENTITY' },
    });
    expect(await may(w.here.auth, member, 'wallet:transact', wallet)).toBe(true);
    // The returned record is a valid body.
    await expectProblem(give(given), 'already-exists');
    const page = await w.call('listResourceIdentityRoles', w.acme.owner, {
      query: { resource: wallet, identity: member.serviceId },
    });
    expect(page.pageContent).toEqual([given]);
    const own = await w.call('listResourceIdentityRolesOfIdentityForInvitation', w.acme.owner, {
      params: { identityId: member.serviceId },
    });
    expect(own.pageContent.map((one) => one.role.name)).toEqual(['viewer', 'transactor']);
    const onOne = await w.call('listResourceIdentityRolesOfIdentityForInvitation', w.acme.owner, {
      params: { identityId: member.serviceId },
      query: { resource: wallet },
    });
    expect(onOne.pageContent).toEqual([given]);
    const everybody = await w.call('listResourceIdentityRolesForInvitation', w.acme.owner, {
      query: { resource: wallet },
    });
    expect(everybody.pageContent).toEqual([given]);
  });

  it('removing a role takes effect immediately, and leaves no pending deletion', async () => {
    const wallet = await fresh();
    const member = await w.member(w.acme, 'transactor', wallet);
    expect(await take(wallet, member.serviceId, 'transactor')).toBeUndefined();
    expect(await may(w.here.auth, member, 'wallet:transact', wallet)).toBe(false);
    await expectProblem(take(wallet, member.serviceId, 'transactor'), 'not-found');
    expect(await w.here.store.read.all('select id from role_deletion')).toEqual([]);
  });

  it('a role that is scheduled to be revoked is revoked even if the server restarts first', async () => {
    const wallet = await fresh();
    const member = await w.member(w.acme, 'transactor', wallet);
    const [row] = await w.here.store.read.all<{ id: number }>(
      'select id from role_assignment where resource_uid = $1',
      [wallet],
    );
    await w.here.change((tx) =>
      tx.run(
        "insert into role_deletion (id, assignment_id, requested_by, created_at) values (999, $1, 'x', 1)",
        [row?.id ?? 0],
      ),
    );
    expect(await may(w.here.auth, member, 'wallet:transact', wallet)).toBe(true);
    await w.admin.sweep();
    expect(await may(w.here.auth, member, 'wallet:transact', wallet)).toBe(false);
  });

  it('callers without permission to manage roles, or with fewer permissions than the role, cannot grant it', async () => {
    const { projectUid } = w.acme.tenant;
    const viewer = await w.member(w.acme, 'viewer', projectUid);
    const owner = await w.member(w.acme, 'owner', projectUid);
    const body = (resource: string, role: string) => ({ identity: viewer.serviceId, resource, role });
    await expectProblem(give(body(projectUid, 'viewer'), viewer), 'not-permitted');
    await expectProblem(give(body(projectUid, 'administrator'), owner), 'not-permitted');
    await expectProblem(give(body(w.acme.tenant.organizationUid, 'viewer'), owner), 'not-found');
    await expectProblem(give(body(systemUid, 'viewer'), owner), 'not-found');
    await give(body(projectUid, 'operator'), owner);
    // The application's permissions also limit the grant: an application with read access cannot grant roles.
    const [viewing] = await w.here.store.read.all<{ uid: string }>(
      "select uid from role where name = 'viewer' and role_type = 'APP'",
    );
    expect(viewing).toBeDefined();
    const app = await w.call('createApp', w.acme.owner, { body: { name: 'Shows things' } });
    await w.call('setAppRole', w.acme.owner, {
      params: { resourceId: projectUid },
      body: { app: app.appId, role: 'viewer' },
    });
    const through = { ...owner, appUid: app.resourceUUID, appId: app.appId };
    await expectProblem(give(body(projectUid, 'owner'), through), 'not-permitted');
  });

  it('holders can give up roles, and only callers with permission can revoke them', async () => {
    const wallet = await fresh();
    const member = await w.member(w.acme, 'transactor', wallet);
    const viewer = await w.member(w.acme, 'viewer', wallet);
    await expectProblem(take(wallet, member.serviceId, 'transactor', viewer), 'not-permitted');
    await take(wallet, member.serviceId, 'transactor', member);
    expect(await may(w.here.auth, member, 'wallet:read', wallet)).toBe(false);
  });

  it('an invalid role assignment is refused with the reason and a pointer', async () => {
    const wallet = await fresh();
    const { serviceId } = w.acme.owner;
    const cases = [
      [{ identity: serviceId, resource: wallet, role: 'king' }, 'not-found', '/role'],
      [{ identity: serviceId, resource: wallet, role: 'application' }, 'not-found', '/role'],
      [{ identity: 'nobody', resource: wallet, role: 'viewer' }, 'not-found', '/identity'],
      [{ identity: w.other.owner.serviceId, resource: wallet, role: 'viewer' }, 'not-found', '/identity'],
      [
        { identity: serviceId, resource: w.other.tenant.projectUid, role: 'viewer' },
        'not-found',
        '/resource',
      ],
      [{ resource: wallet, role: 'viewer' }, 'invalid-request', '/identity'],
      [{ identity: {}, resource: wallet, role: 'viewer' }, 'invalid-request', '/identity'],
      [{ identity: 7, resource: wallet, role: 'viewer' }, 'invalid-request', '/identity'],
    ] as const;
    for (const [body, name, pointer] of cases) {
      const problem = await problemOf(give(body));
      expect([problem.problem, problem.errors[0]?.pointer], JSON.stringify(body)).toEqual([name, pointer]);
    }
  });

  it('a role of an identity on an app is a role on the app’s resource', async () => {
    const { owner, tenant } = w.acme;
    const member = await w.member(w.acme, 'viewer', tenant.projectUid);
    const body = { identity: member.serviceId, app: tenant.app.appId, role: { name: 'owner' } };
    const given = await w.call('createAppIdentityRole', owner, { body });
    expect(given).toMatchObject({
      identity: { serviceId: member.serviceId },
      app: { appId: tenant.app.appId },
    });
    expect(await w.call('listAppIdentityRoles', owner, { query: { app: tenant.app.appId } })).toContainEqual(
      given,
    );
    expect(await may(w.here.auth, member, 'app:manage', tenant.app.uid)).toBe(true);
    await expectProblem(w.call('createAppIdentityRole', owner, { body }), 'already-exists');
    const viewer = await w.member(w.acme, 'viewer', tenant.projectUid);
    await expectProblem(w.call('createAppIdentityRole', viewer, { body }), 'not-permitted');
  });

  it('setting an app’s role on a resource replaces the app’s previous role there', async () => {
    const { owner, tenant } = w.acme;
    const app = await w.call('createApp', owner, { body: { name: 'Second' } });
    const set = (role: string, principal = owner) =>
      w.call('setAppRole', principal, {
        params: { resourceId: tenant.organizationUid },
        body: { app: { appId: app.appId }, role },
      });
    const held = async () =>
      (await w.call('listAppRoles', owner, { params: { resourceId: tenant.organizationUid } }))
        .filter((one) => one.app.appId === app.appId)
        .map((one) => one.role.name);
    const first = await set('viewer');
    expect(first).toMatchObject({ identity: null, app: { appId: app.appId } });
    expect(await set('viewer')).toEqual(first);
    expect(await held()).toEqual(['viewer']);
    await set('application');
    expect(await held()).toEqual(['application']);
    await expectProblem(set('administrator'), 'not-permitted');
    await expectProblem(set('transactor'), 'not-found');
    const viewer = await w.member(w.acme, 'viewer', tenant.organizationUid);
    await expectProblem(set('viewer', viewer), 'not-permitted');
  });

  it('the last person and the last application that administer the installation keep their role', async () => {
    const { administrator } = w;
    await expectProblem(take(systemUid, administrator.serviceId, 'administrator', administrator), 'conflict');
    await expectProblem(
      w.call('setAppRole', administrator, {
        params: { resourceId: systemUid },
        body: { app: administrator.appId, role: 'viewer' },
      }),
      'conflict',
    );
    await expectProblem(
      w.call('updateIdentityStatus', administrator, {
        params: { id: administrator.serviceId },
        query: { status: 'DISABLED' },
      }),
      'conflict',
    );
    // A disabled second administrator does not count; an enabled one does.
    const second = await w.member(w.acme, 'administrator', systemUid);
    await w.call('updateIdentityStatus', administrator, {
      params: { id: second.serviceId },
      query: { status: 'DISABLED' },
    });
    await expectProblem(take(systemUid, administrator.serviceId, 'administrator', administrator), 'conflict');
    await take(systemUid, second.serviceId, 'administrator', administrator);
  });

  it('if the last two administrators give up their roles at the same time, one of them stays administrator', async () => {
    const { store } = w.here;
    const party = await w.party('Race');
    const third = await w.member(party, 'administrator', systemUid);
    const left = await Promise.allSettled([
      take(systemUid, third.serviceId, 'administrator', w.administrator),
      take(systemUid, w.administrator.serviceId, 'administrator', w.administrator),
    ]);
    const rows = await store.read.all<{ holder: string }>(
      "select a.holder from role_assignment a join role r on r.uid = a.role_uid where r.name = 'administrator' and a.holder like 'identity:%'",
    );
    expect(rows.length, left.map(({ status }) => status).join()).toBe(1);
  });

  it('an identity can store properties for an application', async () => {
    const { owner, tenant } = w.acme;
    const body = {
      identity: owner.serviceId,
      app: { appId: tenant.app.appId },
      name: 'theme',
      value: 'dark',
    };
    const made = await w.call('createAppIdentityProperty', owner, { body });
    expect(made).toMatchObject({ identity: { serviceId: owner.serviceId }, name: 'theme', value: 'dark' });
    expect(await w.call('listAppIdentityProperties', owner, { query: { app: tenant.app.appId } })).toEqual([
      made,
    ]);
    await expectProblem(w.call('createAppIdentityProperty', owner, { body }), 'already-exists');
    const viewer = await w.member(w.acme, 'viewer', tenant.projectUid);
    await expectProblem(w.call('createAppIdentityProperty', viewer, { body }), 'not-permitted');
    await expectProblem(
      w.call('createAppIdentityProperty', owner, {
        body: { ...body, identity: w.other.owner.serviceId },
      }),
      'not-found',
    );
  });
});
