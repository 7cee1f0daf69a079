// Storage limits of organizations, over HTTP.
import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, addTwoTenants, type Installation, install, logIn, type Tenant } from '../stage/api.ts';

interface Limit {
  limit: string;
  used: number | null;
  most: number;
  unit: string;
  setBy: string;
}
interface Limits {
  items: Limit[];
}

let here: Installation;
let admin: Api;
let one: Tenant;
let other: Tenant;

beforeAll(async () => {
  here = await install();
  admin = await logIn(here.url, here.administrator);
  ({ one, other } = await addTwoTenants(here));
});
afterAll(() => here?.close());

const pathOf = ({ organizationId }: Tenant) => `/v1/admin/organizations/${organizationId}/storage-limits`;
async function limitOf(api: Api, tenant: Tenant, name: string) {
  const { items } = await api.expect<Limits>(200, 'GET', pathOf(tenant));
  return items.find(({ limit }) => limit === name);
}
const set = (tenant: Tenant, name: string, most: number | null) =>
  admin.expect<Limits>(200, 'PUT', `${pathOf(tenant)}/${name}`, { most });
const createApp = (tenant: Tenant, status: number, name: string) =>
  tenant.api.expect<object>(status, 'POST', '/v1/admin/apps', { name, projectId: tenant.projectId });

describe('a storage limit', () => {
  test('a record beyond a storage limit is refused with the limit’s name, the usage and the remedy', async () => {
    const before = await limitOf(one.api, one, 'apps');
    expect(before).toMatchObject({
      used: expect.any(Number),
      most: 5_000,
      unit: 'records',
      setBy: 'default',
    });
    const used = before?.used ?? 0;
    await set(one, 'apps', used + 1);
    await createApp(one, 201, 'last');
    expect(await createApp(one, 422, 'too many')).toMatchObject({
      type: 'urn:ledger-ops:problem:storage-limit',
      ...{ limit: 'apps', used: used + 1, most: used + 1 },
      detail: expect.stringContaining('ask an administrator of the installation to raise the limit'),
    });
    await createApp(other, 201, 'another');
    expect(await limitOf(one.api, one, 'apps')).toMatchObject({
      ...{ used: used + 1, most: used + 1, setBy: 'organization' },
    });
    await set(one, 'apps', null);
    await createApp(one, 201, 'more');
  });

  test('organizations without their own storage limit have the installation’s default, set only by administrators', async () => {
    const path = '/v1/admin/storage-limits';
    await admin.expect(200, 'PUT', `${path}/explorers`, { most: 7 });
    expect(await limitOf(other.api, other, 'explorers')).toMatchObject({ most: 7, setBy: 'installation' });
    await admin.expect(200, 'PUT', `${path}/explorers`, { most: null });
    expect(await limitOf(other.api, other, 'explorers')).toMatchObject({ most: 1_000, setBy: 'default' });
    await admin.expect(400, 'PUT', `${path}/explorers`, { most: -1 });
    await admin.expect(400, 'PUT', `${path}/unknown`, { most: 1 });
    expect((await one.api.call('GET', path)).status).toBe(404);
    expect((await one.api.call('PUT', `${path}/explorers`, { most: 9 })).status).toBe(404);
    expect((await one.api.call('PUT', `${pathOf(one)}/explorers`, { most: 9 })).status).toBe(404);
    expect((await one.api.call('GET', pathOf(other))).status).toBe(404);
  });

  test('the storage limit counts the webhooks of all projects of an organization, except deleted ones', async () => {
    const create = (status: number, tenant = one) =>
      tenant.api.expect<{ id: string; limit?: string }>(status, 'POST', '/v1/webhooks', {
        url: 'https://hooks.example.com/x',
      });
    await set(one, 'webhooks', 2);
    const first = await create(201);
    await create(201);
    expect(await create(422)).toMatchObject({ limit: 'webhooks', used: 2, most: 2 });
    await create(201, other);
    expect(await limitOf(one.api, one, 'webhooks')).toMatchObject({ used: 2, most: 2 });
    await one.api.expect(204, 'DELETE', `/v1/webhooks/${first.id}`);
    expect(await limitOf(one.api, one, 'webhooks')).toMatchObject({ used: 1 });
    await create(201);
    await create(422);
    await set(one, 'webhooks', null);
  });

  test('the storage limit counts the stored bytes of template versions, excluding unknown members', async () => {
    const templates = '/v1/contract-templates';
    await one.api.expect(201, 'POST', templates, { templateId: 'large', name: 'Large' });
    const before = (await limitOf(one.api, one, 'document-bytes'))?.used ?? 0;
    const code = {
      ...{ abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
      unknown: 'x'.repeat(2_000_000),
    };
    const add = (status: number, version: string) =>
      one.api.expect(status, 'POST', `${templates}/large/versions`, { version, code });
    await add(201, '1');
    const bytes = ((await limitOf(one.api, one, 'document-bytes'))?.used ?? 0) - before;
    expect(bytes).toBeGreaterThan(tokenTemplate.code.length);
    expect(bytes).toBeLessThan(100_000);
    await set(one, 'document-bytes', before + bytes + 10);
    expect(await add(422, '2')).toMatchObject({ limit: 'document-bytes', used: before + bytes });
    await one.api.expect(404, 'GET', `${templates}/large/versions/2`);
    await set(one, 'document-bytes', null);
  });

  test('the storage limit counts responses that are stored for their Idempotency-Key', async () => {
    const used = async () => (await limitOf(one.api, one, 'response-bytes'))?.used ?? 0;
    const create = (headers: Record<string, string>) => {
      const template = { name: 'Described', description: 'x'.repeat(4_000) };
      return one.api.call('POST', '/v1/contract-templates', template, headers);
    };
    const withKey = () => create({ 'Idempotency-Key': randomUUID() });
    const before = await used();
    expect(await withKey()).toMatchObject({ status: 201 });
    const bytes = (await used()) - before;
    expect(bytes).toBeGreaterThan(4_000);
    await set(one, 'response-bytes', before + 2 * bytes);
    expect(await withKey()).toMatchObject({ status: 201 });
    expect(await withKey()).toMatchObject({ status: 422, body: { limit: 'response-bytes' } });
    // Without a key, nothing is stored.
    expect(await create({})).toMatchObject({ status: 201 });
    await set(one, 'response-bytes', null);
  });

  test('lookup terms and properties count toward the same storage limit', async () => {
    const manager = '/v1/resource-manager';
    const { appId = '', serviceId = '', projectUuid = '' } = one;
    const before = (await limitOf(one.api, one, 'details'))?.used ?? 0;
    await set(one, 'details', before + 3);
    const addTerm = (status: number, value: string) =>
      one.api.expect<object>(status, 'POST', `${manager}/resources/${projectUuid}/lookup-terms`, { value });
    await addTerm(201, 'first');
    await addTerm(201, 'second');
    const property = { identity: { serviceId }, app: { appId }, name: 'plan', value: 'basic' };
    await one.api.expect(201, 'POST', `${manager}/app-identity-properties`, property);
    expect(await addTerm(422, 'third')).toMatchObject({ limit: 'details', used: before + 3 });
    expect(await limitOf(one.api, one, 'details')).toMatchObject({ used: before + 3, unit: 'records' });
    await set(one, 'details', null);
    await addTerm(201, 'third');
  });

  test('a revoked role no longer counts toward the storage limit', async () => {
    const { projectUuid = '', projectId = '' } = one;
    const accounts = '/v1/service-accounts';
    const { serviceId = '' } = await one.api.expect<{ serviceId?: string }>(201, 'POST', accounts, {
      ...{ name: 'Guest', projectId },
    });
    const used = async () => (await limitOf(one.api, one, 'roles'))?.used ?? 0;
    const before = await used();
    const grants = '/v1/admin/role-grants';
    const body = { serviceId, resourceId: projectUuid, role: 'viewer' };
    await one.api.expect(201, 'POST', grants, body);
    expect(await used()).toBe(before + 1);
    await one.api.expect(202, 'DELETE', `${grants}/${projectUuid}/${serviceId}/viewer`);
    expect(await used()).toBe(before);
  });
});
