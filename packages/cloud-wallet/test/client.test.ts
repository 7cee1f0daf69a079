import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { createCloudWalletClient, exchangeWith, type Fetch, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test } from 'vitest';
import { startMemoryPlugin, transferGlo } from './memory-plugin.ts';
import { problemOf } from './problem-of.ts';

const secret = 'a secret of thirty-two characters';
const plugin = {
  name: 'far',
  technology: 'ethereum',
  version: '1.0.0',
  interfaceVersion: '0.1.0',
  capabilities: { operations: ['transfer'], checks: false, emulations: false },
};
const json = (body: unknown, status = 200, type = 'application/json') =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': type },
  });

/** Opens a ledger of a remote plugin. `respond` answers every request except the one for the plugin's description. */
async function answering(respond: Fetch, timeoutMs = 5_000) {
  const fetch: Fetch = async (url, init) =>
    url.endsWith('/v1/cloud-wallet') ? json(plugin) : respond(url, init);
  const client = createCloudWalletClient({
    url: 'https://user:hunter2@far.example/base/',
    exchange: exchangeWith(fetch),
    timeoutMs,
  });
  return (await remoteAdapter(client)).open('l');
}
const request = { actionId: 'a', walletId: 'w', secret, glo: transferGlo('1') };

test('the client creates a wallet, checks, emulates and sends a transfer, and reads its outcome', async () => {
  const ledger = harnessLedger({ autoMine: true });
  const memory = await startMemoryPlugin(ledger);
  onTestFinished(() => memory.close());
  const client = createCloudWalletClient({
    url: memory.url,
    exchange: exchangeWith(fetch),
    timeoutMs: 60_000,
  });
  const definition = await remoteAdapter(client);
  expect(definition).toMatchObject({ custody: 'remote', name: 'memory', ledgers: ['memory'] });
  expect(definition.description?.title).toBe('Ledger in memory');
  expect(definition.capabilities).toMatchObject({ checks: true, emulations: true });

  const remote = definition.open('memory');
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  ledger.fund(address, 10n ** 9n);
  expect(await remote.check({ walletId: 'w', glo: transferGlo('5') })).toEqual({
    cost: 210_005n,
    recipients: [`0x${'ab'.repeat(20)}`],
  });
  expect(await remote.emulate({ walletId: 'w', glo: transferGlo('5') })).toMatchObject({ fee: 210_000n });
  const sent = await remote.send(request);
  let [status] = await remote.status([sent.txId, 'unknown']);
  while (status?.status === 'PROCESSING') [status] = await remote.status([sent.txId]);
  expect(status).toEqual({
    ...{ txId: sent.txId, status: 'SUCCEEDED', locator: sent.txId, transactions: [sent.txId] },
    ...{ blockHeight: 1, fee: 210_000n },
  });
  expect(await remote.status(['unknown'])).toMatchObject([{ txId: 'unknown', status: 'UNKNOWN' }]);
  expect(ledger.executions({ from: address })).toBe(1);
});

test('if a plugin refuses an operation, the client throws the plugin’s problem with its pointer into the operation', async () => {
  const ledger = harnessLedger({ autoMine: true });
  const memory = await startMemoryPlugin(ledger);
  onTestFinished(() => memory.close());
  const client = createCloudWalletClient({
    url: memory.url,
    exchange: exchangeWith(fetch),
    timeoutMs: 60_000,
  });
  const remote = (await remoteAdapter(client)).open('memory');
  await remote.createWallet({ walletId: 'w', secret });
  expect(await problemOf(remote.send({ ...request, glo: transferGlo('1', '0x12') }))).toMatchObject({
    code: 'invalid-argument',
    issues: [{ pointer: '/recipient/resource' }],
  });
});

test('every wallet that a request names signs the transaction, and a check reports the costs of each account', async () => {
  const ledger = harnessLedger({ sequence: 'none', autoMine: true });
  const memory = await startMemoryPlugin(ledger);
  onTestFinished(() => memory.close());
  const client = createCloudWalletClient({
    url: memory.url,
    exchange: exchangeWith(fetch),
    timeoutMs: 60_000,
  });
  const remote = (await remoteAdapter(client)).open('memory');
  const walletIds = ['w', 'payer', 'second'];
  const wallets = walletIds.map((walletId) => ({
    walletId,
    secret: `the secret of ${walletId}, which is long`,
  }));
  const made = await Promise.all(wallets.map((wallet) => remote.createWallet(wallet)));
  const [from = '', payer = '', second = ''] = made.map(({ address }) => address);
  for (const address of [from, payer]) ledger.fund(address, 10n ** 9n);
  const content = { version: '1', native_transaction_content: { payer, signers: [second] } };
  const glo = { ...transferGlo('5'), meta: { ledger: { memory: content } } };
  const checked = await remote.check({ walletId: 'w', others: ['payer', 'second'], glo });
  const fee = 21_000n * ledger.gasPrice;
  expect(checked).toMatchObject({ cost: 5n, costs: [{ address: payer, amount: fee }] });
  const [sender = { walletId: '', secret: '' }, ...others] = wallets;
  const { txId } = await remote.send({ actionId: 'a', ...sender, others, glo });
  expect(await remote.status([txId])).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect(ledger.balanceOf(payer)).toBe(10n ** 9n - fee);
});

test('a plugin with a bearer token refuses requests without the token', async () => {
  const memory = await startMemoryPlugin(undefined, 'the token');
  onTestFinished(() => memory.close());
  const client = (headers: Record<string, string>) =>
    remoteAdapter(
      createCloudWalletClient({ url: memory.url, exchange: exchangeWith(fetch), timeoutMs: 60_000, headers }),
    );
  expect(await problemOf(client({}))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('401'),
  });
  expect(await client({ authorization: 'Bearer the token' })).toMatchObject({ name: 'memory' });
});

test('while a plugin’s rate limit applies, the client sends no requests and reports the remaining time', async () => {
  let requests = 0;
  const remote = await answering(async () => {
    requests += 1;
    return new Response('{}', { status: 429, headers: { 'retry-after': '30' } });
  });
  expect(await problemOf(remote.send(request))).toMatchObject({ code: 'unavailable', retryAfterMs: 30_000 });
  expect(await problemOf(remote.status(['a']))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('its rate limit. It is queried again in 30 s.'),
    retryAfterMs: expect.any(Number),
  });
  expect(requests).toBe(1);
});

test('a 503 response to one request does not delay other requests', async () => {
  let requests = 0;
  const remote = await answering(async () => {
    requests += 1;
    return new Response('{}', { status: 503, headers: { 'retry-after': '7' } });
  });
  expect(await problemOf(remote.send(request))).toMatchObject({ code: 'unavailable', retryAfterMs: 7_000 });
  expect(await problemOf(remote.send(request))).toMatchObject({ code: 'unavailable', retryAfterMs: 7_000 });
  expect(requests).toBe(2);
});

test.each<[string, string, string, () => Promise<Response>]>([
  [
    'is down',
    'unavailable',
    'The plugin far.example cannot be reached.',
    () => Promise.reject(new TypeError('x')),
  ],
  ['answers 503', 'unavailable', 'with status 503', async () => json({}, 503)],
  ['answers 504', 'timeout', 'with status 504', async () => json({}, 504)],
  ['answers 429', 'unavailable', 'with status 429', async () => json({}, 429)],
  [
    'is behind a proxy that does not know the path',
    'unavailable',
    'with status 404',
    async () => json('<html>', 404, 'text/html'),
  ],
  [
    'answers with a status that differs from its problem',
    'unavailable',
    'with status 400',
    async () => json({ type: 'x', title: 'x', status: 422, detail: 'x' }, 400, 'application/problem+json'),
  ],
  [
    'answers with HTML',
    'adapter-fault',
    'content of type text/html',
    async () => json('<html>', 200, 'text/html'),
  ],
  ['answers with broken JSON', 'adapter-fault', 'no', async () => json('{"txId":')],
  [
    'answers with duplicate members',
    'adapter-fault',
    'JSON that cannot be read',
    async () => json('{"a":1,"a":2}'),
  ],
  [
    'answers with deeply nested JSON',
    'adapter-fault',
    'JSON that cannot be read',
    async () => json('['.repeat(1_000)),
  ],
  [
    'answers with JSON of the wrong structure',
    'adapter-fault',
    '/status',
    async () => json({ txId: 'a', status: 'DONE' }),
  ],
  ['answers with an empty body', 'adapter-fault', 'JSON that cannot be read', async () => json('')],
  [
    'answers without ending the body',
    'adapter-fault',
    'more than 10485760 bytes',
    async () => {
      const chunk = new Uint8Array(1_048_576).fill(32);
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    },
  ],
])(
  'if a plugin %s, the problem names the plugin and contains no secret',
  async (_, code, detail, respond) => {
    const problem = await problemOf((await answering(respond)).send(request));
    expect(problem).toMatchObject({ code, phase: 'submit', detail: expect.stringContaining(detail) });
    expect(problem).toMatchObject({ detail: expect.stringContaining('far.example') });
    expect(JSON.stringify(problem)).not.toMatch(/hunter2|thirty-two/);
  },
);

test('the client removes NUL from a plugin’s answers, because databases do not accept it', async () => {
  const remote = await answering(async () =>
    json([{ status: 'SUCCEEDED', details: { locator: 'a\0b', contractAddress: '\0' } }]),
  );
  expect(await remote.status(['t'])).toEqual([
    { txId: 't', status: 'SUCCEEDED', locator: 'a\ufffdb', contractAddress: '\ufffd' },
  ]);
});

test('a secret that a plugin repeats is removed from the problem', async () => {
  const problem = { type: 'x', title: 'x', status: 422, detail: `What is ${secret}?` };
  const refused = await answering(async () => json(problem, 422, 'application/problem+json'));
  expect(await problemOf(refused.send(request))).toMatchObject({
    code: 'refused',
    detail: 'The plugin far.example says: "What is [secret]?"',
  });
  const failed = await answering(async () => json({ txId: 't', status: 'FAILED', problem }));
  expect(await failed.send(request)).toMatchObject({
    problem: { detail: 'The plugin far.example says: "What is [secret]?"' },
  });
});

test('the client shortens a plugin’s messages, puts them on one line and quotes them', async () => {
  const detail = `\u001b[2J\n"${'x'.repeat(1_000_000)}`;
  const errors = Array.from({ length: 3 }, () => ({ pointer: `/${detail}`, detail }));
  const problem = (status: number) => ({ type: 'x', title: 'x', status, detail, errors });
  const quoted = /The plugin far\.example(?: answered \S+ with status 503, and)? says: "\[2J 'x+…"$/;
  for (const status of [422, 503]) {
    const remote = await answering(async () => json(problem(status), status, 'application/problem+json'));
    const shortened = await problemOf(remote.send(request));
    expect(shortened).toMatchObject({ detail: expect.stringMatching(quoted) });
    expect(JSON.stringify(shortened).length).toBeLessThan(60_000);
    expect(JSON.stringify(shortened)).not.toMatch(/\\[nu]/);
  }
  const failed = await answering(async () => json({ txId: 't', status: 'FAILED', problem: problem(422) }));
  expect(await failed.send(request)).toMatchObject({ problem: { detail: expect.stringMatching(quoted) } });
});

test('the client times out if a plugin never answers or never ends its answer', async () => {
  const never: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const problem = await problemOf((await answering(never, 20)).send(request));
  expect(problem).toMatchObject({ code: 'timeout', detail: expect.stringContaining('within 20 ms') });
});

test('the client does not follow redirects, and sends the secret only in the body', async () => {
  const remote = await answering(async (url, init) => {
    expect(url).toBe('https://far.example/base/v1/cloud-wallet/transactions');
    expect(init.redirect).toBe('error');
    expect(JSON.stringify(init.headers)).not.toContain(secret);
    expect(JSON.parse(String(init.body))).toMatchObject({
      actionId: 'a',
      wallet: 'w',
      pluginParams: { walletPassword: secret },
    });
    return json({ txId: 't', status: 'PROCESSING', problem: null });
  });
  expect(await remote.send(request)).toEqual({ txId: 't', status: 'PROCESSING' });
});

test('each request carries the current trace context, if there is one', async () => {
  const sent: unknown[] = [];
  const fetch: Fetch = async (_, { headers }) => {
    sent.push(headers);
    return json(plugin);
  };
  let trace: string | undefined;
  const traceparent = () => trace;
  const client = createCloudWalletClient({
    url: 'https://far.example',
    exchange: exchangeWith(fetch),
    timeoutMs: 100,
    traceparent,
  });
  await remoteAdapter(client);
  trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await remoteAdapter(client);
  expect(sent).toEqual([
    expect.not.objectContaining({ traceparent: expect.anything() }),
    expect.objectContaining({ traceparent: trace }),
  ]);
});

test('the client rejects a plugin of another interface version, and a server that is not a plugin', async () => {
  const opened = (body: unknown) =>
    problemOf(
      remoteAdapter(
        createCloudWalletClient({
          url: 'https://far.example',
          exchange: exchangeWith(async () => json(body)),
          timeoutMs: 100,
        }),
      ),
    );
  expect(await opened({ ...plugin, interfaceVersion: '0.9.0' })).toMatchObject({
    detail:
      'The plugin far.example was written for version 0.9.0 of the adapter interface, but this host has 0.1.0. Update the older of the two.',
  });
  expect(await opened({ ...plugin, description: { title: 'Toy' } })).toMatchObject({
    detail: expect.stringContaining('/description/addresses: is required'),
  });
  expect(await opened({ hello: 'world' })).toMatchObject({ code: 'adapter-fault', phase: 'open' });
});

test('the client sends no requests for undeclared capabilities, and rejects a response with too few statuses', async () => {
  const fetch: Fetch = async (url) => (url.includes('txId') ? json([]) : json(plugin));
  const client = createCloudWalletClient({
    url: 'https://far.example',
    exchange: exchangeWith(fetch),
    timeoutMs: 100,
  });
  const remote = (await remoteAdapter(client)).open('l');
  const glo = transferGlo('1');
  expect(await problemOf(remote.check({ walletId: 'w', glo }))).toMatchObject({
    code: 'unsupported-operation',
  });
  expect(await problemOf(remote.emulate({ glo }))).toMatchObject({ code: 'unsupported-operation' });
  expect(await problemOf(remote.status(['a']))).toMatchObject({
    detail: expect.stringContaining('0 statuses for 1'),
  });
});
