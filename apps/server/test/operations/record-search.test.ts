// Searches all records over HTTP, on both databases.
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Api,
  addTokenTemplate,
  addTwoTenants,
  ended,
  type Installation,
  install,
  send,
  type Tenant,
} from '../stage/api.ts';

interface Result {
  kind: string;
  id: string;
  name: string | null;
  action?: { status: string };
}

const intent = '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10';

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

describe.each(['sqlite', 'postgres'])('on %s', (dialect) => {
  let here: Installation;
  let one: Tenant;
  let other: Tenant;
  let rent: string;
  let locator: string;
  let address: string;
  let deployed: string;
  let contract: string;
  beforeAll(async () => {
    here = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() });
    ({ one, other } = await addTwoTenants(here));
    await addTokenTemplate(one.api, 'coin');
    rent = await send(one, 'payer', { tag: 'rent/april', intent });
    await ended(one.api, await send(one, 'payer', { tag: 'rent/may' }));
    await ended(other.api, await send(other, 'foreign', { tag: 'rent/foreign', intent }));
    ({ locator = '' } = await ended(one.api, rent));
    ({ walletAddress: address = '' } = await one.api.expect(200, 'GET', '/v1/cloud-wallet/wallets/payer'));
    const glo = {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: {
        contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
        args: ['Coin', 'C', '9'],
      },
    };
    deployed = await send(one, 'payer', { glo, registration: { contractId: 'vault-1', name: 'Main Vault' } });
    ({ contractAddress: contract = '' } = await ended(one.api, deployed));
  });
  afterAll(() => here?.close());

  const search = async (api: Api, text: string) =>
    (await api.expect<{ items: Result[] }>(200, 'GET', `/v1/search?q=${encodeURIComponent(text)}`)).items;
  const found = async (api: Api, text: string) =>
    (await search(api, text)).map(({ kind, id }) => `${kind} ${id}`);

  test('the search finds an action by its id or transaction id, or by the first characters of either', async () => {
    for (const text of [rent, rent.slice(0, 20), rent.toUpperCase(), locator, locator.slice(0, 12)]) {
      expect(await found(one.api, text), text).toContain(`action ${rent}`);
    }
    expect(await search(one.api, locator)).toMatchObject([
      { kind: 'action', action: { status: 'SUCCEEDED' } },
    ]);
  });

  test('the search finds wallets and contracts by name and address, and finds templates, ledgers, intents, tags and people', async () => {
    expect(await found(one.api, 'PAY')).toContain('wallet payer');
    expect(await found(one.api, address.toLowerCase())).toContain('wallet payer');
    expect(await found(one.api, address.slice(0, 10))).toContain('wallet payer');
    for (const text of ['main', 'vault', 'vault-1', contract.toLowerCase(), contract.slice(0, 10)]) {
      expect(await found(one.api, text), text).toContain('contract vault-1');
    }
    expect(await found(one.api, 'coin')).toContain('template coin');
    expect(await found(one.api, 'chain')).toContain('ledger chain');
    expect(await found(one.api, intent)).toEqual([`intent ${intent}`]);
    expect(await found(one.api, 'rent/')).toEqual(['tag rent/april', 'tag rent/may']);
    expect(await found(one.api, 'one-')).toContain(`person ${one.serviceId}`);
  });

  test('a search finds no records of another project', async () => {
    for (const text of [
      rent,
      locator,
      address,
      'payer',
      'vault',
      contract,
      'coin',
      'rent/m',
      one.serviceId,
    ]) {
      expect(await found(other.api, text), text).toEqual([]);
    }
    expect(await found(other.api, 'rent/')).toEqual(['tag rent/foreign']);
  });

  test('the search treats characters with a meaning in SQL as text, and refuses an empty or long text', async () => {
    expect(await found(one.api, '%')).toEqual([]);
    expect(await found(one.api, "'; --")).toEqual([]);
    await one.api.expect(400, 'GET', '/v1/search?q=');
    await one.api.expect(400, 'GET', `/v1/search?q=${'a'.repeat(257)}`);
  });
});
