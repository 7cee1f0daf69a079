import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { systemUid } from '../src/index.ts';
import {
  addResource,
  expectProblem,
  type Installation,
  install,
  problemOf,
  type Tenant,
} from '../src/testing/index.ts';

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describeStores('records of access', (open) => {
  let here: Installation;
  let tenant: Tenant;
  beforeAll(async () => {
    here = await install(await open());
    tenant = await here.tenant('Tenant');
  });
  const createdBy = () => tenant.account.serviceId;

  it('records get the ids that clients choose, or generated ids', async () => {
    const { auth, change } = here;
    const records = await change(async (tx) => {
      const organization = await auth.createOrganization(tx, { organizationId: 'Acme-1', name: 'Acme' });
      const organizationUid = organization.uid;
      const chosen = await auth.createProject(tx, { projectId: 'p.1_x', organizationUid, name: 'Chosen' });
      const made = await auth.createProject(tx, { organizationUid, name: 'Made' });
      return { organization, chosen, made };
    });
    expect(records.organization).toEqual({
      uid: expect.stringMatching(uuidv7),
      id: expect.any(Number),
      organizationId: 'Acme-1',
      name: 'Acme',
    });
    expect(records.made.projectId).toMatch(uuidv7);
    expect(records.made.id).toBe(records.chosen.id + 1);
    expect(await auth.projectByProjectId('p.1_x')).toEqual(records.chosen);
    expect(await auth.projectByProjectId('p.1_y')).toBeNull();
  });

  it('refuses ids that paths cannot contain, and invalid names', async () => {
    const { auth, change } = here;
    for (const organizationId of [
      '',
      'a b',
      'ä',
      'a/b',
      '.',
      '..',
      'x'.repeat(65),
      'mine',
      'system',
      'a\n',
    ]) {
      const problem = await problemOf(
        change((tx) => auth.createOrganization(tx, { organizationId, name: 'N' })),
      );
      expect(problem.problem).toBe('invalid-request');
      expect(problem.errors[0]?.pointer).toBe('/organizationId');
    }
    for (const name of ['', 'x'.repeat(201), 'a\u0000b', 'a\nb']) {
      await expectProblem(
        change((tx) => auth.createOrganization(tx, { name })),
        'invalid-request',
      );
    }
  });

  it('refuses a second record with the same id, and does not store any part of it', async () => {
    const { auth, change, store } = here;
    const { projectUid, organizationUid } = tenant;
    const creating = [
      () => change((tx) => auth.createOrganization(tx, { organizationId: 'twice', name: 'N' })),
      () => change((tx) => auth.createProject(tx, { projectId: 'twice', organizationUid, name: 'N' })),
      () => change((tx) => auth.createApp(tx, { appId: 'twice', projectUid, name: 'N' })),
      () =>
        change((tx) =>
          auth.createServiceAccount(tx, {
            accountId: 'twice',
            projectUid,
            name: 'N',
            createdBy: createdBy(),
          }),
        ),
      () =>
        change((tx) =>
          auth.createServiceAccount(tx, {
            email: 'twice@example.com',
            projectUid,
            name: 'N',
            createdBy: createdBy(),
          }),
        ),
    ];
    const rows = async () => (await store.read.all('select uid from resource')).length;
    for (const create of creating) {
      await create();
      const before = await rows();
      await expectProblem(create(), 'already-exists');
      expect(await rows()).toBe(before);
    }
  });

  it('creating a record under a missing parent fails with the pointer to the parent', async () => {
    const { auth, change } = here;
    const missing = { projectUid: 'none', name: 'N' };
    const pointerOf = async (promise: Promise<unknown>) => (await problemOf(promise)).errors[0]?.pointer;
    expect(
      await pointerOf(change((tx) => auth.createProject(tx, { organizationUid: 'none', name: 'N' }))),
    ).toBe('/organizationId');
    expect(await pointerOf(change((tx) => auth.createApp(tx, missing)))).toBe('/projectId');
    expect(
      await pointerOf(change((tx) => auth.createServiceAccount(tx, { ...missing, createdBy: createdBy() }))),
    ).toBe('/projectId');
    expect(await pointerOf(addResource(here, 'wallet', 'none'))).toBe('/parentId');
  });

  it('refuses a second system resource', async () => {
    expect((await problemOf(addResource(here, 'system', tenant.projectUid))).errors[0]?.pointer).toBe(
      '/type',
    );
  });

  it('refuses to remove a resource that has child resources', async () => {
    const { auth, change } = here;
    const group = await addResource(here, 'contract-group', tenant.projectUid);
    const contract = await addResource(here, 'smart-contract-instance', group);
    await expectProblem(
      change((tx) => auth.removeResource(tx, group)),
      'in-use',
    );
    await change((tx) => auth.removeResource(tx, contract));
    await change((tx) => auth.removeResource(tx, group));
    await change((tx) => auth.removeResource(tx, group));
  });

  it('generates an e-mail address for a service account without one', async () => {
    const { auth, change } = here;
    const account = await change((tx) =>
      auth.createServiceAccount(tx, {
        accountId: 'robot',
        projectUid: tenant.projectUid,
        name: 'Robot',
        createdBy: createdBy(),
      }),
    );
    const [home] = await here.store.read.all<{ domain: string }>(
      `select p.project_id || '.' || o.organization_id as domain
         from project p join organization o on o.uid = p.organization_uid where p.uid = $1`,
      [tenant.projectUid],
    );
    expect(account.email).toBe(`robot@${home?.domain}.ledger.example`);
    for (const email of ['no address', '@x', 'a@', 'a@b c', 'a@b@c']) {
      await expectProblem(
        change((tx) =>
          auth.createServiceAccount(tx, {
            email,
            projectUid: tenant.projectUid,
            name: 'R',
            createdBy: createdBy(),
          }),
        ),
        'invalid-request',
      );
    }
  });

  it('assigns and removes a role repeatedly', async () => {
    const { auth, change, store } = here;
    const grant = { holder: { identity: createdBy() }, role: 'viewer', resourceUid: tenant.projectUid };
    const held = async () =>
      (
        await store.read.all('select id from role_assignment where holder = $1 and resource_uid = $2', [
          `identity:${createdBy()}`,
          tenant.projectUid,
        ])
      ).length;
    await change((tx) => auth.assignRole(tx, grant));
    await change((tx) => auth.assignRole(tx, grant));
    expect(await held()).toBe(1);
    await change((tx) => auth.revokeRole(tx, grant));
    await change((tx) => auth.revokeRole(tx, grant));
    expect(await held()).toBe(0);
  });

  it('rejects a role assignment, and points to the role, holder or resource that does not exist', async () => {
    const { auth, change } = here;
    const identity = createdBy();
    const { app, projectUid } = tenant;
    const cases = [
      ['/role', { holder: { identity }, role: 'king', resourceUid: projectUid }],
      // The role exists, but only for identities.
      ['/role', { holder: { app: app.uid }, role: 'transactor', resourceUid: projectUid }],
      ['/identity', { holder: { identity: 'nobody' }, role: 'viewer', resourceUid: projectUid }],
      ['/app', { holder: { app: 'none' }, role: 'viewer', resourceUid: projectUid }],
      ['/resource', { holder: { identity }, role: 'viewer', resourceUid: 'nowhere' }],
    ] as const;
    for (const [pointer, grant] of cases) {
      const problem = await problemOf(change((tx) => auth.assignRole(tx, grant)));
      expect([problem.problem, problem.errors[0]?.pointer]).toEqual(['invalid-request', pointer]);
    }
  });

  it('changing the status or credentials of a missing record fails with not-found', async () => {
    const { auth, change } = here;
    for (const work of [
      () => change((tx) => auth.setIdentityStatus(tx, 'none', 'DISABLED')),
      () => change((tx) => auth.setAppStatus(tx, 'none', 'DISABLED')),
      () => change((tx) => auth.setApiTokenStatus(tx, 'none', 'DISABLED')),
      () => change((tx) => auth.createApiToken(tx, 'none')),
      () => change((tx) => auth.issueAppToken(tx, 'none')),
    ]) {
      await expectProblem(work(), 'not-found');
    }
  });

  it('concurrent transactions create records with different ids', async () => {
    const { auth, change, store } = here;
    const { organizationUid } = tenant;
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        change(async (tx) => {
          const project = await auth.createProject(tx, { organizationUid, name: `P${i}` });
          const app = await auth.createApp(tx, { projectUid: project.uid, name: `A${i}` });
          return [project.id, app.id];
        }),
      ),
    );
    expect(new Set(made.map(([project]) => project)).size).toBe(20);
    expect(new Set(made.map(([, app]) => app)).size).toBe(20);
    const orphans = await store.read.all(
      'select r.uid from resource r left join resource p on p.uid = r.parent_uid where p.uid is null and r.uid <> $1',
      [systemUid],
    );
    expect(orphans).toEqual([]);
  });
});
