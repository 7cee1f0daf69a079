import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

const second = { ...ethereumAdapter, name: 'ethereum-again' };
let here: Installation;
let tenant: Tenant;
let administrator: Api;
beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum' }, [second]);
  tenant = await addTenant(here.url, here.administrator, 'built');
  administrator = await logIn(here.url, here.administrator);
});
afterAll(() => here?.close());

interface Page {
  pageContent: { id: string; pluginId?: string; tags: unknown[] }[];
}
const listed = async (path: string) => (await tenant.api.call<Page>('GET', path)).body.pageContent;

const builtIn = {
  id: 'ethereum',
  name: 'ethereum',
  url: 'built-in:ethereum',
  projectId: 'system',
  active: true,
  version: ethereumAdapter.version,
  tags: ['ethereum'],
  integrity: null,
  hasCredentials: false,
};

test('built-in plugins are in the current and the deprecated listing, and can be read by id with their health', async () => {
  const plugins = await listed(`/v1/plugins?project=${tenant.projectId}`);
  expect(plugins).toMatchObject([builtIn, { id: 'ethereum-again', tags: ['ethereum', 'ethereum-again'] }]);
  const legacy = await listed(`/v1/legacy-plugins?project=${tenant.projectId}`);
  expect(legacy.map(({ pluginId }) => pluginId)).toEqual(['ethereum', 'ethereum-again']);
  const { body } = await tenant.api.call('GET', '/v1/plugins/ethereum');
  expect(body).toMatchObject({ ...builtIn, health: { loaded: true, version: ethereumAdapter.version } });
});

test('a request can name a built-in plugin by pluginId, unless the project has a plugin with this id', async () => {
  const { walletId, walletAddress } = await addWallet(here, tenant, 'payer');
  const { glo, walletPassword } = transferBody(walletId, walletAddress);
  const { recipient, amount } = glo.options;
  const params = [{ value: recipient }, { value: amount }];
  const callThrough = (plugin: string) => ({
    ...{ ledgerId: 'chain', method: 'transfer', params },
    options: { service: { walletId, walletPassword }, plugin },
  });
  const path = '/v1/ledger-ops/ledger-call';
  for (const { id } of await listed(`/v1/plugins?project=${tenant.projectId}`)) {
    const { actionId = '' } = await tenant.api.expect(201, 'POST', path, callThrough(id));
    expect(await ended(tenant.api, actionId)).toMatchObject({ status: 'SUCCEEDED' });
  }
  expect((await tenant.api.call('POST', path, callThrough('no-such'))).status).toBe(422);
  const own = {
    ...{ pluginId: 'ethereum', name: 'own', project: tenant.projectId },
    ...{ pluginURL: 'npm:@ledger-ops/plugin-ethereum', tags: [{ name: 'own' }] },
  };
  await tenant.api.expect(201, 'POST', '/v1/legacy-plugins', own);
  expect((await tenant.api.call('GET', '/v1/plugins/ethereum')).body).toMatchObject({ name: 'own' });
});

test('no caller can change a built-in plugin over HTTP, and the error says why', async () => {
  const change = { active: false, name: 'other', url: 'npm:@ledger-ops/plugin-ethereum' };
  const path = '/v1/plugins/ethereum-again';
  const requests = [
    ['PUT', path, change],
    ['DELETE', path, undefined],
    ['POST', `${path}/tags`, { tags: ['x'] }],
    ['DELETE', `${path}/tags?tags=ethereum`, undefined],
  ] as const;
  for (const [method, at, body] of requests) {
    const refused = await administrator.call<{ detail: string }>(method, at, body);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'The plugin ethereum-again is built into the server and cannot be changed. Register your own plugin instead.',
    ]);
    expect((await tenant.api.call(method, at, body)).status).toBe(403);
  }
  const pretended = { name: 'x', url: 'built-in:ethereum', projectId: 'system' };
  expect((await administrator.call('POST', '/v1/plugins', pretended)).status).toBe(400);
  expect((await tenant.api.call('GET', path)).body).toMatchObject({ active: true, name: 'ethereum-again' });
});
