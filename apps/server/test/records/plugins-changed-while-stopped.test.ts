// Remote plugins that are replaced, at the same URL, while the server does not run.

import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import {
  type Api,
  addTenant,
  type Installation,
  install,
  logIn,
  masterKey,
  type Tenant,
} from '../stage/api.ts';
import { tally, UrlPlugin } from '../stage/url-plugin.ts';

const walletPassword = 'correct horse battery staple';
const often = { first: 50, longest: 100 };
const timing = { select: 10_000, remoteCall: 5_000, probe: 100, loadAgain: often, reopen: often };
const plugin = new UrlPlugin();
let here: Installation;
let tenant: Tenant;
let pluginId: string;
let running: RunningServer;

beforeAll(async () => {
  await plugin.start();
  here = await install({ PLUGINS_ALLOWED: plugin.url }, [], timing);
  running = here.server;
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api, projectId } = tenant;
  const record = { name: 'tally', projectId, url: plugin.url, tags: ['tally'] };
  ({ id: pluginId = '' } = await api.expect(201, 'POST', '/v1/plugins', record));
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID: 'counter', name: 'counter', projectId },
    ledgerTechnology: { ledgerTechnologyID: 'tally' },
    properties: [{ type: { name: 'polling_interval' }, value: 50 }],
  });
  const wallet = { walletId: 'payer', ledgerId: 'counter', pluginParameters: { walletPassword } };
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', wallet);
});
afterAll(async () => {
  await running?.close();
  await here?.close();
  await plugin.close();
});
beforeEach(() => {
  plugin.received.length = 0;
  plugin.isFinal = true;
});

/** Starts the server again after `change`; returns the tenant's API at the new server. */
async function restart(change: () => void, loadAgain = often): Promise<Api> {
  await running.close();
  change();
  plugin.received.length = 0;
  const config = readConfig({
    ...{ PORT: '0', DATA_DIR: here.folder, MASTER_KEY: masterKey.toString('base64') },
    ...{ OUTBOUND_OPEN: '127.0.0.1', PLUGINS_ALLOWED: plugin.url, LOG_LEVEL: 'silent' },
  });
  running = await startServer({
    config,
    log: createLog('silent'),
    adapters: [ethereumAdapter],
    timing: { ...timing, loadAgain },
  });
  return await logIn(running.url, tenant);
}

const send = (api: Api) =>
  api.call<{ actionId: string; detail: string }>('POST', '/v1/ledger-ops/send', {
    ...{ walletId: 'payer', walletPassword },
    glo: {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'tally' }, resource: 't0000000a' },
        amount: '1',
      },
    },
  });

const health = async (api: Api) =>
  (
    await api.expect<{ health: { loaded: boolean; lastError: { detail: string } | null } }>(
      ...([200, 'GET', `/v1/plugins/${pluginId}`] as const),
    )
  ).health;
const statusOf = async (api: Api, id: string) =>
  (await api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${id}`)).status;
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000 });

test.each([
  ['another namespace of its chains', { description: { ...tally.description, namespace: 'other' } }],
  [
    'the technology ethereum instead of tally',
    { technology: 'ethereum', description: { ...tally.description, namespace: 'tally' } },
  ],
])(
  'a restarted server sends nothing to a plugin that now has %s, until the former plugin runs at its URL again',
  async (what, other) => {
    const former = plugin.about;
    onTestFinished(() => {
      plugin.about = former;
    });
    const before = await logIn(running.url, tenant);
    plugin.isFinal = false;
    const { status, body } = await send(before);
    expect(status).toBe(201);
    await eventually(async () => expect([...plugin.transactions.keys()]).toContain(body.actionId));

    const api = await restart(() => {
      plugin.about = { ...former, ...other };
      plugin.isFinal = true;
    });
    // Each request loads the plugin again, after a delay.
    await eventually(async () => {
      expect(await send(api)).toMatchObject({
        ...{ status: 502, body: { detail: expect.stringContaining(`now has ${what}`) } },
      });
      expect(plugin.to('GET', '').length).toBeGreaterThan(3);
    });
    expect(plugin.received.filter(({ path }) => path !== '/v1/cloud-wallet')).toEqual([]);
    expect(await health(api)).toMatchObject({
      ...{ loaded: false, lastError: { detail: expect.stringContaining(`now has ${what}`) } },
    });
    expect(await statusOf(api, body.actionId)).toBe('PENDING');

    plugin.about = former;
    await eventually(async () => expect((await send(api)).status).toBe(201));
    await eventually(async () => expect(await statusOf(api, body.actionId)).toBe('SUCCEEDED'));
    expect(await health(api)).toMatchObject({ loaded: true });
  },
);

test('a restarted server uses a plugin that now states the default namespace explicitly', async () => {
  const former = plugin.about;
  const description = { ...tally.description, namespace: 'tally' };
  const api = await restart(() => {
    plugin.about = { ...former, description };
  });
  expect((await send(api)).status).toBe(201);
  plugin.about = former;
  plugin.received.length = 0;
  await eventually(async () => expect(plugin.to('GET', '').length).toBeGreaterThan(3));
  expect(await health(api)).toMatchObject({ loaded: true });
  expect((await send(api)).status).toBe(201);
});

test('a plugin that could not be loaded after a restart is used immediately after an update that could read its description', async () => {
  const former = plugin.about;
  onTestFinished(() => {
    plugin.about = former;
  });
  const api = await restart(
    () => {
      plugin.about = { ...former, interfaceVersion: '0.2.0' };
    },
    { first: 3_600_000, longest: 3_600_000 },
  );
  const update = () =>
    api.call<{ warnings: string[] }>('PUT', `/v1/plugins/${pluginId}`, {
      ...{ name: 'tally', url: plugin.url, active: true },
    });
  expect((await send(api)).status).toBe(502);
  expect(await update()).toMatchObject({
    ...{ status: 200, body: { warnings: [expect.stringContaining('0.2.0')] } },
  });
  plugin.about = former;
  expect((await send(api)).status).toBe(502);
  expect(await update()).toMatchObject({ status: 200, body: { warnings: [] } });
  expect((await send(api)).status).toBe(201);
});
