// Tenants' documents that are small and well-formed, within every byte limit. Parsing them, and generating
// from them, must take little time.
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureTurns } from '../../../../testing/longest-block.ts';
import {
  type Api,
  addTenant,
  addTokenTemplate,
  addWallet,
  ended,
  type Installation,
  install,
  send,
} from '../stage/api.ts';

const password = 'correct horse battery staple';

let here: Installation;
let api: Api;
let instances: string;
let address: string;
beforeAll(async () => {
  here = await install();
  const tenant = await addTenant(here.url, here.administrator, 'one');
  api = tenant.api;
  await addWallet(here, tenant, 'payer');
  await addTokenTemplate(api, 'coin');
  const contract_source = { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' };
  const options = { contract_source, args: ['Coin', 'COIN', '1000'] };
  const glo = { version: '0.1.0', type: 'contract_deploy', options };
  const deployed = await send(tenant, 'payer', { walletPassword: password, glo });
  address = (await ended(api, deployed)).contractAddress ?? '';
  const { groupId } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'coins' });
  instances = `/v1/contract-groups/${groupId}/instances`;
});
afterAll(() => here?.close());

const functions = (count: number, type: string) =>
  Array.from({ length: count }, (_, at) => ({
    ...{
      type: 'function',
      name: `f${at}`,
      stateMutability: 'view',
      inputs: [],
      outputs: [{ name: '', type }],
    },
  }));
const interfaces: readonly (readonly [name: string, abi: readonly unknown[]])[] = [
  ['dimensions', functions(20, `uint8${'[1]'.repeat(2_000)}`)],
  ['dimensions that are allowed', functions(400, `uint8${'[1]'.repeat(16)}`)],
  ['tuples in texts', functions(120, `tuple(${'uint8[1],'.repeat(300)}uint8)[]`)],
  [
    'functions in texts',
    Array.from({ length: 250 }, (_, at) => `function f${at}(${'uint8[1][1],'.repeat(300)}bool)`),
  ],
  ['many functions', functions(1_300, 'uint256')],
];
test('parsing interfaces and generating their documents yields to the event loop', async () => {
  const blocked: string[] = [];
  const broken: string[] = [];
  const tried = async (name: string, request: () => Promise<{ status: number }>) => {
    const { result, excess } = await measureTurns(request, { ms: 50, units: 5 });
    if (excess !== undefined) blocked.push(`${name}: ${excess}`);
    if (result.status >= 500) broken.push(`${name}: ${result.status}`);
  };
  let count = 1;
  const next = () => {
    count += 1;
    return String(count);
  };
  for (const [name, abi] of interfaces) {
    const code = { abi, bytecode: tokenTemplate.code };
    const nextVersion = () => ({ version: next(), code });
    await tried(`a template of ${name}`, () =>
      api.call('POST', '/v1/contract-templates/coin/versions', nextVersion()),
    );
    const ledgerReference = { ledgerId: 'chain', nativeReference: address };
    const body = { interface: JSON.stringify(abi), name: `c${next()}`, ledgerReference };
    const { contractId } = (await api.call<{ contractId?: string }>('POST', instances, body)).body;
    await tried(`a contract of ${name}`, () => api.call('POST', instances, { ...body, name: `d${next()}` }));
    if (contractId === undefined) continue;
    await tried(`the document of ${name}`, () => api.call('GET', `${instances}/${contractId}/openapi.json`));
  }
  expect({ blocked, broken }).toEqual({ blocked: [], broken: [] });
}, 300_000);
