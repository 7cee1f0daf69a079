import { systemUid } from '@ledger-ops/auth';
import { addResource, expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { type World, world } from './world.ts';

describeStores('resources', (open) => {
  let w: World;
  beforeAll(async () => {
    w = await world(await open());
  });
  const create = (body: unknown, principal = w.acme.owner) => w.call('createResource', principal, { body });

  it('a resource with properties is created in the caller’s project, and the caller becomes its owner', async () => {
    const wallet = await create({ id: 'cold', type: 'wallet', properties: { color: 'blue', size: 'xl' } });
    expect(wallet).toMatchObject({
      resourceID: 'cold',
      type: { name: 'wallet' },
      parentId: w.acme.tenant.projectUid,
      properties: [
        { name: 'color', value: 'blue' },
        { name: 'size', value: 'xl' },
      ],
    });
    for (const resourceId of ['cold', wallet.resourceUUID]) {
      expect(await w.call('getResource', w.acme.owner, { params: { resourceId } })).toEqual(wallet);
    }
    const { pageContent } = await w.call('listResourceIdentityRoles', w.acme.owner, {
      query: { resource: 'cold', identity: w.acme.owner.serviceId },
    });
    expect(pageContent[0]?.role.name).toBe('owner');
  });

  it('creating a resource of type project, app or service account creates the record of that type', async () => {
    const { owner, organizationId } = w.acme;
    const project = await create({ type: 'project', id: 'by-resource', properties: { name: 'Named' } });
    expect(project.parentId).toBe(w.acme.tenant.organizationUid);
    expect(await w.call('getProject', owner, { params: { projectId: 'by-resource' } })).toMatchObject({
      name: 'Named',
      organization: { organizationID: organizationId },
    });
    await create({ type: 'app', id: 'an-app', parentId: 'by-resource' });
    expect(await w.call('getApp', owner, { params: { appId: 'an-app' } })).toMatchObject({
      projectId: 'by-resource',
    });
    await create({ type: 'service-account', id: 'an-account', parentId: 'by-resource' });
    expect(
      await w.call('getServiceAccount', owner, {
        params: { emailOrAccountId: 'an-account' },
        query: { filter_by: 'SERVICE_ACCOUNT_ID' },
      }),
    ).toMatchObject({ project: 'by-resource' });
    const organization = await create({ type: 'organization', id: 'by-root' }, w.administrator);
    expect(organization.parentId).toBe(systemUid);
  });

  it('a resource with a wrong type, parent, id or property is refused', async () => {
    const cases = [
      [{ type: 'system' }, '/type'],
      [{ type: 'contract-group' }, '/type'],
      [{ type: 'king' }, '/type'],
      [{ type: 'wallet', id: 'a/b' }, '/id'],
      [{ type: 'wallet', id: 'mine' }, '/id'],
      [{ type: 'project', parentId: w.acme.projectId }, '/parentId'],
      [{ type: 'wallet', parentId: w.acme.organizationId }, '/parentId'],
      [{ type: 'wallet', properties: { a: 1 } }, '/properties/a'],
      [{ type: 'app', properties: { name: '' } }, '/properties/name'],
    ] as const;
    for (const [body, pointer] of cases) {
      const problem = await problemOf(create(body));
      expect([problem.problem, problem.errors[0]?.pointer], JSON.stringify(body)).toEqual([
        'invalid-request',
        pointer,
      ]);
    }
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.projectUid);
    await expectProblem(create({ type: 'wallet' }, viewer), 'not-permitted');
    await expectProblem(create({ type: 'organization' }), 'not-found');
  });

  it('resource ids are unique per type and project', async () => {
    await create({ id: 'unique', type: 'node' });
    await expectProblem(create({ id: 'unique', type: 'node' }), 'already-exists');
    await create({ id: 'unique', type: 'explorer' });
    await create({ id: 'unique', type: 'node' }, w.other.owner);
    const { organizationId, owner } = w.acme;
    await create({ id: 'bills', type: 'billing-account', parentId: organizationId });
    await create({ id: 'bills', type: 'billing-account' });
    await expectProblem(
      create({ id: 'bills', type: 'billing-account', parentId: organizationId }),
      'already-exists',
    );
    // Two resources of different types have the same id: only the resourceUUID distinguishes them.
    const problem = await problemOf(w.call('getResource', owner, { params: { resourceId: 'unique' } }));
    expect(problem.problem).toBe('conflict');
  });

  it('requests to create a resource ignore members that cannot be set', async () => {
    const made = await create({
      type: 'ledger-token',
      id: 'honest',
      resourceUUID: systemUid,
      uid: systemUid,
      owner: w.other.owner.serviceId,
      role: 'administrator',
    });
    expect(made.resourceUUID).not.toBe(systemUid);
    const roles = await w.call('listIdentitiesOnResources', w.acme.owner, {
      query: { resource: [made.resourceUUID] },
    });
    expect(roles.pageContent.map((one) => one.serviceId)).toEqual([w.acme.owner.serviceId]);
  });

  it('resources can be found by any or by all of several search terms', async () => {
    const { owner } = w.acme;
    for (const [id, terms] of [
      ['n1', ['red', 'round']],
      ['n2', ['red']],
      ['n3', ['round', 'Red']],
      ['n4', []],
    ] as const) {
      await create({ id, type: 'plugin' });
      for (const value of terms) {
        await w.call('createLookupTerm', owner, { params: { resourceId: id }, body: { value } });
      }
    }
    const find = async (lookupTerm: string[], lookupTermStrategy?: string) => {
      const query = { lookupTerm, ...(lookupTermStrategy === undefined ? {} : { lookupTermStrategy }) };
      const page = await w.call('listAllResourcesByType', owner, { params: { type: 'plugin' }, query });
      expect(page.totalElements).toBe(page.pageContent.length);
      return page.pageContent.map((one) => one.resourceID).join(' ');
    };
    expect(await find(['red', 'round'])).toBe('n1 n2 n3');
    expect(await find(['red', 'round'], 'OR')).toBe('n1 n2 n3');
    expect(await find(['red', 'round'], 'AND')).toBe('n1');
    expect(await find(['red', 'red'], 'AND')).toBe('n1 n2');
    expect(await find(['blue'])).toBe('');
    expect(await find([])).toBe('n1 n2 n3 n4');
    await expectProblem(find(['red'], 'XOR'), 'invalid-request');
    await expectProblem(
      w.call('createLookupTerm', owner, { params: { resourceId: 'n1' }, body: { value: 'red' } }),
      'already-exists',
    );
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.projectUid);
    await expectProblem(
      w.call('createLookupTerm', viewer, { params: { resourceId: 'n1' }, body: { value: 'x' } }),
      'not-permitted',
    );
  });

  it('resources are listed by visibility, by the caller’s roles, by another identity’s roles, or for an invitation', async () => {
    const party = await w.party('Lists');
    const { owner, projectId, organizationId, tenant } = party;
    const shared = await addResource(w.here, 'ledger', systemUid);
    const own = await addResource(w.here, 'ledger', tenant.projectUid);
    const hidden = await addResource(w.here, 'ledger', w.other.tenant.projectUid);
    const ids = async (operationId: string, request: Parameters<World['call']>[2]) =>
      (await w.call(operationId, owner, request)).pageContent.map((one) => one.resourceID);
    const params = { type: 'ledger' };
    expect(await ids('listAllResourcesByType', { params })).toEqual([shared, own]);
    expect(await ids('listResourceOfType', { params })).toEqual([own]);
    expect(await ids('listAllResourcesByType', { params, query: { project: projectId } })).toEqual([own]);
    expect(await ids('listAllResourcesByType', { params, query: { organization: organizationId } })).toEqual([
      own,
    ]);
    expect(await ids('listAllResourcesByType', { params, query: { resourceId: own } })).toEqual([own]);
    expect(await ids('listAllResourcesByType', { params, query: { resourceId: '' } })).toEqual([shared, own]);
    expect(await ids('listAllResourcesByType', { params, query: { resourceId: hidden } })).toEqual([]);
    expect(await ids('listAllResourcesByType', { params, query: { project: w.other.projectId } })).toEqual(
      [],
    );
    expect(
      await ids('listResourcesContainingResourceIdForResourceType', {
        params: { ...params, resourceId: own.slice(8, 15) },
      }),
    ).toEqual([own]);
    // % and _ are literal characters.
    expect(
      await ids('listResourcesContainingResourceIdForResourceType', {
        params: { ...params, resourceId: '%' },
      }),
    ).toEqual([]);
    const member = await w.member(party, 'viewer', own);
    const forMember = { params: { ...params, serviceId: member.serviceId } };
    expect(await ids('listResourcesForIdentity', forMember)).toEqual([own]);
    await expectProblem(
      ids('listResourcesForIdentity', { params: { ...params, serviceId: w.other.owner.serviceId } }),
      'not-found',
    );
    expect(
      await ids('listResourcesForInvitation', { query: { resourceType: 'ledger', project: projectId } }),
    ).toEqual([own]);
  });

  it('listings show exactly the resources that the permission function allows', async () => {
    const { here } = w;
    const party = await w.party('Grid');
    const { tenant } = party;
    const group = await addResource(here, 'contract-group', tenant.projectUid);
    const contract = await addResource(here, 'smart-contract-instance', group);
    const wallet = await addResource(here, 'cloud-wallet', tenant.projectUid);
    await addResource(here, 'wallet', w.other.tenant.projectUid);
    await addResource(here, 'explorer', systemUid);
    await addResource(here, 'node', systemUid);
    const callers = [
      party.owner,
      w.administrator,
      await w.member(party, 'viewer', group),
      await w.member(party, 'transactor', wallet),
      await w.member(party, 'viewer', contract),
      await w.member(party, 'owner', w.other.tenant.projectUid),
      // The other project's application grants no permission in this project.
      { ...party.owner, appUid: w.other.tenant.app.uid },
    ];
    const all = await here.store.read.all<{ uid: string; type: string }>('select uid, type from resource');
    for (const principal of callers) {
      for (const type of new Set(all.map((one) => one.type))) {
        const listed = new Set<string>();
        for (let page = 0, pages = 1; page < pages; page += 1) {
          const found = await w.call('listAllResourcesByType', principal, {
            params: { type },
            query: { page: String(page), size: '100' },
          });
          for (const one of found.pageContent) listed.add(one.resourceUUID);
          pages = found.totalPages;
        }
        for (const { uid } of all.filter((one) => one.type === type)) {
          const { result } = await here.auth.decide(principal, [`${type}:read`], uid);
          expect(listed.has(uid), `${type} ${uid}`).toBe(result);
        }
      }
    }
  });

  it('deleting resources deletes their properties and lookup terms', async () => {
    const made = await create({ id: 'short-lived', type: 'node', properties: { a: 'b' } });
    await w.call('createLookupTerm', w.acme.owner, {
      params: { resourceId: made.resourceUUID },
      body: { value: 'x' },
    });
    await w.here.change((tx) => w.here.auth.removeResource(tx, made.resourceUUID));
    for (const table of ['resource_property', 'lookup_term', 'resource_ancestor', 'role_assignment']) {
      expect(
        await w.here.store.read.all(`select * from ${table} where resource_uid = $1`, [made.resourceUUID]),
      ).toEqual([]);
    }
  });
});
