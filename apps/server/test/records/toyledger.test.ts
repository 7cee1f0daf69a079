// A technology that the server does not know, over HTTP: from registering its plugin, which runs in its own process, to
// a transfer.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ProblemDocument } from '@ledger-ops/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asyncListener } from '../../../../testing/async-listener.ts';
import { type Api, addTenant, ended, type Installation, install, type Tenant } from '../stage/api.ts';

const folder = fileURLToPath(new URL('toyledger', import.meta.url));
const walletPassword = 'correct horse battery staple';
const [deskKey, pass] = ['the key of the desk', 'the pass of the node'];
const property = (name: string, value?: unknown) => ({ type: { name }, value });

/** Everything that the ledger received. */
const shown = { keys: new Set<unknown>(), passes: new Set<unknown>(), taken: new Map<string, unknown>() };
let chain: Server;
let uri: string;
let here: Installation;
let tenant: Tenant;
let api: Api;

beforeAll(async () => {
  chain = createServer(
    asyncListener(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.method === 'POST') {
        shown.keys.add(request.headers.key);
        const { txId, signed } = JSON.parse(Buffer.concat(chunks).toString());
        shown.taken.set(txId, JSON.parse(JSON.parse(signed)[0]));
      } else {
        shown.passes.add(request.headers.pass);
      }
      const executed = Object.fromEntries([...shown.taken.keys()].map((txId, index) => [txId, index + 1]));
      const height = shown.taken.size + 1;
      response.end(JSON.stringify({ height, hash: `block ${height}`, executed }));
    }),
  );
  await new Promise<void>((resolve) => chain.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address of this form.
  uri = `http://127.0.0.1:${(chain.address() as AddressInfo).port}/`;
  here = await install({ PLUGINS_ALLOWED: `file:${folder}` });
  tenant = await addTenant(here.url, here.administrator, 'one');
  api = tenant.api;
});
afterAll(async () => {
  await here?.close();
  chain?.closeAllConnections();
  chain?.close();
});

interface LedgerBody {
  ledgerTechnology: { name: string };
  properties: { type: { name: string }; value: unknown }[];
}

async function refused(method: string, path: string, body: unknown) {
  const { status, text, body: problem } = await api.call<Partial<ProblemDocument>>(method, path, body);
  expect(text).not.toContain(deskKey);
  return [status, ...(problem.errors ?? []).map(({ pointer }) => pointer)];
}

test('a transfer succeeds on a toy ledger with a secret, a node and wallets', async () => {
  const desk = property('desk_url', `${uri}desk`);
  const ledger = {
    ...{ ledgerID: 'toys', name: 'Toys', ledgerTechnology: { ledgerTechnologyID: 'toyledger' } },
    properties: [property('colour', 'red'), desk, property('desk_key', deskKey)],
    nodes: [{ nodeID: 'toy', options: { uri }, properties: [property('pass', pass)] }],
  };
  const before = await api.call<ProblemDocument>('POST', '/v1/ledgers', ledger);
  expect(before).toMatchObject({
    status: 422,
    body: {
      type: 'urn:ledger-ops:problem:no-plugin',
      errors: [
        {
          pointer: '/ledgerTechnology/ledgerTechnologyID',
          detail: expect.stringMatching(/supported are ethereum\. Register a plugin for it/),
        },
      ],
    },
  });
  await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'Toys', url: `file:${folder}/toyledger.mjs`, tags: ['toyledger'] },
    projectId: tenant.projectId,
  });
  const other = await addTenant(here.url, here.administrator, 'other');
  expect((await other.api.call('POST', '/v1/ledgers', { ...ledger, nodes: [] })).status).toBe(422);

  const bad: [unknown[], string[]][] = [
    [[...ledger.properties, property('chain_id', 1)], ['/properties/3/value']],
    [[property('colour', 'green'), desk], ['/properties/0/value']],
    [[property('colour', 'red')], ['/properties']],
    [[property('colour', 'red'), desk, property('desk_key', 7)], ['/properties/2/value']],
  ];
  for (const [properties, pointers] of bad) {
    expect(await refused('POST', '/v1/ledgers', { ...ledger, properties })).toEqual([400, ...pointers]);
  }
  const tall = [{ options: { uri }, properties: [property('shift', 4)] }];
  expect(await refused('POST', '/v1/ledgers', { ...ledger, nodes: tall })).toEqual([
    ...[400, '/nodes/0/properties/0/value'],
  ]);

  const made = await api.expect<LedgerBody>(201, 'POST', '/v1/ledgers', ledger);
  expect(made.ledgerTechnology.name).toBe('Toy Ledger');
  expect(made.properties.map(({ type, value }) => [type.name, value])).toEqual([
    ['colour', 'red'],
    ['desk_url', `${uri}desk`],
    ['desk_key', null],
  ]);
  // The returned properties with another address, to which the secret would be sent.
  const moved = made.properties.map((one) =>
    one.type.name === 'desk_url' ? { ...one, value: `${uri}elsewhere` } : one,
  );
  expect(await refused('PUT', '/v1/ledgers/toys', { properties: moved })).toEqual([
    ...[400, '/properties/2/value'],
  ]);
  expect(await api.expect(200, 'PUT', '/v1/ledgers/toys', made)).toEqual(made);

  const wallet = async (walletId: string, more: object) =>
    await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId, ledgerId: 'toys', pluginParameters: { walletPassword, ...more } },
    });
  await wallet('ann', { shelf: 'upper' });
  const { walletAddress: bob } = await wallet('bob', {});
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...{ walletId: 'ann', walletPassword },
    glo: {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'toyledger' }, resource: bob },
        amount: '5',
      },
      meta: { ledger: { toyledger: { version: '1', native_transaction_content: { tier: 'fast' } } } },
    },
  });
  const { status, locator } = await ended(api, actionId);
  expect(status).toBe('SUCCEEDED');
  expect([...shown.taken]).toMatchObject([[locator, { to: bob, amount: '5', tier: 'fast', colour: 'red' }]]);
  expect([[...shown.keys], [...shown.passes]]).toEqual([[deskKey], [pass]]);
  for (const path of ['/v1/ledgers/toys', '/v1/nodes/toy', '/v1/technologies', '/v1/ledgers']) {
    const { text } = await api.call('GET', path);
    expect(text).not.toMatch(new RegExp(`${deskKey}|${pass}`));
  }
});
