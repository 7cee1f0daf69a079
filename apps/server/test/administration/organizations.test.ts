import { expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { type World, world } from './world.ts';

const bytes = {
  png: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), Buffer.alloc(20)]),
  jpeg: Buffer.from('\xff\xd8\xff\xe0 jpeg', 'latin1'),
  webp: Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'),
  svg: Buffer.from('<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>'),
};

describeStores('organizations, projects and apps', (open) => {
  let w: World;
  beforeAll(async () => {
    w = await world(await open());
  });
  const organization = (body: object, query = {}, principal = w.administrator) =>
    w.call('createOrganization', principal, { body: { name: 'New', ...body }, query });

  it('the administrator creates organizations, and owns them by default', async () => {
    const owned = await organization({ organizationID: 'owned', id: 9, resourceUUID: 'x' });
    expect(owned).toMatchObject({
      organizationID: 'owned',
      resourceId: 'owned',
      name: 'New',
      imageURL: null,
    });
    expect(owned.resourceUUID).not.toBe('x');
    const free = await organization({ organizationID: 'free' }, { assignAuthenticatedUser: 'false' });
    const ids = async (query: object) =>
      (await w.call('listOrganizations', w.administrator, { query })).pageContent.map(
        (one) => one.organizationID,
      );
    expect(await ids({})).toContain('owned');
    expect(await ids({})).not.toContain('free');
    expect(await ids({ all: 'true' })).toEqual(
      expect.arrayContaining(['owned', 'free', w.acme.organizationId]),
    );
    expect(await ids({ all: 'true', resourceId: 'free' })).toEqual(['free']);
    expect(await w.call('getOrganization', w.administrator, { params: { organizationId: 'free' } })).toEqual(
      free,
    );
    await expectProblem(organization({ organizationID: 'owned' }), 'already-exists');
    await expectProblem(organization({}, {}, w.acme.owner), 'not-permitted');
    expect((await problemOf(organization({ organizationID: 'a b' }))).errors[0]?.pointer).toBe(
      '/organizationID',
    );
    await expectProblem(organization({}, { assignAuthenticatedUser: 'maybe' }), 'invalid-request');
  });

  it('requests for other tenants’ organizations get the response for unknown ids', async () => {
    const page = await w.call('listOrganizations', w.acme.owner, { query: { all: 'true' } });
    expect(page.pageContent.map((one) => one.organizationID)).toEqual([w.acme.organizationId]);
    const request = { params: { organizationId: w.other.organizationId } };
    await expectProblem(w.call('getOrganization', w.acme.owner, request), 'not-found');
  });

  it('projects are created and listed in an organization', async () => {
    const { owner, organizationId } = w.acme;
    const create = (body: object, principal = owner) =>
      w.call('createProject', principal, { body: { name: 'P', ...body } });
    const made = await create({ projectID: 'p-1', organization: { organizationID: organizationId } });
    expect(made).toMatchObject({
      projectID: 'p-1',
      resourceId: 'p-1',
      organization: { organizationID: organizationId },
    });
    await create({ projectID: 'p-2', organization: { resourceId: organizationId } });
    const list = async (organization: string, query = {}) =>
      (await w.call('listProjects', owner, { query: { organization, ...query } })).pageContent.map(
        (one) => one.projectID,
      );
    expect(await list(organizationId)).toEqual([w.acme.projectId, 'p-1', 'p-2']);
    expect(await list(organizationId, { sort: ['projectID', 'desc'] })).toEqual(
      (await list(organizationId)).toSorted().reverse(),
    );
    expect(await list(organizationId, { resourceId: 'p-2' })).toEqual(['p-2']);
    expect(await list(w.other.organizationId)).toEqual([]);
    expect(await list('nowhere')).toEqual([]);
    expect(await w.call('getProject', owner, { params: { projectId: made.resourceUUID } })).toEqual(made);
    await expectProblem(create({ projectID: 'p-1', organization: organizationId }), 'already-exists');
    await expectProblem(create({ organization: w.other.organizationId }), 'not-found');
    await expectProblem(w.call('getProject', w.other.owner, { params: { projectId: 'p-1' } }), 'not-found');
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.organizationUid);
    await expectProblem(create({ organization: organizationId }, viewer), 'not-permitted');
  });

  it('apps are created, changed, found by their token, and listed by project', async () => {
    const { owner, projectId, tenant } = w.acme;
    const redirectUris = ['https://a.example/cb'];
    const made = await w.call('createApp', owner, {
      body: {
        name: 'Shop',
        appId: 'shop',
        projectId,
        appURL: 'https://shop.example',
        redirectUris,
        imageURL: 'x',
        status: 'x',
        tokenHash: 'x',
      },
    });
    expect(made).toMatchObject({
      appId: 'shop',
      projectId,
      appURL: 'https://shop.example',
      imageURL: null,
      redirectUris,
    });
    const update = (body: object, principal = owner) =>
      w.call('updateApp', principal, { params: { appId: 'shop' }, body });
    const changed = await update({
      name: 'Store',
      appURL: null,
      appId: 'other',
      projectId: w.other.projectId,
    });
    expect(changed).toEqual({ ...made, name: 'Store', appURL: null });
    expect(await update({ redirectUris: [] })).toMatchObject({ redirectUris: [] });
    for (const [body, pointer] of [
      [{ appURL: 'javascript:alert(1)' }, '/appURL'],
      [{ redirectUris: ['http://shop.example'] }, '/redirectUris/0'],
      [{ name: '' }, '/name'],
    ] as const) {
      expect((await problemOf(update(body))).errors[0]?.pointer).toBe(pointer);
    }
    const viewer = await w.member(w.acme, 'viewer', tenant.projectUid);
    await expectProblem(update({}, viewer), 'not-permitted');
    await expectProblem(update({}, w.other.owner), 'not-found');

    const issued = await w.call('issueAppToken', owner, { params: { appId: 'shop' } });
    expect(issued.appToken).toMatch(/^app_[A-Za-z0-9_-]{43}$/);
    const byToken = (appToken: string, principal = owner) =>
      w.call('getAppByToken', principal, { params: { appToken } });
    expect((await byToken(issued.appToken)).appId).toBe('shop');
    expect((await w.here.auth.authenticateApp(new Secret(issued.appToken))).appId).toBe('shop');
    await expectProblem(byToken(issued.appToken, w.other.owner), 'not-found');
    const next = await w.call('issueAppToken', owner, { params: { appId: 'shop' } });
    await expectProblem(byToken(issued.appToken), 'not-found');
    expect((await byToken(next.appToken)).appId).toBe('shop');
    await expectProblem(w.call('issueAppToken', viewer, { params: { appId: 'shop' } }), 'not-permitted');
    const beside = () =>
      w.call('issueAppToken', owner, { params: { appId: 'shop' }, query: { keepFormer: 'true' } });
    // The token in use stays valid, even if the response with the new one is lost repeatedly.
    const [lost, last] = [await beside(), await beside()];
    await expectProblem(byToken(lost.appToken), 'not-found');
    for (const { appToken } of [next, last]) {
      expect(await byToken(appToken)).toMatchObject({ appId: 'shop', formerToken: true });
      expect((await w.here.auth.authenticateApp(new Secret(appToken))).appId).toBe('shop');
    }
    const end = (principal = owner) => w.call('endFormerAppToken', principal, { params: { appId: 'shop' } });
    await expectProblem(end(viewer), 'not-permitted');
    await expectProblem(end(w.other.owner), 'not-found');
    await end();
    await expectProblem(byToken(next.appToken), 'not-found');
    await expectProblem(w.here.auth.authenticateApp(new Secret(next.appToken)), 'application-token-invalid');
    await end();
    expect(await byToken(last.appToken)).toMatchObject({ appId: 'shop', formerToken: false });
    // Without keepFormer, a leaked token and all earlier ones become invalid immediately.
    const [both, alone] = [
      await beside(),
      await w.call('issueAppToken', owner, { params: { appId: 'shop' } }),
    ];
    for (const { appToken } of [last, both]) await expectProblem(byToken(appToken), 'not-found');
    expect(await byToken(alone.appToken)).toMatchObject({ formerToken: false });

    const list = async (principal = owner) =>
      (await w.call('listAppsOfProject', principal, { params: { project: projectId } })).pageContent.map(
        (one) => one.appId,
      );
    expect(await list()).toEqual([tenant.app.appId, 'shop']);
    expect(await list(w.other.owner)).toEqual([]);
    expect(await w.call('getApp', owner, { params: { appId: 'shop' } })).toMatchObject({ name: 'Store' });
  });

  it('images are served with the type of their bytes, up to 1 MB, to callers that can see their owner', async () => {
    const { owner, organizationId, tenant } = w.acme;
    const set = (body: object, principal = owner) =>
      w.call('setOrganizationImage', principal, { params: { organizationId }, body });
    for (const [format, image] of Object.entries(bytes)) {
      const { imageURL } = await set({ format, data: image.toString('base64') });
      const imageId = imageURL.split('/').at(-1) ?? '';
      const served = await w.admin.images.get(owner, imageId);
      expect(Buffer.from(served.bytes).equals(image)).toBe(true);
      expect(served.disposition).toBe(format === 'svg' ? 'attachment' : 'inline');
      expect(served.contentType).toMatch(/^image\//);
      await expectProblem(w.admin.images.get(w.other.owner, imageId), 'not-found');
      for (const wrong of Object.keys(bytes).filter((one) => one !== format)) {
        const problem = await problemOf(set({ format: wrong, data: image.toString('base64') }));
        expect(problem.errors[0]?.pointer).toBe('/data');
      }
    }
    const largest = Buffer.concat([bytes.png, Buffer.alloc(1_048_576 - bytes.png.length)]);
    await set({ format: 'png', data: largest.toString('base64') });
    const refused = [
      { format: 'png', data: Buffer.concat([largest, Buffer.alloc(1)]).toString('base64') },
      { format: 'png', data: `${bytes.png.toString('base64')}*` },
      { format: 'gif', data: Buffer.from('GIF89a').toString('base64') },
      { format: 'svg', data: Buffer.from('<html><svg></svg></html>').toString('base64') },
      { format: 'svg', data: Buffer.from('<!DOCTYPE svg><svg></svg>').toString('base64') },
      { format: 'svg', data: Buffer.from('<!-- <svg>').toString('base64') },
      { format: 'png', data: '' },
    ];
    for (const body of refused) await expectProblem(set(body), 'invalid-request');
    // An owner has one image: the former one is deleted.
    const rows = await w.here.store.read.all('select uid from image where owner = $1', [
      `resource:${tenant.organizationUid}`,
    ]);
    expect(rows).toHaveLength(1);
    const viewer = await w.member(w.acme, 'viewer', tenant.organizationUid);
    await expectProblem(set({ format: 'png', data: bytes.png.toString('base64') }, viewer), 'not-permitted');
    const app = await w.call('setAppImage', owner, {
      params: { appId: tenant.app.appId },
      body: { format: 'png', data: bytes.png.toString('base64') },
    });
    expect(app.imageURL).toMatch(/\/v1\/images\//);
    await expectProblem(w.admin.images.get(owner, 'none'), 'not-found');
  });
});
