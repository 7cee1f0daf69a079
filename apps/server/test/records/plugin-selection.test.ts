// Whether the plugin that is chosen for a ledger can serve it, and how technologies are known while no plugin is loaded.
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
/** Two plugins that say what they are, and nothing more. */
const remote = createServer((request, response) => {
  const far = { name: 'far', technology: 'ethereum', ledgers: ['elsewhere'] };
  const plugin = {
    ...(request.url?.startsWith('/silver') === true ? silver : far),
    ...{ version: '1.0.0', interfaceVersion },
    capabilities: { operations: ['transfer'], checks: false, emulations: false },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(plugin));
});
/** A node that takes requests and answers none. */
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

/** A ledger of everybody, past what is checked of requests. */
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

test('a ledger that opens, and knows its chain, can be served', async () => {
  expect(await chosen('chain')).toEqual({ id: 'ethereum', canServe: true, fault: null });
});

test('a ledger that its plugin does not open, or whose chain no node tells, cannot be served, and it is said why', async () => {
  await addLedger('closed', 'http://10.255.255.1:8545');
  await addLedger('wrong', here.anvil.url, { confirmations: 'many' });
  await addLedger('other-chain', here.anvil.url, { chain_id: 7 });
  await addLedger('silent', await addressOf(silent));
  const faults: [ledgerId: string, words: RegExp][] = [
    ['closed', /has not opened/],
    ['wrong', /confirmations/],
    ['other-chain', /31337/],
    ['silent', /The ledger silent was not opened within 1000 ms\./],
  ];
  for (const [ledgerId, words] of faults) {
    expect(await chosen(ledgerId)).toEqual({
      ...{ id: 'ethereum', canServe: false },
      fault: expect.stringMatching(words),
    });
  }
});

test('a plugin that serves other ledgers cannot serve this one: warned of at its registration, and told by the selection', async () => {
  const { api, projectId } = tenant;
  const made = await api.expect<{ id: string; warnings: string[] }>(201, 'POST', '/v1/plugins', {
    ...{ name: 'far', projectId, url: remoteUrl, tags: ['ethereum', 'far'] },
  });
  expect(made.warnings).toEqual(['None of the ledgers that it serves is known here: elsewhere.']);
  await addLedger('near', here.anvil.url, { plugin_tags: ['far'] });
  expect(await chosen('near')).toEqual({
    ...{ id: made.id, canServe: false },
    fault: 'The plugin far serves elsewhere, not the ledger near.',
  });
  expect(await api.expect(200, 'GET', `/v1/plugins/${made.id}`)).toMatchObject({
    health: { loaded: true, technology: 'ethereum', ledgers: ['elsewhere'] },
  });
  await addLedger('elsewhere', here.anvil.url, { plugin_tags: ['far'] });
  expect(await chosen('elsewhere')).toEqual({ id: made.id, canServe: true, fault: null });
});

test('after a restart a technology is described although its plugin cannot be loaded, and no ledger is made of that', async () => {
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
  const anew = await logIn(again.url, tenant);

  const { technologies } = await anew.expect<Offer>(200, 'GET', '/v1/technologies');
  expect(technologies.find(({ name }) => name === 'silver')).toMatchObject({
    ...{ title: 'Silver', ledgerProperties: silver.description.ledgerProperties },
    plugins: [{ id, version: '1.0.0', keyType: 'remote' }],
  });
  const create = async (ledgerTechnologyID: string) =>
    await anew.call<ProblemDocument>('POST', '/v1/ledgers', {
      ...{ ledgerID: 'own', name: 'own', ledgerTechnology: { ledgerTechnologyID } },
    });
  const { body: unknown } = await create('unheard-of');
  expect(unknown.errors?.[0]?.detail).toContain('known are ethereum, silver.');
  expect(await create('silver')).toMatchObject({
    ...{ status: 503, body: { type: 'urn:ledger-ops:problem:ledger-unavailable' } },
  });
});
