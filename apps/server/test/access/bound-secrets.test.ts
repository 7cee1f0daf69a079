// Changes ledgers and nodes over HTTP so that their secrets would be sent to another address.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProblemDocument } from '@ledger-ops/base';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, addTenant, type Installation, install } from '../stage/api.ts';

const property = (name: string, value?: unknown) => ({ type: { name }, value });
type Properties = ReturnType<typeof property>[];

let here: Installation;
let api: Api;
/** The intended recipient of the secrets, and the requests that it received. */
let listener: Server;
let elsewhere: string;
const heard: string[] = [];
beforeAll(async () => {
  here = await install({}, [fabricAdapter]);
  api = (await addTenant(here.url, here.administrator, 'own')).api;
  listener = createServer((request, response) => {
    heard.push(JSON.stringify([request.url, request.headers]));
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  elsewhere = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => listener?.close(resolve));
  await here?.close();
});

async function refusal(path: string, body: unknown) {
  const { status, body: problem, text } = await api.call<Partial<ProblemDocument>>('PUT', path, body);
  return { status, pointers: problem.errors?.map(({ pointer }) => pointer), text };
}

test('changing the URL or trusted root of a CA requires the registrar’s secret again, so no other CA receives it', async () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIroot\n-----END CERTIFICATE-----';
  const ca = [
    property('ca_url', 'https://ca.example'),
    property('ca_registrar_id', 'admin'),
    property('ca_tls_certificate', certificate),
  ];
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID: 'fabric', name: 'fabric' },
    ledgerTechnology: { ledgerTechnologyID: 'hyperledger-fabric' },
    properties: [...ca, property('ca_registrar_secret', 'hunter2')],
  });
  const before = await api.expect(200, 'GET', '/v1/ledgers/fabric');
  const with_ = (name: string, value: string): Properties =>
    ca.map((one) => (one.type.name === name ? property(name, value) : one));
  for (const [what, properties] of Object.entries({
    url: with_('ca_url', elsewhere),
    'trusted root': with_('ca_tls_certificate', certificate.replace('root', 'mine')),
    'no trusted root': ca.slice(0, 2),
    'the first of two steps': ca.slice(1),
  })) {
    const answer = await refusal('/v1/ledgers/fabric', {
      properties: [...properties, property('ca_registrar_secret', null)],
    });
    expect([what, answer.status, answer.pointers]).toEqual([
      ...[what, 400, [`/properties/${properties.length}/value`]],
    ]);
    expect(answer.text).not.toContain('hunter2');
    expect(await api.expect(200, 'GET', '/v1/ledgers/fabric')).toEqual(before);
  }
  const given = [...with_('ca_url', 'https://new.example'), property('ca_registrar_secret', 'another')];
  await api.expect(200, 'PUT', '/v1/ledgers/fabric', { properties: given });
});

test('the secrets of a node are sent only to the address for which they were set', async () => {
  const { host } = new URL(here.anvil.url);
  const hosted = `http://user:hunter2@${host}/?key=hunter2`;
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID: 'hosted', name: 'hosted', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
    nodes: [{ nodeID: 'node', options: { uri: hosted }, properties: [property('authorization', 'hunter2')] }],
  });
  const before = await api.expect<{ uri: string; properties: Properties }>(200, 'GET', '/v1/nodes/node');
  const trust = [property('tls_server_name', 'mine'), property('authorization', 'given')];
  for (const [body, pointers] of [
    [{ options: { uri: elsewhere } }, ['/properties']],
    [{ uri: elsewhere, name: 'n' }, ['/properties']],
    [{ ...before, uri: elsewhere }, ['/properties/0/value']],
    [{ ...before, options: { uri: elsewhere } }, ['/properties/0/value']],
    [{ uri: before.uri, properties: trust }, ['/uri']],
    [{ properties: trust }, ['/options/uri']],
  ] as const) {
    const answer = await refusal('/v1/nodes/node', body);
    expect([body, answer.status, answer.pointers]).toEqual([body, 400, pointers]);
    expect(answer.text).not.toContain('hunter2');
  }
  expect(await api.expect(200, 'GET', '/v1/nodes/node')).toEqual(before);
  expect(heard).toEqual([]);
  // Secrets that were set for this address are sent to it.
  const again = {
    uri: elsewhere.replace('://', '://mine:too@'),
    properties: [property('authorization', 'x')],
  };
  expect((await refusal('/v1/nodes/node', again)).status).toBe(503);
  expect(heard.join()).toContain(Buffer.from('mine:too').toString('base64'));
  expect(heard.join()).not.toContain(Buffer.from('user:hunter2').toString('base64'));
});

test('credentials for a node without TLS are refused unless the ledger allows them', async () => {
  const ledger = (ledgerID: string, properties: Properties) =>
    api.expect(201, 'POST', '/v1/ledgers', {
      ...{ ledgerID, name: ledgerID, ledgerTechnology: { ledgerTechnologyID: 'ethereum' }, properties },
    });
  await ledger('careful', []);
  await ledger('careless', [property('allow_unencrypted', true)]);
  const add = (ledgerID: string, uri: string) =>
    api.call<Partial<ProblemDocument>>('POST', '/v1/nodes', { ledgerID, options: { uri } });
  const refused = await add('careful', 'http://user:hunter2@203.0.113.1:8545');
  expect([refused.status, refused.body.errors?.map(({ pointer }) => pointer)]).toEqual([
    400,
    ['/options/uri'],
  ]);
  expect(refused.text).toContain('allow_unencrypted');
  expect(refused.text).not.toContain('hunter2');
  // The deployer has not allowed this address, so connecting to it fails; the earlier check passes.
  expect((await add('careless', 'http://user:hunter2@10.255.255.1:8545')).status).toBe(422);
  const { host } = new URL(here.anvil.url);
  expect((await add('careful', `http://user:hunter2@${host}`)).status).toBe(201);
});
