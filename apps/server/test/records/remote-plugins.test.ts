// Ledgers of remote plugins, over HTTP, with plugins that fail.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';
import { tally, UrlPlugin } from '../stage/url-plugin.ts';

const walletPassword = 'correct horse battery staple';
const plugin = new UrlPlugin();
let here: Installation;
let tenant: Tenant;
let pluginId: string;

beforeAll(async () => {
  await plugin.start();
  here = await install({ PLUGINS_ALLOWED: plugin.url, METRICS_PORT: '0' }, [], {
    select: 1_000,
    remoteCall: 300,
    probe: 100,
  });
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api, projectId } = tenant;
  const made = await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'tally', projectId, url: plugin.url, tags: ['tally'] },
  });
  pluginId = made.id ?? '';
  await api.expect(201, 'POST', '/v1/ledgers', ledgerOf('counter'));
});
afterAll(async () => {
  await here?.close();
  await plugin.close();
});

beforeEach(() => {
  plugin.conduct = 'answer';
  plugin.refusal = undefined;
  plugin.received.length = 0;
});

const ledgerOf = (ledgerID: string, properties: Record<string, unknown> = {}) => ({
  ...{ ledgerID, name: ledgerID, projectId: tenant.projectId },
  ledgerTechnology: { ledgerTechnologyID: 'tally' },
  properties: Object.entries({ polling_interval: 50, ...properties }).map(([name, value]) => ({
    type: { name },
    value,
  })),
});

const walletOf = (walletId: string) => ({
  ...{ walletId, ledgerId: 'counter' },
  pluginParameters: { walletPassword },
});

test('repeating the creation of a wallet repeats its id and secret, so that the plugin has one wallet', async () => {
  const { api } = tenant;
  const before = plugin.wallets.size;
  for (const conduct of ['hang', 'cut', 'hang'] as const) {
    plugin.conduct = conduct;
    expect(await api.call('POST', '/v1/cloud-wallet/wallets', walletOf('slow'))).toMatchObject({
      status: conduct === 'hang' ? 504 : 503,
    });
  }
  plugin.conduct = 'answer';
  const made = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('slow'));
  const requests = plugin.to('POST', '/wallets');
  expect(requests).toHaveLength(4);
  expect(new Set(requests.map(({ body }) => JSON.stringify(body)))).toHaveLength(1);
  expect(plugin.wallets.size).toBe(before + 1);
  expect(plugin.wallets.get(String(requests[0]?.body.walletId))).toMatchObject({
    address: made.walletAddress,
  });
  // Another wallet has another id and secret.
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('other'));
  expect(plugin.wallets.size).toBe(before + 2);
  expect(new Set([...plugin.wallets.values()].map(({ secret }) => secret)).size).toBe(plugin.wallets.size);
});

test('a repetition needs the password of the interrupted creation', async () => {
  const { api } = tenant;
  plugin.conduct = 'hang';
  expect(await api.call('POST', '/v1/cloud-wallet/wallets', walletOf('guarded'))).toMatchObject({
    status: 504,
  });
  plugin.conduct = 'answer';
  const other = { ...walletOf('guarded'), pluginParameters: { walletPassword: 'another password of mine' } };
  expect(await api.call('POST', '/v1/cloud-wallet/wallets', other)).toMatchObject({ status: 403 });
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('guarded'));
});

test('a wallet that the plugin refuses can be created with another password afterwards', async () => {
  const { api } = tenant;
  plugin.refusal = 'No wallets today.';
  expect(await api.call('POST', '/v1/cloud-wallet/wallets', walletOf('refused'))).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('No wallets today.') },
  });
  plugin.refusal = undefined;
  const other = { ...walletOf('refused'), pluginParameters: { walletPassword: 'another password of mine' } };
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', other);
});

/** What people and monitoring see of the plugin. */
async function shown() {
  const { api } = tenant;
  const { health } = await api.expect<{ health: { loaded: boolean; lastError: { detail: string } | null } }>(
    ...([200, 'GET', `/v1/plugins/${pluginId}`] as const),
  );
  const { chosen } = await api.expect<{ chosen: { canServe: boolean; fault: string | null } }>(
    ...([200, 'GET', '/v1/plugins/selection?ledgerId=counter'] as const),
  );
  const ready: unknown = await (await fetch(`${here.url}/readyz`)).json();
  const metrics = await (await fetch(here.server.metricsUrl ?? '')).text();
  const [, up] = /^ledger_ops_plugin_up\{[^}]*\} (\d)$/m.exec(metrics) ?? [];
  return { health, chosen, ready, up };
}

test.each([
  ['hang', /did not answer \/v1\/cloud-wallet within/],
  ['cut', /cannot be reached/],
] as const)(
  'a plugin whose requests %s is not up, without anybody using it, and is up again when it answers',
  async (conduct, why) => {
    expect(await shown()).toMatchObject({
      health: { loaded: true },
      chosen: { canServe: true, fault: null },
      ready: { status: 'ready', warnings: [] },
      up: '1',
    });
    plugin.conduct = conduct;
    await vi.waitFor(
      async () =>
        expect(await shown()).toMatchObject({
          health: { loaded: false, lastError: { detail: expect.stringMatching(why) } },
          chosen: { canServe: false, fault: expect.stringMatching(why) },
          ready: { status: 'ready', warnings: ['plugins that do not respond: 1'] },
          up: '0',
        }),
      { timeout: 30_000 },
    );
    plugin.conduct = 'answer';
    await vi.waitFor(
      async () =>
        expect(await shown()).toMatchObject({
          health: { loaded: true },
          chosen: { canServe: true, fault: null },
          ready: { warnings: [] },
          up: '1',
        }),
      { timeout: 30_000 },
    );
  },
);

test('a plugin that answers with a refusal is up; a page of a proxy in front of it is not an answer', async () => {
  const { api } = tenant;
  plugin.refusal = 'No wallets today.';
  expect(await api.call('POST', '/v1/cloud-wallet/wallets', walletOf('never'))).toMatchObject({
    status: 422,
  });
  expect(await shown()).toMatchObject({ health: { loaded: true }, up: '1' });
  plugin.about = { ...plugin.about, capabilities: 'none' };
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ health: { loaded: false }, up: '0' }), {
    timeout: 30_000,
  });
  plugin.about = tally;
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ health: { loaded: true }, up: '1' }), {
    timeout: 30_000,
  });
});
