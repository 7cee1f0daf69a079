// Tests which plugin a ledger gets, the check that the plugin supports the ledger, and descriptions of plugins that are
// not loaded.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { interfaceVersion } from '@ledger-ops/adapter';
import { systemUid } from '@ledger-ops/auth';
import type { ProblemDocument } from '@ledger-ops/base';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/logging/logger.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { addTenant, type Installation, install, logIn, type Tenant } from '../stage/api.ts';

interface Selection {
  chosen: { id: string; canServe: boolean; fault: string | null } | null;
}
interface Offer {
  technologies: { name: string }[];
}

const silver = {
  name: 'silver',
  technology: 'silver',
  description: {
    title: 'Silver',
    addresses: { account: { pattern: '^[a-z]{4}$', example: 'coin' } },
    ledgerProperties: {
      type: 'object',
      properties: { desk_key: { type: 'string', writeOnly: true } },
      additionalProperties: false,
    },
  },
};
/** A plugin whose two versions have different ledger and node properties. */
const goldOf = (major: number) => ({
  name: 'gold',
  technology: 'gold',
  version: `${major}.0.0`,
  description: {
    title: `Gold ${major}`,
    addresses: silver.description.addresses,
    ledgerProperties: {
      type: 'object',
      properties: { [`vault_${major}`]: { type: 'string' } },
      additionalProperties: false,
    },
    nodeProperties: {
      type: 'object',
      properties: { [`door_${major}`]: { type: 'string' } },
      additionalProperties: false,
    },
  },
});
/** Remote plugins that only describe themselves. */
const remote = createServer((request, response) => {
  const far = { name: 'far', technology: 'ethereum', ledgers: ['elsewhere'] };
  const gold = /^\/gold-(\d)/.exec(request.url ?? '');
  const named = request.url?.startsWith('/silver') === true ? silver : far;
  const plugin = {
    ...{ version: '1.0.0', interfaceVersion },
    ...(gold === null ? named : goldOf(Number(gold[1]))),
    capabilities: { operations: ['transfer'], checks: false, emulations: false },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(plugin));
});
/** A node that accepts connections and never responds. */
const silent = createServer(() => undefined);

let here: Installation;
let tenant: Tenant;
let remoteUrl: string;

async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  remoteUrl = await addressOf(remote);
  here = await install({ PLUGINS_ALLOWED: remoteUrl }, [], { select: 1_000 });
  tenant = await addTenant(here.url, here.administrator, 'one');
});
afterAll(async () => {
  await here?.close();
  for (const server of [remote, silent]) {
    server.closeAllConnections();
    server.close();
  }
});

/** Creates a shared ledger without the checks of the HTTP operation. */
async function addLedger(ledgerId: string, uri: string, properties: Record<string, unknown> = {}) {
  const { store, registry } = here.server;
  await store.transaction((tx) =>
    registry.createLedger(tx, {
      ...{ ledgerId, projectUid: null, parentResourceUid: systemUid, name: ledgerId, technology: 'ethereum' },
      properties: { chain_id: 31_337, ...properties },
      nodes: [{ uri }],
    }),
  );
}

async function chosen(ledgerId: string): Promise<Selection['chosen']> {
  const path = `/v1/plugins/selection?ledgerId=${ledgerId}`;
  return (await tenant.api.expect<Selection>(200, 'GET', path)).chosen;
}

test('a ledger can be served if its plugin can open it and its chain is known', async () => {
  expect(await chosen('chain')).toEqual({ id: 'ethereum', canServe: true, fault: null });
});

test('the selection says why a plugin cannot serve a ledger: it cannot open it, or the chain is not the configured one', async () => {
  await addLedger('closed', 'http://10.255.255.1:8545');
  await addLedger('wrong', here.anvil.url, { confirmations: 'many' });
  await addLedger('other-chain', here.anvil.url, { chain_id: 7 });
  await addLedger('silent', await addressOf(silent));
  const faults: [ledgerId: string, words: RegExp][] = [
    ['closed', /private address/],
    ['wrong', /confirmations/],
    ['other-chain', /31337/],
    ['silent', /The ledger silent was not opened within 1 s\./],
  ];
  for (const [ledgerId, words] of faults) {
    expect(await chosen(ledgerId)).toEqual({
      ...{ id: 'ethereum', canServe: false },
      fault: expect.stringMatching(words),
    });
  }
});

test('a plugin is not selected for a ledger that it does not serve, and its registration warns about unknown ledgers', async () => {
  const { api, projectId } = tenant;
  const made = await api.expect<{ id: string; warnings: string[] }>(201, 'POST', '/v1/plugins', {
    ...{ name: 'far', projectId, url: remoteUrl, tags: ['ethereum', 'far'] },
  });
  expect(made.warnings).toEqual(['None of the ledgers that the plugin serves is registered: elsewhere.']);
  await addLedger('near', here.anvil.url, { plugin_tags: ['far'] });
  expect(await chosen('near')).toBeNull();
  expect(await api.expect(200, 'GET', `/v1/plugins/${made.id}`)).toMatchObject({
    health: { loaded: true, technology: 'ethereum', ledgers: ['elsewhere'] },
  });
  await addLedger('elsewhere', here.anvil.url, { plugin_tags: ['far'] });
  expect(await chosen('elsewhere')).toEqual({ id: made.id, canServe: true, fault: null });
});

test('the plugin that a ledger’s tags select validates it, so two versions of a plugin can be used at the same time', async () => {
  const { api, projectId } = tenant;
  const add = async (major: number) =>
    await api.expect<{ id: string; version: string }>(201, 'POST', '/v1/plugins', {
      ...{ name: `gold ${major}`, projectId, url: `${remoteUrl}/gold-${major}` },
      tags: ['gold', `gold-${major}`],
    });
  const one = await add(1);
  const two = await add(2);
  expect([one.version, two.version]).toEqual(['1.0.0', '2.0.0']);

  const property = (name: string, value: unknown) => ({ type: { name }, value });
  const bodyOf = (ledgerID: string, name: string, tags?: unknown) => ({
    ...{ ledgerID, name: ledgerID, ledgerTechnology: { ledgerTechnologyID: 'gold' } },
    properties: [property(name, 'x'), ...(tags === undefined ? [] : [property('plugin_tags', tags)])],
  });
  const create = async (...given: Parameters<typeof bodyOf>) =>
    await api.call<ProblemDocument>('POST', '/v1/ledgers', bodyOf(...given));
  for (const [tags, id, other] of [
    [['gold-1'], 1, 2],
    [['gold-2'], 2, 1],
    [undefined, 2, 1],
  ] as const) {
    const ledgerID = `gold-${tags?.[0] ?? 'newest'}`;
    const unknown = await create(ledgerID, `vault_${other}`, tags);
    expect(unknown).toMatchObject({ status: 400, body: { type: 'urn:ledger-ops:problem:invalid-request' } });
    expect(unknown.body.errors?.[0]?.detail).toContain(`vault_${id}`);
    expect((await create(ledgerID, `vault_${id}`, tags)).status).toBe(201);
    expect((await chosen(ledgerID))?.id).toBe(id === 1 ? one.id : two.id);
    const door = async (major: number) =>
      await api.call<ProblemDocument>('POST', '/v1/nodes', {
        ...{ ledgerID, options: { uri: 'http://127.0.0.1:1' }, properties: [property(`door_${major}`, 'x')] },
      });
    expect((await door(other)).body.errors?.[0]?.detail).toContain(`allowed properties are door_${id}`);
  }

  // If a change contains tags, they select the schema for the change.
  const path = '/v1/ledgers/gold-gold-1';
  const change = async (...[name, tags]: [string, unknown?]) =>
    await api.call<ProblemDocument>('PUT', path, { properties: bodyOf('', name, tags).properties });
  expect((await change('vault_2', ['gold-1'])).status).toBe(400);
  expect((await change('vault_2', ['gold-2'])).status).toBe(200);

  expect(await create('gold-3', 'vault_1', ['gold-3'])).toMatchObject({
    status: 422,
    body: {
      type: 'urn:ledger-ops:problem:no-plugin',
      errors: [{ detail: expect.stringContaining('"gold", "gold-3"') }],
    },
  });
  expect((await create('gold-4', 'vault_2', 'gold-1')).body.errors?.[0]?.pointer).toBe('/properties/1/value');

  const { technologies } = await api.expect<Offer>(200, 'GET', '/v1/technologies');
  expect(technologies.find(({ name }) => name === 'gold')).toMatchObject({
    title: 'Gold 2',
    plugins: [
      { id: two.id, version: '2.0.0' },
      { id: one.id, version: '1.0.0' },
    ],
  });
});

test('after a restart, a technology whose plugin cannot be loaded is still described, but its ledgers cannot be created', async () => {
  const { api, projectId } = tenant;
  const { id } = await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'silver', projectId, url: `${remoteUrl}/silver`, tags: ['silver'] },
  });
  await here.server.close();
  remote.closeAllConnections();
  remote.close();
  const config = readConfig({
    ...{ PORT: '0', DATA_DIR: here.folder, MASTER_KEY: Buffer.alloc(32, 5).toString('base64') },
    ...{ OUTBOUND_OPEN: '127.0.0.1', PLUGINS_ALLOWED: remoteUrl },
  });
  const again = await startServer({ config, log: createLog('silent'), adapters: [ethereumAdapter] });
  onTestFinished(() => again.close());
  const newLogin = await logIn(again.url, tenant);

  const { technologies } = await newLogin.expect<Offer>(200, 'GET', '/v1/technologies');
  expect(technologies.find(({ name }) => name === 'silver')).toMatchObject({
    ...{ title: 'Silver', ledgerProperties: silver.description.ledgerProperties },
    plugins: [{ id, version: '1.0.0', keyType: 'remote' }],
  });
  const create = async (ledgerTechnologyID: string) =>
    await newLogin.call<ProblemDocument>('POST', '/v1/ledgers', {
      ...{ ledgerID: 'own', name: 'own', ledgerTechnology: { ledgerTechnologyID } },
    });
  const { body: unknown } = await create('unheard-of');
  expect(unknown.errors?.[0]?.detail).toContain('supported are ethereum, gold, silver.');
  expect(await create('silver')).toMatchObject({
    ...{ status: 503, body: { type: 'urn:ledger-ops:problem:ledger-unavailable' } },
  });
});
