import { expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { tokenIn, type World, world } from './world.ts';

describeStores('identities', (open) => {
  let w: World;
  beforeAll(async () => {
    w = await world(await open());
  });
  const create = (body: unknown, principal = w.administrator) =>
    w.call('createIdentity', principal, { body });
  const serviceIds = (list: readonly { serviceId: string }[]) => list.map((one) => one.serviceId);

  it('users are PENDING until they set a password with the mailed link', async () => {
    const made = await create({
      identifier: 'Ada@Example.com',
      identityProfile: { displayName: 'Ada' },
      id: 1,
      status: 'ENABLED',
      serviceId: 'mine',
    });
    expect(made).toMatchObject({ identifier: 'ada@example.com', status: 'PENDING', type: 'USER' });
    expect(made.serviceId).not.toBe('mine');
    await expect.poll(() => w.sent.filter(({ to }) => to === 'ada@example.com')).toHaveLength(1);
    const mail = w.sent.find(({ to }) => to === 'ada@example.com');
    expect(mail?.text).toContain('https://console.example/#/init-user?initToken=');
    const initUser = (password: string) =>
      w.here.auth.initUser({
        initToken: new Secret(tokenIn(mail, 'initToken')),
        acceptTnC: true,
        additional: { name: 'Ada L.', password: new Secret(password) },
        client: { source: 'test' },
      });
    expect(await initUser('correct horse battery')).toEqual({ email: 'ada@example.com' });
    expect(await w.call('getIdentity', w.administrator, { params: { id: 'ada@example.com' } })).toMatchObject(
      {
        status: 'ENABLED',
        identityProfile: { displayName: 'Ada L.' },
      },
    );
    // PENDING again, the user gets a new link and sets a new password.
    await w.call('updateIdentityStatus', w.administrator, {
      params: { id: made.serviceId },
      query: { status: 'PENDING' },
    });
    await expect.poll(() => w.sent.filter(({ to }) => to === 'ada@example.com')).toHaveLength(2);
  });

  it('only the installation’s administrator can create an identity, and only for an unused e-mail address', async () => {
    await expectProblem(create({ identifier: 'bob@example.com' }, w.acme.owner), 'not-permitted');
    await create({ identifier: 'bob@example.com', type: 'SAML' });
    await expectProblem(create({ identifier: 'BOB@example.com' }), 'already-exists');
    for (const [body, pointer] of [
      [{ identifier: 'c@example.com', type: 'SERVICE' }, '/type'],
      [{ identifier: 'no address' }, '/identifier'],
      [{ identifier: 'a@b\r\nBcc: c@d' }, '/identifier'],
      [{}, '/identifier'],
    ] as const) {
      expect((await problemOf(create(body))).errors[0]?.pointer).toBe(pointer);
    }
    const saml = await w.call('getIdentity', w.administrator, { params: { id: 'bob@example.com' } });
    expect(saml).toMatchObject({ type: 'SAML', status: 'ENABLED' });
    expect(w.sent.some(({ to }) => to === 'bob@example.com')).toBe(false);
  });

  it('identities are visible to those who share a resource with them and to the administrator', async () => {
    const { acme, other, administrator } = w;
    const member = await w.member(acme, 'viewer', acme.tenant.projectUid);
    const get = (id: string, principal = acme.owner) =>
      w.call('getIdentity', principal, { params: { id }, query: { filter_by: 'SERVICE_ID' } });
    expect((await get(member.serviceId)).type).toBe('SERVICE');
    expect((await get(member.serviceId, administrator)).serviceId).toBe(member.serviceId);
    await expectProblem(get(member.serviceId, other.owner), 'not-found');
    await expectProblem(get('nobody'), 'not-found');
    const list = (principal = acme.owner) =>
      w.call('listIdentities', principal, {
        query: { filter_by: 'SERVICE_ID', identifiers: [member.serviceId, other.owner.serviceId, 'x'] },
      });
    expect(serviceIds(await list())).toEqual([member.serviceId]);
    expect(serviceIds(await list(administrator))).toEqual([other.owner.serviceId, member.serviceId]);
    expect(serviceIds(await w.call('listIdentities', acme.owner))).not.toContain(other.owner.serviceId);
    expect(serviceIds(await w.call('listIdentities', acme.owner))).toContain(member.serviceId);
  });

  it('identities are found by part of the identifier and by resources that they hold roles on', async () => {
    const { acme } = w;
    const member = await w.member(acme, 'viewer', acme.tenant.projectUid);
    const { identifier } = await w.call('getIdentity', acme.owner, {
      params: { id: member.serviceId },
      query: { filter_by: 'SERVICE_ID' },
    });
    const searchCriteria = identifier.slice(-12);
    expect(serviceIds(await w.call('searchIdentities', acme.owner, { params: { searchCriteria } }))).toEqual([
      member.serviceId,
    ]);
    expect(await w.call('searchIdentities', w.other.owner, { params: { searchCriteria } })).toEqual([]);
    expect(await w.call('searchIdentities', acme.owner, { params: { searchCriteria: '%' } })).toEqual([]);
    const within = async (resources: string[]) =>
      serviceIds(
        await w.call('searchIdentitiesInResources', acme.owner, {
          params: { searchCriteria },
          query: { resources },
        }),
      );
    expect(await within([acme.projectId])).toEqual([member.serviceId]);
    expect(await within([acme.organizationId])).toEqual([]);
    expect(await within([])).toEqual([]);
    const ofResource = await w.call('listIdentitiesOfResource', acme.owner, {
      params: { resourceId: acme.projectId },
    });
    expect(serviceIds(ofResource)).toContain(member.serviceId);
    await expectProblem(
      w.call('listIdentitiesOfResource', acme.owner, { params: { resourceId: w.other.projectId } }),
      'not-found',
    );
  });

  it('the current user is the identity of the caller', async () => {
    expect((await w.call('getCurrentUser', w.acme.owner)).serviceId).toBe(w.acme.owner.serviceId);
  });

  it('changing another identity’s profile, configuration or image requires a permission', async () => {
    const { acme } = w;
    const member = await w.member(acme, 'viewer', acme.tenant.projectUid);
    const viewer = await w.member(acme, 'viewer', acme.tenant.projectUid);
    const params = { serviceId: member.serviceId };
    const items = [{ key: 'theme', value: 'dark' }];
    const data = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    const changes = [
      ['updateIdentityConfig', { items }, { items }],
      ['updateIdentityProfile', { displayName: 'M' }, { displayName: 'M' }],
      ['setIdentityImage', { data, format: 'svg' }, { displayName: 'M' }],
    ] as const;
    for (const [operation, body, answer] of changes) {
      expect(await w.call(operation, member, { params, body })).toEqual(answer);
      expect(await w.call(operation, acme.owner, { params, body })).toEqual(answer);
      await expectProblem(w.call(operation, viewer, { params, body }), 'not-permitted');
      await expectProblem(w.call(operation, w.other.owner, { params, body }), 'not-found');
    }
    const { identityProfile } = await w.call('getCurrentUser', member);
    expect(identityProfile.imageURL).toMatch(/^https:\/\/ledger\.example\/v1\/images\/[0-9a-f-]+$/);
    const [row] = await w.here.store.read.all('select config from identity where service_id = $1', [
      member.serviceId,
    ]);
    expect(row).toEqual({ config: JSON.stringify(items) });
  });

  it('enabling or disabling an identity takes effect immediately', async () => {
    const { acme, here, administrator } = w;
    const account = await w.call('createServiceAccount', acme.owner, { body: { name: 'Robot' } });
    const { apiToken } = await w.call('createServiceAccountApiToken', acme.owner, {
      params: { accountId: account.accountId },
    });
    const token = () =>
      here.auth.issueToken(acme.tenant.form({ service_account: account.accountId, client_secret: apiToken }));
    await token();
    const set = (status: string, principal = acme.owner) =>
      w.call('updateIdentityStatus', principal, { params: { id: account.serviceId }, query: { status } });
    for (const status of ['DISABLED', 'LOCKED', 'PENDING']) {
      expect((await set(status)).status).toBe(status);
      await expect(token()).rejects.toThrow();
    }
    expect((await set('ENABLED')).status).toBe('ENABLED');
    await token();
    await expectProblem(set('GONE'), 'invalid-request');
    await expectProblem(set('DISABLED', w.other.owner), 'not-found');
    const viewer = await w.member(acme, 'viewer', acme.tenant.projectUid);
    await expectProblem(set('DISABLED', viewer), 'not-permitted');
    // Everyone may change their own name. To change their own status, they need the permission.
    const itself = { params: { id: viewer.serviceId }, query: { status: 'DISABLED' } };
    await expectProblem(w.call('updateIdentityStatus', viewer, itself), 'not-permitted');
    const named = { params: { serviceId: viewer.serviceId }, body: { displayName: 'Myself' } };
    expect(await w.call('updateIdentityProfile', viewer, named)).toMatchObject({ displayName: 'Myself' });
    const person = await create({ identifier: 'eve@example.com' });
    await here.change((tx) =>
      here.auth.assignRole(tx, {
        holder: { identity: person.serviceId },
        role: 'viewer',
        resourceUid: acme.tenant.projectUid,
      }),
    );
    // A person may also belong to other organizations, so only the installation's administrator decides.
    const request = { params: { id: person.serviceId }, query: { status: 'DISABLED' } };
    await expectProblem(w.call('updateIdentityStatus', acme.owner, request), 'not-permitted');
    expect((await w.call('updateIdentityStatus', administrator, request)).status).toBe('DISABLED');
  });
});
