import { createCloudWalletClient, type Fetch, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test } from 'vitest';
import { problemOf } from './problem-of.ts';
import { serveMemory, transferGlo } from './served-memory.ts';

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

/** A remote plugin that is in order until it is asked to send, or after what it sent. */
async function answering(respond: Fetch, timeoutMs = 5_000) {
  const fetch: Fetch = async (url, init) =>
    url.endsWith('/v1/cloud-wallet') ? json(plugin) : respond(url, init);
  const client = createCloudWalletClient({ url: 'https://user:hunter2@far.example/base/', fetch, timeoutMs });
  return (await remoteAdapter(client)).open('l');
}
const request = { actionId: 'a', walletId: 'w', secret, glo: transferGlo('1') };

test('a plugin is driven from its wallet to the end of a transaction', async () => {
  const served = await serveMemory();
  onTestFinished(() => served.close());
  const client = createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 });
  const definition = await remoteAdapter(client);
  expect(definition).toMatchObject({ custody: 'remote', name: 'memory', ledgers: ['memory'] });
  expect(definition.description?.title).toBe('Ledger in memory');
  expect(definition.capabilities).toMatchObject({ checks: true, emulations: true });

  const remote = definition.open('memory');
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  served.ledger.fund(address, 10n ** 9n);
  expect(await remote.check({ walletId: 'w', glo: transferGlo('5') })).toEqual({
    cost: 210_005n,
    recipients: [`0x${'ab'.repeat(20)}`],
  });
  expect(await remote.emulate({ walletId: 'w', glo: transferGlo('5') })).toMatchObject({ fee: 210_000n });
  const sent = await remote.send(request);
  let [status] = await remote.status([sent.txId, 'unknown']);
  while (status?.status === 'PROCESSING') [status] = await remote.status([sent.txId]);
  expect(status).toEqual({ txId: sent.txId, status: 'SUCCEEDED', locator: sent.txId });
  expect(await remote.status(['unknown'])).toMatchObject([{ txId: 'unknown', status: 'UNKNOWN' }]);
  expect(served.ledger.executions({ from: address })).toBe(1);
});

test('a refusal of the plugin is its own, with the place in the operation', async () => {
  const served = await serveMemory();
  onTestFinished(() => served.close());
  const client = createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 });
  const remote = (await remoteAdapter(client)).open('memory');
  await remote.createWallet({ walletId: 'w', secret });
  expect(await problemOf(remote.send({ ...request, glo: transferGlo('1', '0x12') }))).toMatchObject({
    code: 'invalid-argument',
    issues: [{ pointer: '/recipient/resource' }],
  });
  const poor = await remote.send(request);
  expect(poor).toMatchObject({ txId: 'a', status: 'FAILED', problem: { code: 'insufficient-funds' } });
  // Final, though the wallet could pay by now.
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  served.ledger.fund(address, 10n ** 9n);
  expect(await remote.send(request)).toEqual(poor);
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
    'is behind a proxy that does not know it',
    'unavailable',
    'with status 404',
    async () => json('<html>', 404, 'text/html'),
  ],
  [
    'answers another status than its problem has',
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
    'answers with deep JSON',
    'adapter-fault',
    'JSON that cannot be read',
    async () => json('['.repeat(1_000)),
  ],
  ['answers with another form', 'adapter-fault', '/status', async () => json({ txId: 'a', status: 'DONE' })],
  ['answers with nothing', 'adapter-fault', 'JSON that cannot be read', async () => json('')],
  [
    'answers without end',
    'adapter-fault',
    'more than 10485760 bytes',
    async () => {
      const chunk = new Uint8Array(1_048_576).fill(32);
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    },
  ],
])('a plugin that %s: a named problem, and no secret in it', async (_, code, detail, respond) => {
  const problem = await problemOf((await answering(respond)).send(request));
  expect(problem).toMatchObject({ code, phase: 'submit', detail: expect.stringContaining(detail) });
  expect(problem).toMatchObject({ detail: expect.stringContaining('far.example') });
  expect(JSON.stringify(problem)).not.toMatch(/hunter2|thirty-two/);
});

test('a NUL in what a plugin answers goes no further: databases do not take one', async () => {
  const remote = await answering(async () =>
    json([{ status: 'SUCCEEDED', details: { locator: 'a\0b', contractAddress: '\0' } }]),
  );
  expect(await remote.status(['t'])).toEqual([
    { txId: 't', status: 'SUCCEEDED', locator: 'a\ufffdb', contractAddress: '\ufffd' },
  ]);
});

test('a plugin that repeats the secret does not get it into a problem', async () => {
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

test('what a plugin says comes bounded, in one line, and as its words, wherever it says it', async () => {
  const detail = `\u001b[2J\n"${'x'.repeat(1_000_000)}`;
  const errors = Array.from({ length: 3 }, () => ({ pointer: `/${detail}`, detail }));
  const problem = (status: number) => ({ type: 'x', title: 'x', status, detail, errors });
  const said = /The plugin far\.example(?: answered \S+ with status 503, and)? says: "\[2J 'x+…"$/;
  for (const status of [422, 503]) {
    const remote = await answering(async () => json(problem(status), status, 'application/problem+json'));
    const told = await problemOf(remote.send(request));
    expect(told).toMatchObject({ detail: expect.stringMatching(said) });
    expect(JSON.stringify(told).length).toBeLessThan(60_000);
    expect(JSON.stringify(told)).not.toMatch(/\\[nu]/);
  }
  const failed = await answering(async () => json({ txId: 't', status: 'FAILED', problem: problem(422) }));
  expect(await failed.send(request)).toMatchObject({ problem: { detail: expect.stringMatching(said) } });
});

test('a plugin that never answers, or never ends its answer, times out', async () => {
  const never: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const problem = await problemOf((await answering(never, 20)).send(request));
  expect(problem).toMatchObject({ code: 'timeout', detail: expect.stringContaining('within 20 ms') });
});

test('redirects are not followed, and the secret goes in the body only', async () => {
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

test('each request carries the trace of the work under way, where there is one', async () => {
  const sent: unknown[] = [];
  const fetch: Fetch = async (_, { headers }) => {
    sent.push(headers);
    return json(plugin);
  };
  let trace: string | undefined;
  const traceparent = () => trace;
  const client = createCloudWalletClient({ url: 'https://far.example', fetch, timeoutMs: 100, traceparent });
  await remoteAdapter(client);
  trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await remoteAdapter(client);
  expect(sent).toEqual([
    expect.not.objectContaining({ traceparent: expect.anything() }),
    expect.objectContaining({ traceparent: trace }),
  ]);
});

test('a plugin of another version is refused with both versions, and one that is none by name', async () => {
  const opened = (body: unknown) =>
    problemOf(
      remoteAdapter(
        createCloudWalletClient({
          url: 'https://far.example',
          fetch: async () => json(body),
          timeoutMs: 100,
        }),
      ),
    );
  expect(await opened({ ...plugin, interfaceVersion: '0.9.0' })).toMatchObject({
    detail: 'The plugin far.example speaks version 0.9.0 of the adapter interface; this host has 0.1.0.',
  });
  expect(await opened({ ...plugin, description: { title: 'Toy' } })).toMatchObject({
    detail: expect.stringContaining('/description/addresses: is required'),
  });
  expect(await opened({ hello: 'world' })).toMatchObject({ code: 'adapter-fault', phase: 'open' });
});

test('what a plugin does not declare is unsupported, without asking it; fewer statuses are a fault', async () => {
  const fetch: Fetch = async (url) => (url.includes('txId') ? json([]) : json(plugin));
  const client = createCloudWalletClient({ url: 'https://far.example', fetch, timeoutMs: 100 });
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
