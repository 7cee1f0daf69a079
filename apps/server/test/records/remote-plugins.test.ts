// Ledgers of remote plugins over HTTP, also of plugins that fail.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';
import { tally, UrlPlugin } from '../stage/url-plugin.ts';

const walletPassword = 'correct horse battery staple';
/** Other origins of the same server. */
const others: [string, (url: string) => string][] = [
  ['another scheme', (url) => url.replace('http:', 'https:')],
  ['the host name instead of the address', (url) => url.replace('127.0.0.1', 'localhost')],
];
const plugin = new UrlPlugin();
const second = new UrlPlugin();
const third = new UrlPlugin();
let here: Installation;
let tenant: Tenant;
let pluginId: string;

beforeAll(async () => {
  await Promise.all([plugin.start(), second.start(), third.start()]);
  here = await install(
    {
      PLUGINS_ALLOWED: [plugin.url, second.url, third.url, ...others.map(([, of]) => of(plugin.url))].join(
        ',',
      ),
      METRICS_PORT: '0',
    },
    [],
    {
      select: 10_000,
      remoteCall: 1_500,
      probe: 100,
    },
  );
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
  await Promise.all([plugin.close(), second.close(), third.close()]);
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

const walletOf = (walletId: string, ledgerId = 'counter') => ({
  ...{ walletId, ledgerId },
  pluginParameters: { walletPassword },
});

test('repeating the creation of a wallet sends the same id and secret to the plugin, so the plugin creates only one wallet', async () => {
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

test('parallel requests that create the same wallet create one wallet, even if the plugin did not respond at first', async () => {
  const { api } = tenant;
  const before = plugin.wallets.size;
  const create = () => api.call('POST', '/v1/cloud-wallet/wallets', walletOf('parallel'));
  plugin.conduct = 'hang';
  const answers = await Promise.all([create(), create(), create()]);
  for (const { status } of answers) expect(status).toBeOneOf([409, 504]);
  plugin.conduct = 'answer';
  const again = await Promise.all([create(), create(), create()]);
  for (const { status } of again) expect(status).toBeOneOf([201, 409]);
  expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(plugin.wallets.size).toBe(before + 1);
});

test('repeating an interrupted creation of a wallet requires the password of the first request', async () => {
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

test('the id of an interrupted creation of a wallet cannot be used on another ledger, and the error says why', async () => {
  const { api } = tenant;
  await api.expect(201, 'POST', '/v1/ledgers', ledgerOf('second-counter'));
  const before = plugin.wallets.size;
  plugin.conduct = 'hang';
  expect(await api.call('POST', '/v1/cloud-wallet/wallets', walletOf('moved'))).toMatchObject({
    status: 504,
  });
  plugin.conduct = 'answer';
  expect(
    await api.call('POST', '/v1/cloud-wallet/wallets', walletOf('moved', 'second-counter')),
  ).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('on another ledger, and its account may exist there') },
  });
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('moved'));
  expect(plugin.wallets.size).toBe(before + 1);
});

test('a wallet whose creation the plugin refused can be created with a different password afterwards', async () => {
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

/** Returns the plugin's state as its health, readiness and the metrics report it. */
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
  ['does not answer', 'hang', /did not answer \/v1\/cloud-wallet within/],
  ['closes its connections', 'cut', /cannot be reached/],
  ['never ends its answers', 'trickle', /did not answer \/v1\/cloud-wallet within/],
  ['redirects requests', 'redirect', /\/v1\/cloud-wallet/],
  ['sends empty answers', 'empty', /\/v1\/cloud-wallet/],
  ['compresses its answers', 'compress', /answered with content encoded as gzip, which was not requested/],
] as const)(
  'a plugin that %s is reported as down, even if it is unused, and as up after it answers again',
  async (_, conduct, why) => {
    const isUp = async () =>
      expect(await shown()).toMatchObject({
        health: { loaded: true },
        chosen: { canServe: true, fault: null },
        ready: { status: 'ready', warnings: [] },
        up: '1',
      });
    await vi.waitFor(isUp, { timeout: 30_000 });
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
    await vi.waitFor(isUp, { timeout: 30_000 });
  },
);

test('a plugin that refuses a request is up, but a plugin whose proxy returns its own page is down', async () => {
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

const chosenFor = async (ledgerId: string) =>
  (
    await tenant.api.expect<{ chosen: { id: string } | null }>(
      ...([200, 'GET', `/v1/plugins/selection?ledgerId=${ledgerId}`] as const),
    )
  ).chosen?.id;

test.each([
  ['an unknown interface version', { interfaceVersion: '0.2.0' }],
  ['a text instead of a version', { interfaceVersion: 'latest' }],
  ['another technology', { technology: 'ethereum' }],
])(
  'a plugin replaced at its URL by a plugin with %s is reported as down until the original runs there again',
  async (_, change) => {
    plugin.about = { ...plugin.about, ...change };
    await vi.waitFor(
      async () =>
        expect(await shown()).toMatchObject({
          health: { loaded: false },
          chosen: { canServe: false },
          up: '0',
        }),
      { timeout: 30_000 },
    );
    plugin.about = tally;
    await vi.waitFor(async () => expect(await shown()).toMatchObject({ health: { loaded: true }, up: '1' }), {
      timeout: 30_000,
    });
  },
);

test('a plugin that serves only one ledger is not selected for a different ledger, regardless of its tags and version', async () => {
  const { api, projectId } = tenant;
  second.about = { ...tally, version: '9.0.0', ledgers: ['elsewhere'] };
  const { id } = await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'second', projectId, url: second.url, tags: ['tally', 'more', 'tags'] },
  });
  expect(await chosenFor('counter')).toBe(pluginId);
  const { candidates } = await api.expect<{ candidates: { id: string; reason: string | null }[] }>(
    ...([200, 'GET', '/v1/plugins/selection?ledgerId=counter'] as const),
  );
  expect(candidates.find((one) => one.id === id)?.reason).toBe(
    'The plugin serves only the ledgers elsewhere.',
  );
  await api.expect(201, 'POST', '/v1/ledgers', ledgerOf('elsewhere'));
  expect(await chosenFor('elsewhere')).toBe(id);
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('here', 'counter'));
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('there', 'elsewhere'));
  expect(second.wallets.size).toBe(1);
  await api.expect(200, 'PUT', `/v1/plugins/${id}`, { active: false, name: 'second', url: second.url });
});

test('a newly registered plugin takes over ledgers from another plugin unless the request forbids it', async () => {
  const { api, projectId } = tenant;
  second.about = { ...tally, version: '9.0.0' };
  const body = { name: 'better', projectId, url: second.url, tags: ['tally', 'better'], takeOver: false };
  const refused = await api.call('POST', '/v1/plugins', body);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      type: 'urn:ledger-ops:problem:conflict',
      detail: expect.stringMatching(new RegExp(`counter \\(by ${pluginId}\\).*takeOver`)),
      errors: [{ pointer: '/takeOver' }],
    },
  });
  expect(await chosenFor('counter')).toBe(pluginId);

  // A plugin takes over a ledger when its tags change or when it is activated.
  const { id } = await api.expect(201, 'POST', '/v1/plugins', { ...body, tags: ['better'] });
  const tags = { tags: ['tally'], takeOver: false };
  expect(await api.call('POST', `/v1/plugins/${id}/tags`, tags)).toMatchObject({ status: 409 });
  const off = { active: false, name: 'better', url: second.url };
  await api.expect(200, 'PUT', `/v1/plugins/${id}`, off);
  await api.expect(200, 'POST', `/v1/plugins/${id}/tags`, tags);
  expect(await api.call('PUT', `/v1/plugins/${id}`, { ...off, active: true, takeOver: false })).toMatchObject(
    { status: 409 },
  );
  expect(await chosenFor('counter')).toBe(pluginId);
  const { warnings } = await api.expect(200, 'PUT', `/v1/plugins/${id}`, { ...off, active: true });
  expect(warnings).toContainEqual(expect.stringContaining(`counter (by ${pluginId})`));
  expect(await chosenFor('counter')).toBe(id);
  // With a newer version, the first plugin would take over the ledger again.
  const back = { active: true, name: 'tally', url: plugin.url, version: '10.0.0', takeOver: false };
  expect(await api.call('PUT', `/v1/plugins/${pluginId}`, back)).toMatchObject({ status: 409 });
  await api.expect(200, 'PUT', `/v1/plugins/${pluginId}`, { ...back, takeOver: true });
  expect(await chosenFor('counter')).toBe(pluginId);
  await api.expect(200, 'PUT', `/v1/plugins/${id}`, off);
});

test('registering a plugin with takeOver: false is refused if it would take over a ledger of a built-in plugin', async () => {
  const { api, projectId } = tenant;
  second.about = { ...tally, name: 'other-ethereum', technology: 'ethereum', description: undefined };
  const body = { name: 'other', projectId, url: second.url, tags: ['ethereum'], takeOver: false };
  expect(await api.call('POST', '/v1/plugins', body)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('chain (by ethereum)') },
  });
  expect(await chosenFor('chain')).toBe('ethereum');
});

test('a remote plugin cannot take over a ledger with a confirmation depth, because the plugin does not receive the depth', async () => {
  const { api, projectId } = tenant;
  const properties = { chain_id: 31_337, development: true, confirmations: 1_000 };
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...ledgerOf('deep', properties),
    ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
    nodes: [{ options: { uri: here.anvil.url } }],
  });
  second.about = { ...tally, name: 'other-ethereum', technology: 'ethereum', description: undefined };
  const body = { name: 'other', projectId, url: second.url, tags: ['ethereum'] };
  for (const takeOver of [undefined, false, true])
    expect(await api.call('POST', '/v1/plugins', { ...body, takeOver })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/\bdeep\b/) },
    });
  expect(await chosenFor('deep')).toBe('ethereum');
  // With tags that do not select the plugin it can be registered, but not get the tags afterwards.
  const { id } = await api.expect(201, 'POST', '/v1/plugins', { ...body, tags: ['other'] });
  expect(await api.call('POST', `/v1/plugins/${id}/tags`, { tags: ['ethereum'] })).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/do not receive `confirmations`.*: deep\./) },
  });
  expect(await chosenFor('deep')).toBe('ethereum');
  // A plugin that serves only other ledgers can be registered.
  second.about = { ...second.about, ledgers: ['chain'] };
  const made = await api.expect(201, 'POST', '/v1/plugins', body);
  expect(made.warnings).toContainEqual(expect.stringContaining('chain (by ethereum)'));
  expect(await chosenFor('deep')).toBe('ethereum');
  const off = { active: false, name: 'other', url: second.url };
  await api.expect(200, 'PUT', `/v1/plugins/${made.id}`, off);
  // Without the list of ledgers it cannot be activated.
  second.about = { ...second.about, ledgers: undefined };
  expect(await api.call('PUT', `/v1/plugins/${made.id}`, { ...off, active: true })).toMatchObject({
    status: 409,
  });
});

test.each([
  ['confirmations', 1_000],
  ['rpc_timeout', 1_000],
  ['development', true],
  ['allow_unencrypted', true],
  ['replace_after', 0],
  ['max_bumps', 1],
  ['chain_id', 1],
])(
  'a remote plugin’s ledger cannot have the property %s, because the plugin does not receive it',
  async (name, value) => {
    const { api } = tenant;
    const refused = {
      status: 400,
      body: { errors: [{ detail: expect.stringContaining('with a remote plugin; allowed properties are') }] },
    };
    expect(await api.call('POST', '/v1/ledgers', ledgerOf('deep', { [name]: value }))).toMatchObject(refused);
    const change = { ...ledgerOf('counter', { [name]: value }), active: true };
    expect(await api.call('PUT', '/v1/ledgers/counter', change)).toMatchObject({ status: 400 });
  },
);

test.each([1, 3])(
  'a remote plugin has at most max_in_flight (%i) unfinished transactions per wallet',
  async (limit) => {
    const { api } = tenant;
    const ledgerId = `at-most-${limit}`;
    await api.expect(201, 'POST', '/v1/ledgers', ledgerOf(ledgerId, { max_in_flight: limit }));
    const wallets = [`first-${limit}`, `second-${limit}`];
    for (const walletId of wallets)
      await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf(walletId, ledgerId));
    const counted = plugin.countUnfinished();
    plugin.isFinal = false;
    const ids = await Promise.all(
      [...wallets, ...wallets, ...wallets, ...wallets, ...wallets].map(async (walletId) => {
        const { actionId } = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferFrom(walletId));
        return actionId;
      }),
    );
    await vi.waitFor(() => expect([...counted.now.values()]).toEqual([limit, limit]), { timeout: 30_000 });
    plugin.isFinal = true;
    await vi.waitFor(() => expect([...plugin.transactions.keys()]).toEqual(expect.arrayContaining(ids)), {
      timeout: 30_000,
    });
    expect([...counted.most.values()]).toEqual([limit, limit]);
  },
);

test('a ledger of a remote plugin cannot have nodes, because a remote plugin does not use them', async () => {
  const { api } = tenant;
  const uri = 'http://127.0.0.1:1';
  const words = expect.stringContaining('is remote and connects to its nodes itself');
  expect(
    await api.call('POST', '/v1/ledgers', { ...ledgerOf('noded'), nodes: [{ options: { uri } }] }),
  ).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: expect.stringMatching('^/nodes/0.*uri$'), detail: words }] },
  });
  expect(await api.call('POST', '/v1/nodes', { ledgerID: 'counter', options: { uri } })).toMatchObject({
    ...{ status: 400, body: { errors: [{ pointer: expect.stringMatching('uri$'), detail: words }] } },
  });
});

test('a plugin for a newer interface version is refused, even if the registration names an older version', async () => {
  const { api, projectId } = tenant;
  second.about = { ...tally, interfaceVersion: '0.1.7' };
  const body = { name: 'newer', projectId, url: second.url, tags: ['newer'] };
  for (const implementationVersion of [undefined, '0.1.0', '0.1.7'])
    expect((await api.call('POST', '/v1/plugins', { ...body, implementationVersion })).status).toBeOneOf([
      400, 422,
    ]);
  second.about = tally;
  expect(await api.call('POST', '/v1/plugins', { ...body, implementationVersion: '0.1.7' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/implementationVersion' }] },
  });
});

test.each([
  ...['0.2.0', '1.0.0', '0.1', 'v0.1.0', '00.1.0', ' 0.1.0', '', null, 1],
  ...['0.1.0\n', '0.1.0-', '0.1.0-alpha.01', '0.1.0+', '0.1.0.0', '0.1.99999999999999999999', '\u0660.1.0'],
  ...[['0.1.0'], { major: 0 }, `0.1.${'0'.repeat(300)}`],
])('a plugin with the interface version %j is refused', async (interfaceVersion) => {
  const { api, projectId } = tenant;
  second.about = { ...tally, interfaceVersion };
  const body = { name: 'odd', projectId, url: second.url, tags: ['odd'] };
  const answer = await api.call('POST', '/v1/plugins', body);
  second.about = tally;
  expect(answer.status).toBeOneOf([400, 422]);
});

test('a plugin’s URL cannot be changed while the plugin has wallets', async () => {
  const { api, projectId } = tenant;
  second.about = tally;
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf('kept'));
  const moved = { active: true, name: 'tally', url: second.url };
  expect(await api.call('PUT', `/v1/plugins/${pluginId}`, moved)).toMatchObject({
    status: 409,
    body: {
      type: 'urn:ledger-ops:problem:in-use',
      detail: expect.stringMatching(/wallets were created by the plugin tally at its present URL/),
      errors: [{ pointer: '/url' }],
    },
  });
  // Without wallets, the URL can be changed.
  const { id } = await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'empty', projectId, url: third.url, tags: ['empty'] },
  });
  await api.expect(200, 'PUT', `/v1/plugins/${id}`, { active: true, name: 'empty', url: plugin.url });
});

test.each<[string, (url: string) => string]>([
  ...others,
  ['another port', () => second.url],
  ['a path', (url) => `${url}/plugin`],
  ['a path that is only a space', (url) => `${url}/%20`],
  ['an escaped slash', (url) => `${url}/%2F`],
])('a plugin with wallets cannot get a URL with %s', async (_, of) => {
  const { api } = tenant;
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf(`placed-${plugin.wallets.size}`));
  for (const credentials of [{}, { credentials: null }, { credentials: { bearerToken: 'secret' } }]) {
    const moved = { active: true, name: 'tally', url: of(plugin.url), ...credentials };
    expect(await api.call('PUT', `/v1/plugins/${pluginId}`, moved)).toMatchObject({
      ...{ status: 409, body: { type: 'urn:ledger-ops:problem:in-use' } },
    });
  }
});

test.each<[string, (url: string) => string]>([
  ['a query', (url) => `${url}?wallet=1`],
  ['a fragment', (url) => `${url}#plugin`],
  ['a password', (url) => url.replace('//', '//user:password@')],
  ['a line break', (url) => `${url}\n`],
])('a URL with %s is refused, and the plugin keeps its wallets', async (_, of) => {
  const { api } = tenant;
  const walletId = `still-${plugin.wallets.size}`;
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf(walletId));
  const moved = { active: true, name: 'tally', url: of(plugin.url) };
  const refused = await api.call('PUT', `/v1/plugins/${pluginId}`, moved);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/url' }] } });
  const { actionId } = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferFrom(walletId));
  await vi.waitFor(() => expect([...plugin.transactions.keys()]).toContain(actionId), 10_000);
});

test.each<[string, (url: string) => string]>([
  ['a slash at its end', (url) => `${url}/`],
  ['an upper-case scheme', (url) => url.replace('http:', 'HTTP:')],
  ['the same path with a dot', (url) => `${url}/./`],
  ['a shortened address', (url) => url.replace('127.0.0.1', '127.1')],
  ['a hexadecimal address', (url) => url.replace('127.0.0.1', '0x7f000001')],
  ['an escaped dot as its path', (url) => `${url}/%2e/`],
])('a plugin keeps its wallets if its URL is written with %s', async (_, of) => {
  const { api } = tenant;
  const walletId = `before-${plugin.wallets.size}`;
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', walletOf(walletId));
  for (const credentials of [{ credentials: { bearerToken: 'secret' } }, { credentials: null }, {}]) {
    const same = { active: true, name: 'tally', url: of(plugin.url), ...credentials };
    const { url } = await api.expect<{ url: string }>(200, 'PUT', `/v1/plugins/${pluginId}`, same);
    expect(url).toBe(plugin.url);
    const { actionId } = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferFrom(walletId));
    await vi.waitFor(() => expect([...plugin.transactions.keys()]).toContain(actionId), 10_000);
  }
});
