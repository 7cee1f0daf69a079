// What one tenant learns of another: nothing, by any id that it sends.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTenant, addWallet, type Installation, install, logIn, type Tenant } from './api.ts';

let here: Installation;
let owner: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum' });
  owner = await addTenant(here.url, here.administrator, 'owner');
  stranger = await addTenant(here.url, here.administrator, 'stranger');
});
afterAll(() => here.close());

/** What a stranger is answered for an id, with the id itself and the request's own out of it. */
async function told(method: string, path: (id: string) => string, id: string, body?: (id: string) => object) {
  const { status, text } = await stranger.api.call(method, path(id), body?.(id));
  return `${status} ${text.replaceAll(id, '<id>')}`;
}

const plugin = { name: 'x', url: 'npm:@ledger-ops/plugin-ethereum' };
const ethereum = { ledgerTechnology: { ledgerTechnologyID: 'ethereum' } };
const invented = 'never-was';

describe('an id of another tenant is answered to the letter as one that never was', () => {
  const inBody: [string, string, (id: string) => object][] = [
    ['a plugin', '/v1/plugins', (projectId) => ({ ...plugin, projectId })],
    ['an older plugin', '/v1/legacy-plugins', (project) => ({ name: 'x', pluginURL: plugin.url, project })],
    ['a ledger', '/v1/ledgers', (projectId) => ({ name: 'x', projectId, ...ethereum })],
    ['an explorer', '/v1/explorers', (projectId) => ({ name: 'x', projectId, ledgerID: 'chain' })],
    ['a contract group', '/v1/contract-groups', (projectId) => ({ name: 'x', projectId })],
    [
      'a contract',
      '/v1/smart-contracts',
      (projectId) => ({
        projectId,
        ledgerID: 'chain',
        properties: [
          { type: { name: 'address' }, value: `0x${'a'.repeat(40)}` },
          { type: { name: 'abi' }, value: [] },
        ],
      }),
    ],
    ['a template', '/v1/smart-contracts/templates', (projectId) => ({ projectId, name: 'x' })],
    [
      'a token',
      '/v1/smart-contracts/tokens',
      (projectId) => ({ projectId, name: 'x', ticker: 'X', contractInstance: { contractInstanceID: 'x' } }),
    ],
    ['an application', '/v1/apps', (projectId) => ({ name: 'x', projectId })],
    ['a service account', '/v1/service-accounts', (project) => ({ name: 'x', project })],
  ];
  test.each(inBody)('as the project of %s', async (_, path, body) => {
    for (const id of [owner.projectId, owner.projectUuid]) {
      const answer = await told('POST', () => path, id, body);
      expect(answer).toBe(await told('POST', () => path, invented, body));
      expect(answer).toMatch(/^404 /);
    }
  });

  const listings = [
    ...[
      '/v1/plugins',
      '/v1/legacy-plugins',
      '/v1/ledgers',
      '/v1/ledgers/featured',
      '/v1/nodes',
      '/v1/explorers',
    ],
    ...['/v1/smart-contracts', '/v1/smart-contracts/templates', '/v1/contract-groups'],
  ];
  test.each(listings)('as the project of the listing %s', async (path) => {
    for (const id of [owner.projectId, owner.projectUuid]) {
      const answer = await told('GET', (one) => `${path}?project=${one}`, id);
      expect(answer).toBe(await told('GET', (one) => `${path}?project=${one}`, invented));
      expect(answer).toMatch(/^200 /);
    }
  });
});

test('a contract group, a contract and a wallet that may not be seen are answered as ones that never were', async () => {
  const group = await owner.api.expect(201, 'POST', '/v1/contract-groups', {
    name: 'hidden',
    projectId: owner.projectId,
  });
  const groupId = group.groupId ?? '';
  const unknown = randomUUID();
  for (const [method, tail, body] of [
    ['GET', '', undefined],
    ['GET', '/instances', undefined],
    ['GET', '/instances/x', undefined],
    ['PUT', '', () => ({ name: 'x' })],
    ['DELETE', '', undefined],
    [
      'POST',
      '/instances',
      () => ({
        name: 'x',
        interface: '[]',
        ledgerReference: { ledgerId: 'chain', nativeReference: `0x${'a'.repeat(40)}` },
      }),
    ],
  ] as const) {
    const path = (id: string) => `/v1/contract-groups/${id}${tail}`;
    const answer = await told(method, path, groupId, body);
    expect(answer).toBe(await told(method, path, unknown, body));
    expect(answer).toMatch(/^404 /);
  }

  // In one project, too: somebody without a role on the wallet.
  await addWallet(here, owner, 'hidden-wallet');
  const account = await owner.api.expect(201, 'POST', '/v1/service-accounts', {
    name: 'nobody',
    accountId: 'nobody',
    project: owner.projectId,
  });
  const { apiToken = '' } = await owner.api.expect(
    201,
    'POST',
    `/v1/service-accounts/${account.accountId}/api-tokens`,
  );
  const nobody = await logIn(here.url, { ...owner, accountId: 'nobody', apiToken });
  const ask = async (walletId: string) => {
    const { status, text } = await nobody.call('GET', `/v1/cloud-wallet/wallets/${walletId}`);
    return `${status} ${text.replaceAll(walletId, '<id>')}`;
  };
  expect(await ask('hidden-wallet')).toBe(await ask('never-was'));
  expect(await ask('hidden-wallet')).toMatch(/^404 /);
});

test('the health of a plugin is that of the record which its path names for the caller', async () => {
  const make = (tenant: Tenant, project: string, tags: string[]) =>
    tenant.api.expect(201, 'POST', '/v1/legacy-plugins', {
      name: 'twin',
      pluginId: 'twin',
      pluginURL: 'npm:@ledger-ops/plugin-ethereum',
      project,
      tags: tags.map((name) => ({ name })),
    });
  await make(owner, owner.projectId, ['ethereum']);
  await addWallet(here, owner, 'made-by-twin');
  const health = async ({ api }: Tenant) =>
    (await api.expect<{ health: object }>(200, 'GET', '/v1/plugins/twin')).health;
  expect(await health(owner)).toMatchObject({ loaded: true });

  const second = await stranger.api.expect(201, 'POST', '/v1/projects', { name: 'Second' });
  await make(stranger, second.projectID ?? '', []);
  expect(await health(stranger)).toMatchObject({ loaded: false, version: null });
});
