// Anyone may deploy contracts, and users read their results.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { addTenant, addWallet, ended, type Installation, install, send, type Tenant } from '../stage/api.ts';

let here: Installation;
let tenant: Tenant;
beforeAll(async () => {
  here = await install();
  tenant = await addTenant(here.url, here.administrator, 'one');
  await addWallet(here, tenant, 'payer');
});
afterAll(() => here.close());

const word = (value: number) => value.toString(16).padStart(64, '0');

/** Returns ten kilobytes of nested lists. All items of a list point to the same bytes. */
function growing(): string {
  const level = word(40) + word(32 * 40).repeat(40);
  return word(32) + level.repeat(3) + word(200) + word(1).repeat(200);
}

/** Returns contract code that returns these bytes for every call. */
function answering(bytes: string): string {
  const copy = (length: number, end: string) =>
    `61${length.toString(16).padStart(4, '0')}61000f60003961${length.toString(16).padStart(4, '0')}6000${end}`;
  const code = copy(bytes.length / 2, 'f3') + bytes;
  return `0x${copy(code.length / 2, 'f3')}${code}`;
}

test('a contract result whose nested lists share items is returned as bytes with a warning, without being expanded', async () => {
  const { api } = tenant;
  await api.expect(201, 'POST', '/v1/contract-templates', { templateId: 'growing', name: 'Growing' });
  const abi = [
    {
      ...{ type: 'function', name: 'all', inputs: [], stateMutability: 'view' },
      outputs: [{ type: 'uint256[][][][]', name: '' }],
    },
  ];
  const code = { abi, bytecode: answering(growing()) };
  await api.expect(201, 'POST', '/v1/contract-templates/growing/versions', { version: '1', code });
  const service = { type: 'service', value: 'service' };
  const contract_source = { lookup_service: service, resource: 'growing:1' };
  const contractId = await send(tenant, 'payer', {
    glo: { version: '0.1.0', type: 'contract_deploy', options: { contract_source, args: [] } },
  });
  expect(await ended(api, contractId)).toMatchObject({ status: 'SUCCEEDED' });
  const contract_instance = { lookup_service: service, resource: contractId };
  const glo = {
    version: '0.1.0',
    type: 'contract_call',
    options: { contract_instance, method_name: 'all', args: [] },
  };
  const body = { walletId: 'payer', glo };
  const emulate = () => api.call('POST', '/v1/ledger-ops/emulate', body);
  const result = await expectShortTurns(emulate, { ms: 1_000, units: 50 });
  expect(result.status).toBe(200);
  expect(result.body).toMatchObject({
    ...{ result: null, figures: { returned: expect.stringMatching(/^0x/) } },
    warnings: [expect.stringContaining('does not match the outputs in its interface')],
  });
});
