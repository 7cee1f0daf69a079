// Remote plugins that are replaced in place, at the same URL, by one with another description.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';
import { tally, UrlPlugin } from '../stage/url-plugin.ts';

const walletPassword = 'correct horse battery staple';
const plugin = new UrlPlugin();
const second = new UrlPlugin();
let here: Installation;
let tenant: Tenant;
let pluginId: string;

beforeAll(async () => {
  await Promise.all([plugin.start(), second.start()]);
  here = await install(
    {
      PLUGINS_ALLOWED: `${plugin.url},${second.url}`,
      METRICS_PORT: '0',
    },
    [],
    { select: 10_000, remoteCall: 5_000, probe: 100 },
  );
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api } = tenant;
  pluginId = await register('tally', plugin.url);
  for (const ledgerID of ['counter', 'abacus']) {
    await api.expect(201, 'POST', '/v1/ledgers', ledgerOf(ledgerID));
    await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf(`of-${ledgerID}`, ledgerID));
  }
});
afterAll(async () => {
  await here?.close();
  await Promise.all([plugin.close(), second.close()]);
});
beforeEach(() => {
  plugin.received.length = 0;
});

async function register(name: string, url: string): Promise<string> {
  const { api, projectId } = tenant;
  const { id } = await api.expect(201, 'POST', '/v1/plugins', { name, projectId, url, tags: ['tally'] });
  return id ?? '';
}

const ledgerOf = (ledgerID: string) => ({
  ...{ ledgerID, name: ledgerID, projectId: tenant.projectId },
  ledgerTechnology: { ledgerTechnologyID: 'tally' },
  properties: [{ type: { name: 'polling_interval' }, value: 50 }],
});

const walletOf = (walletId: string, ledgerId: string) => ({
  ...{ walletId, ledgerId },
  pluginParameters: { walletPassword },
});

const transferFrom = (walletId: string) => ({
  ...{ walletId, walletPassword },
  glo: {
    ...{ version: '0.1.0', type: 'transfer' },
    options: {
      recipient: { lookup_service: { type: 'ledger', value: 'tally' }, resource: 't0000000a' },
      amount: '1',
    },
  },
});

const send = (walletId: string) =>
  tenant.api.call<{ actionId: string }>('POST', '/v1/ledger-ops/send', transferFrom(walletId));

const selected = (ledgerId: string) =>
  tenant.api.expect<{ chosen: { id: string; canServe: boolean; fault: string | null } | null }>(
    ...([200, 'GET', `/v1/plugins/selection?ledgerId=${ledgerId}`] as const),
  );

/** Returns what health, readiness and the metrics report about the plugin. */
async function shown() {
  const { health } = await tenant.api.expect<{
    health: { loaded: boolean; version: string; changed: string | null };
  }>(...([200, 'GET', `/v1/plugins/${pluginId}`] as const));
  const { warnings }: { warnings: string[] } = JSON.parse(await (await fetch(`${here.url}/readyz`)).text());
  const metrics = await (await fetch(here.server.metricsUrl ?? '')).text();
  const of = (name: string) => new RegExp(`^${name}\\{[^}]*\\} (\\d)$`, 'm').exec(metrics)?.[1];
  return { ...health, warnings, up: of('ledger_ops_plugin_up'), differs: of('ledger_ops_plugin_changed') };
}

const unchanged = { loaded: true, changed: null, warnings: [], up: '1', differs: '0' };
const change = (takeOver?: boolean) =>
  tenant.api.call<{ detail: string; warnings: string[] }>('PUT', `/v1/plugins/${pluginId}`, {
    ...{ name: 'tally', url: plugin.url, active: true, takeOver },
  });
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000 });

/** Sends transfers until `done` resolves, so that the plugin is in use all the time. */
async function whileInUse(done: Promise<void>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  done.then(end, end);
  while (!isDone) expect((await send('of-counter')).status).toBe(201);
  await done;
}

test('a ledger that its plugin no longer declares is not served, and health names the change until it is accepted', async () => {
  await eventually(async () => expect(await shown()).toMatchObject(unchanged));
  plugin.about = { ...tally, ledgers: ['counter'] };
  await whileInUse(
    eventually(async () =>
      expect(await shown()).toMatchObject({
        ...{ loaded: true, up: '1', differs: '1' },
        changed: expect.stringMatching(/the ledgers counter, but .* all ledgers of its technology/),
        warnings: ['plugins whose ledgers changed: 1'],
      }),
    ),
  );
  expect(await selected('counter')).toMatchObject({ chosen: { id: pluginId, canServe: true } });
  expect(await selected('abacus')).toMatchObject({
    chosen: { id: pluginId, canServe: false, fault: expect.stringContaining('but not abacus') },
  });
  plugin.received.length = 0;
  expect((await send('of-abacus')).status).toBe(422);
  expect((await send('of-counter')).status).toBe(201);
  await eventually(async () => expect(plugin.to('POST', '/transactions')).toHaveLength(1));

  const refused = await change(false);
  expect(refused).toMatchObject({ status: 409, body: { errors: [{ pointer: '/takeOver' }] } });
  expect(refused.body.detail).toContain('abacus (no other plugin serves it)');
  const { status, body } = await change();
  expect(status).toBe(200);
  expect(body.warnings).toContainEqual(expect.stringContaining('abacus (no other plugin serves it)'));
  await eventually(async () => expect(await shown()).toMatchObject(unchanged));
  expect(await selected('abacus')).toMatchObject({ chosen: null });
});

test('a plugin that declares more ledgers takes them over from another plugin only after this is accepted', async () => {
  const secondId = await register('second', second.url);
  expect(await selected('abacus')).toMatchObject({ chosen: { id: secondId } });
  plugin.about = { ...tally, version: '2.0.0', ledgers: ['abacus', 'counter'] };
  await eventually(async () =>
    expect(await shown()).toMatchObject({
      changed: expect.stringMatching(/the ledgers abacus, counter, but .* the ledgers counter\./),
      ...{ loaded: true, version: '2.0.0', differs: '1' },
    }),
  );
  expect(await selected('abacus')).toMatchObject({ chosen: { id: secondId } });
  const refused = await change(false);
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.body.detail).toContain(`abacus (by ${secondId})`);
  expect(await selected('abacus')).toMatchObject({ chosen: { id: secondId } });
  const { body } = await change(true);
  expect(body.warnings).toContainEqual(expect.stringContaining(`abacus (by ${secondId})`));
  await eventually(async () => expect(await shown()).toMatchObject(unchanged));
  expect(await selected('abacus')).toMatchObject({ chosen: { id: pluginId } });
  plugin.about = { ...tally, version: '2.0.0', ledgers: ['counter', 'abacus'] };
  await eventually(async () => expect(await shown()).toMatchObject(unchanged));
  await tenant.api.expect(200, 'PUT', `/v1/plugins/${secondId}`, {
    ...{ name: 'second', url: second.url, active: false },
  });
});

test('new capabilities and another description of a plugin take effect without a restart, and without a warning', async () => {
  plugin.about = {
    ...{ ...tally, version: '2.1.0', ledgers: ['counter', 'abacus'] },
    capabilities: { ...tally.capabilities, checks: true },
    description: { ...tally.description, title: 'Tally 2' },
  };
  await eventually(async () => expect(await shown()).toMatchObject({ ...unchanged, version: '2.1.0' }));
  expect((await send('of-counter')).status).toBe(201);
  expect(plugin.to('POST', '/checks')).not.toHaveLength(0);
  const technologies = await tenant.api.expect<object>(200, 'GET', '/v1/technologies');
  expect(JSON.stringify(technologies)).toContain('Tally 2');
});

test.each([
  [
    'another technology in the same namespace',
    { technology: 'ethereum', description: { ...tally.description, namespace: 'tally' } },
  ],
  ['an unknown interface version', { interfaceVersion: '0.2.0' }],
  ['another namespace of its chains', { description: { ...tally.description, namespace: 'other' } }],
])(
  'nothing is sent to a plugin that now has %s until the original plugin runs at its URL again',
  async (_, other) => {
    const former = plugin.about;
    onTestFinished(() => {
      plugin.about = former;
      plugin.isFinal = true;
    });
    plugin.isFinal = false;
    const pending = await send('of-counter');
    expect(pending.status).toBe(201);
    const { actionId } = pending.body;
    await eventually(async () => expect([...plugin.transactions.keys()]).toContain(actionId));

    plugin.about = { ...former, ...other };
    await eventually(async () => expect(await shown()).toMatchObject({ loaded: false, up: '0' }));
    plugin.received.length = 0;
    const sent = await send('of-counter');
    const walletId = `unserved-${randomUUID()}`;
    const wallet = await tenant.api.call('POST', '/v1/cloud-wallet/wallets', walletOf(walletId, 'counter'));
    // Meanwhile the status of the pending action is due several times.
    await eventually(async () => expect(plugin.to('GET', '').length).toBeGreaterThan(3));
    expect(plugin.received.filter(({ path }) => path !== '/v1/cloud-wallet')).toEqual([]);
    expect([sent.status, wallet.status]).toEqual([502, 502]);
    expect(await shown()).toMatchObject({ loaded: false, up: '0' });

    plugin.about = former;
    plugin.isFinal = true;
    await eventually(async () => expect(await shown()).toMatchObject(unchanged));
    await eventually(async () =>
      expect(await tenant.api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`)).toMatchObject({
        status: 'SUCCEEDED',
      }),
    );
  },
);

test.each([
  [
    'another technology in the same namespace',
    { technology: 'ethereum', description: { ...tally.description, namespace: 'tally' } },
    'the technology ethereum instead of tally',
  ],
  ['an unknown interface version', { interfaceVersion: '0.2.0' }, '0.2.0'],
  [
    'another namespace of its chains',
    { description: { ...tally.description, namespace: 'other' } },
    'another namespace of its chains',
  ],
  ['a description without a title', { description: { addresses: {} } }, 'title'],
])(
  'a plugin that now has %s can be renamed and deactivated, but not activated until it has its former description again',
  async (_, other, reason) => {
    const former = plugin.about;
    plugin.about = { ...former, ...other };
    onTestFinished(() => {
      plugin.about = former;
    });
    await eventually(async () => expect(await shown()).toMatchObject({ loaded: false }));
    const update = (more: object) =>
      tenant.api.call<{ name: string; version: string; detail: string; warnings: string[] }>(
        'PUT',
        `/v1/plugins/${pluginId}`,
        { name: 'tally', url: plugin.url, active: true, ...more },
      );
    const { version } = await tenant.api.expect(200, 'GET', `/v1/plugins/${pluginId}`);
    const renamed = await update({ name: 'abacus shop' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { name: 'abacus shop', version, warnings: [expect.stringContaining(reason)] },
    });
    expect(await selected('counter')).toMatchObject({ chosen: { id: pluginId, canServe: false } });
    // The plugin gets nothing else, although the update read its description.
    plugin.received.length = 0;
    expect((await send('of-counter')).status).toBeGreaterThanOrEqual(500);
    expect(plugin.received.filter(({ path }) => path !== '/v1/cloud-wallet')).toEqual([]);

    const withToken = await update({ credentials: { bearerToken: 'a-token-for-this-test' } });
    expect(withToken).toMatchObject({ status: 422, body: { detail: expect.stringContaining(reason) } });
    expect((await update({ active: false })).status).toBe(200);
    const refused = await update({});
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining(reason) } });

    plugin.about = former;
    expect(await update({})).toMatchObject({ status: 200, body: { warnings: [] } });
    expect((await send('of-counter')).status).toBe(201);
  },
);
