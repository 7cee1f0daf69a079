// In a project, an id that a client chooses names only one record of its kind, regardless of the operation
// that created it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';

let here: Installation;
let tenant: Tenant;
beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum' });
  tenant = await addTenant(here.url, here.administrator, 'ids');
  await tenant.api.expect(201, 'POST', '/v1/ledgers', ledgerBody('ids-ledger'));
  await here.anvil.rpc('anvil_setCode', [contractAddress, '0x00']);
});
afterAll(() => here?.close());

const contractAddress = '0x00000000000000000000000000000000000000bb';

const ledgerBody = (id: string) => ({
  ledgerID: id,
  name: id,
  ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
});

interface Kind {
  /** Type name of the resource that represents the record. */
  type: string;
  path: () => string;
  body: (id: string) => object;
  /** The pointer to the id in the body of the record's own operation. */
  pointer: string;
}

const kinds: Kind[] = [
  {
    type: 'cloud-wallet',
    path: () => '/v1/cloud-wallet/wallets',
    body: (id) => ({
      walletId: id,
      ledgerId: 'chain',
      pluginParameters: { walletPassword: 'correct horse battery staple' },
    }),
    pointer: '/walletId',
  },
  {
    type: 'wallet',
    path: () => '/v1/cloud-wallet/wallets',
    body: (id) => ({
      walletId: id,
      ledgerId: 'chain',
      pluginParameters: { walletPassword: 'correct horse battery staple' },
    }),
    pointer: '/walletId',
  },
  { type: 'ledger', path: () => '/v1/ledgers', body: ledgerBody, pointer: '/ledgerID' },
  {
    type: 'node',
    path: () => '/v1/nodes',
    body: (id) => ({ nodeID: id, ledgerID: 'ids-ledger', options: { uri: here.anvil.url } }),
    pointer: '/nodeID',
  },
  {
    type: 'explorer',
    path: () => '/v1/explorers',
    body: (id) => ({ explorerID: id, ledgerID: 'ids-ledger', name: id }),
    pointer: '/explorerID',
  },
  {
    type: 'smart-contract-template',
    path: () => '/v1/smart-contracts/templates',
    body: (id) => ({ contractTemplateID: id, name: id }),
    pointer: '/contractTemplateID',
  },
  {
    type: 'smart-contract-instance',
    path: () => '/v1/smart-contracts',
    body: (id) => ({
      contractInstanceID: id,
      name: id,
      ledgerID: 'chain',
      properties: [
        { type: { name: 'address' }, value: contractAddress },
        { type: { name: 'abi' }, value: '[]' },
      ],
    }),
    pointer: '/contractInstanceID',
  },
  {
    type: 'app',
    path: () => '/v1/apps',
    body: (id) => ({ appId: id, name: id, projectId: tenant.projectId }),
    pointer: '/appId',
  },
];

/** Returns the id and the resource in the response that the caller gets. */
const named = async (id: string) => {
  const { status, body } = await tenant.api.call<{ resourceID?: string }>(
    'GET',
    `/v1/resource-manager/resources/${id}`,
  );
  return [status, body.resourceID];
};

describe.each(kinds)('$type', ({ type, path, body, pointer }) => {
  const resource = (id: string) =>
    tenant.api.call('POST', '/v1/resource-manager/resources', { id, type, properties: {} });
  const record = (id: string) =>
    tenant.api.call<{ errors?: { pointer: string }[] }>('POST', path(), body(id));

  test('a record cannot get the id of a resource', async () => {
    const id = `resource-first-${type}`;
    expect((await resource(id)).status).toBe(201);
    const second = await record(id);
    expect([second.status, second.body]).toMatchObject([
      409,
      { errors: [{ pointer, detail: 'already exists' }] },
    ]);
    expect(await named(id)).toEqual([200, id]);
  });

  test('a resource cannot get the id of a record', async () => {
    const id = `record-first-${type}`;
    expect(await record(id)).toMatchObject({ status: 201 });
    expect((await resource(id)).status).toBe(409);
    expect(await named(id)).toEqual([200, id]);
  });

  test('concurrent creation of a record and a resource with the same id creates one of them', async () => {
    const id = `together-${type}`;
    const answers = await Promise.all([resource(id), record(id), resource(id), record(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(await named(id)).toEqual([200, id]);
  });
});
