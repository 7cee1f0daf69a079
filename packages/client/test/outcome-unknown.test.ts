import { expect, test, vi } from 'vitest';
import {
  createClient,
  NoAnswerError,
  type OperationKey,
  OutcomeUnknownError,
  ProblemError,
  referenceKey,
  transferGlo,
} from '../src/index.ts';
import { answerShapes, keyedPaths } from '../src/served.generated.ts';
import { json, openFake, problem } from './fake-service.ts';

const accepted = { actionId: 'a1', id: 'a1', intent: null, status: 'PENDING' };
const transfer = { walletId: 'w', walletPassword: 'p', to: 'bob', amount: 1n };
const lost = () => {
  throw new TypeError('fetch failed');
};
const never = () => new Promise<Response>(() => {});
const caught = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );
/** The error that Node's fetch throws if there is no connection. */
const unconnected = () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
  throw new TypeError('fetch failed', { cause });
};
const webhook = { params: { path: { webhookId: 'w' } } };

test('if the responses to a transfer are lost, rejects with the idempotency key for a retry', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [lost];
  const error = await caught(ledger.transfer(transfer));
  if (!(error instanceof OutcomeUnknownError)) throw new TypeError('It is another error.');
  const keys = new Set(asked().map(({ headers }) => headers.get('idempotency-key')));
  expect([...keys]).toEqual([error.idempotencyKey]);
  expect(error).toBeInstanceOf(NoAnswerError);
  expect(error).toMatchObject({
    name: 'OutcomeUnknownError',
    operation: 'POST /v1/ledger-ops/send',
    tries: 5,
  });
  expect(error.message).toContain(`idempotency key ${error.idempotencyKey}: it is executed only once.`);

  service.answers = [() => json(accepted, 201)];
  await ledger.transfer({ ...transfer, idempotencyKey: error.idempotencyKey ?? '' });
  expect(asked().at(-1)?.headers.get('idempotency-key')).toBe(error.idempotencyKey);
});

test('if the abort signal or a timeout ends a transfer after it was sent, rejects with its idempotency key', async () => {
  const { service, ledger } = openFake(undefined, { answer: 20, tries: 2 });
  service.answers = [never];
  const late = await caught(ledger.transfer(transfer));
  expect(late).toMatchObject({ name: 'OutcomeUnknownError', code: 'TIMEOUT', tries: 2 });

  const patient = openFake();
  patient.service.answers = service.answers;
  const over = new AbortController();
  const reason = new Error('Enough.');
  const sent = caught(patient.ledger.transfer({ ...transfer, idempotencyKey: 'mine', signal: over.signal }));
  await vi.waitFor(() => expect(patient.asked()).toHaveLength(1), { timeout: 30_000 });
  over.abort(reason);
  expect(await sent).toMatchObject({ name: 'OutcomeUnknownError', idempotencyKey: 'mine', cause: reason });
});

test('a transfer that was never sent rejects with NoAnswerError, or with the reason of its abort signal', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [unconnected];
  const error = await caught(ledger.transfer(transfer));
  expect(error).toMatchObject({ name: 'NoAnswerError', code: 'ECONNREFUSED', tries: 5 });
  expect(error).not.toBeInstanceOf(OutcomeUnknownError);

  const reason = new Error('Enough.');
  const before = asked().length;
  expect(await caught(ledger.transfer({ ...transfer, signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(asked()).toHaveLength(before);
});

test.each([
  ['was never sent if no address of the host accepts a connection', 'connect', 'NoAnswerError'],
  [
    'may have been executed if the connection to one address of the host was lost',
    'read',
    'OutcomeUnknownError',
  ],
])('a transfer %s', async (_, syscall, name) => {
  const { service, ledger } = openFake();
  const errors = ['connect', syscall].map((one) => Object.assign(new Error(one), { syscall: one }));
  service.answers = [
    () => {
      throw new TypeError('fetch failed', { cause: new AggregateError(errors) });
    },
  ];
  expect(await caught(ledger.transfer(transfer))).toMatchObject({ name });
});

test('the error contains the code of a TLS alert, which has a slash in current OpenSSL versions', async () => {
  const { service, ledger } = openFake(undefined, { tries: 1 });
  const code = 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE';
  service.answers = [
    () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('alert'), { code }) });
    },
  ];
  await expect(ledger.http.GET('/v1/technologies')).rejects.toMatchObject({
    ...{ name: 'NoAnswerError', code },
    message: expect.stringContaining(`no response after 1 try (${code})`),
  });
});

test('if fetch refuses a port, the error names the port and says that nothing was sent', async () => {
  const { service, ledger } = openFake();
  // The error of Node's own fetch.
  service.answers = [() => fetch('http://127.0.0.1:6000')];
  const error = await caught(ledger.transfer(transfer));
  expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  expect(error).toMatchObject({
    ...{ name: 'NoAnswerError', code: 'BAD_PORT' },
    message: expect.stringMatching(
      /\(BAD_PORT\)\. fetch refuses connections to port .*Run the service on another port/,
    ),
  });
});

test('if a retry is refused after a lost response, the outcome is still unknown', async () => {
  const { service, ledger } = openFake();
  for (const refusal of [
    problem(403, 'not-permitted'),
    problem(429, 'too-many-requests', { 'Retry-After': '999' }),
  ]) {
    service.answers = [lost, () => refusal.clone()];
    const error = await caught(ledger.transfer({ ...transfer, idempotencyKey: 'mine' }));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', idempotencyKey: 'mine', tries: 2 });
    expect(error).toMatchObject({ cause: { name: 'ProblemError', status: refusal.status } });
  }
  service.answers = [() => problem(403, 'not-permitted')];
  expect(await caught(ledger.transfer(transfer))).toBeInstanceOf(ProblemError);
});

test.each([
  ['an error of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['an error of the service', () => problem(500, 'internal')],
  ['a database that does not answer', () => problem(503, 'unavailable')],
  ['a timeout of a proxy', () => new Response('<h1>Request Timeout</h1>', { status: 408 })],
  ['an unavailable proxy', () => new Response('reset before headers', { status: 503 })],
  ['the page of a proxy', () => new Response('<h1>Welcome</h1>', { status: 200 })],
  ['an empty response', () => new Response(null, { status: 200 })],
])('%s leaves the outcome of a transfer unknown', async (_, answer) => {
  const { service, ledger } = openFake();
  service.answers = [answer];
  expect(await caught(ledger.transfer(transfer))).toBeInstanceOf(OutcomeUnknownError);
});

test.each([
  ['no content', 204, () => new Response(null, { status: 204 })],
  ['a list', 200, () => json([])],
  ['an empty object', 201, () => json({}, 201)],
  ['null', 200, () => json(null)],
  ['a text', 200, () => json('accepted')],
  ['the status of another program', 200, () => json({ status: 'ok' })],
])(
  'if the response is %s instead of an action, the outcome of the change is unknown',
  async (_, status, answer) => {
    const { service, ledger } = openFake();
    service.answers = [answer];
    const sender = { walletId: 'w', walletPassword: 'p' };
    const key = { idempotencyKey: 'mine' };
    for (const change of [
      () => ledger.transfer({ ...transfer, ...key }),
      () => ledger.call({ ...sender, contract: 'token', method: 'mint', ...key }),
      () => ledger.deploy({ ...sender, template: 'token:1', ...key }),
      () => ledger.send({ ...sender, glo: transferGlo({ to: 'bob', amount: 1n }), ...key }),
    ])
      expect(await caught(change())).toMatchObject({
        ...{ name: 'OutcomeUnknownError', idempotencyKey: 'mine', tries: 1 },
        message: expect.stringContaining('with the idempotency key mine'),
        cause: {
          ...{ name: 'ProblemError', type: 'about:blank', status },
          detail: expect.stringContaining(`has status ${status} but is not an action`),
        },
      });
  },
);

/** Requests that are not tested: an operation that only reads, and the token request, which works differently. */
const others = new Set(['POST /v1/ledger-ops/emulate', 'POST /v1/auth/token']);

test.each(
  [...answerShapes].filter(
    ([operation, shape]) => !(others.has(operation) || operation.startsWith('GET ') || shape === '[]'),
  ),
)('%s has an unknown outcome if the response lacks %j', async (operation, member) => {
  const { service, ledger } = openFake();
  const [method = '', path = ''] = operation.split(' ');
  // The path and the content do not matter.
  const send: unknown = Reflect.get(ledger.http, method);
  if (typeof send !== 'function') throw new TypeError(`There is no method ${method}.`);
  const change = async (): Promise<unknown> => await send(path, { body: {} });
  for (const answer of [() => new Response(null, { status: 204 }), () => json([])]) {
    service.answers = [answer];
    expect(await caught(change())).toMatchObject({
      name: 'OutcomeUnknownError',
      operation: expect.any(String),
    });
  }
  const complete = { [member]: 'x' };
  service.answers = [() => json(complete, 201)];
  expect(await change()).toMatchObject({ data: complete });
});

test('every operation with an idempotency key responds with an object', () => {
  expect([...keyedPaths].filter((path) => !answerShapes.has(`POST ${path}`))).toEqual([]);
});

test('a change without response content succeeds with status 204 or with an empty body', async () => {
  const { service, ledger } = openFake();
  for (const answer of [() => new Response(null, { status: 204 }), () => new Response('', { status: 200 })]) {
    service.answers = [answer];
    expect((await ledger.http.DELETE('/v1/webhooks/{webhookId}', webhook)).response.ok).toBe(true);
  }
});

test('if the response says that the ledger is unavailable, the outcome is a refusal, not unknown', async () => {
  const { service, ledger } = openFake();
  service.answers = [() => problem(503, 'ledger-unavailable')];
  expect(await caught(ledger.transfer(transfer))).toMatchObject({ name: 'ProblemError', status: 503 });
});

test('if the response is lost, a write request rejects with OutcomeUnknownError, but a read does not', async () => {
  const { service, ledger } = openFake();
  service.answers = [lost];
  const { http } = ledger;
  const body = { url: 'https://shop.example' };
  expect(await caught(http.POST('/v1/webhooks', { body }))).toMatchObject({
    ...{ name: 'OutcomeUnknownError', operation: 'POST /v1/webhooks' },
    idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  for (const change of [
    () => http.DELETE('/v1/webhooks/{webhookId}', webhook),
    () => http.POST('/v1/webhooks/{webhookId}/test', webhook),
  ])
    expect(await caught(change())).toMatchObject({ name: 'OutcomeUnknownError', idempotencyKey: undefined });
  for (const read of [() => http.GET('/v1/technologies'), () => ledger.read({ contract: 'c', method: 'm' })])
    expect(await caught(read())).not.toBeInstanceOf(OutcomeUnknownError);
});

test('every method that changes something rejects with the idempotency key that it sends in its retries', async () => {
  const { service, ledger, asked } = openFake();
  const sender = { walletId: 'w', walletPassword: 'p' };
  const abi = [
    {
      type: 'function',
      name: 'mint',
      stateMutability: 'nonpayable',
      inputs: [{ name: 'amount', type: 'uint256' }],
      outputs: [],
    },
  ] as const;
  const token = ledger.contract({ contract: 'token', interface: abi, sender });
  const changes: Record<string, (key: OperationKey) => Promise<unknown>> = {
    send: (key) => ledger.send({ ...sender, glo: transferGlo({ to: 'bob', amount: 1n }), ...key }),
    transfer: (key) => ledger.transfer({ ...transfer, ...key }),
    call: (key) => ledger.call({ ...sender, contract: 'token', method: 'mint', args: [1n], ...key }),
    deploy: (key) => ledger.deploy({ ...sender, template: 'token:1', ...key }),
    contract: (key) => token.mint.with(key)(1n),
  };
  for (const [name, change] of Object.entries(changes)) {
    service.answers = [lost];
    const error = await caught(change({}));
    expect([name, error]).toEqual([name, expect.any(OutcomeUnknownError)]);
    const { idempotencyKey = '' } = error as OutcomeUnknownError;
    expect(idempotencyKey).toBe(asked().at(-1)?.headers.get('idempotency-key'));
    service.answers = [() => json(accepted, 201)];
    await change({ idempotencyKey });
    expect(asked().at(-1)?.headers.get('idempotency-key')).toBe(idempotencyKey);
  }
  // Every other member only reads.
  const reads = ['http', 'emulate', 'read', 'findActions', 'waitFor', 'each', 'events'];
  expect(Object.keys(ledger).sort()).toEqual([...Object.keys(changes), ...reads].sort());
});

test.each([...keyedPaths])(
  'POST %s rejects with its idempotency key if its responses are lost',
  async (path) => {
    const { service, ledger, asked } = openFake();
    service.answers = [lost];
    // The content does not matter, because no server responds.
    const post = ledger.http.POST as (path: string, options: object) => Promise<unknown>;
    const error = await caught(post(path, { body: {} }));
    expect(error).toMatchObject({
      ...{ name: 'OutcomeUnknownError', operation: expect.stringMatching(/^POST /) },
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const keys = new Set(asked().map(({ headers }) => headers.get('idempotency-key')));
    expect([...keys]).toEqual([(error as OutcomeUnknownError).idempotencyKey]);
  },
);

test('a retried DELETE succeeds with 404 only if the first response was lost', async () => {
  const { service, ledger, asked } = openFake();
  const remove = () => ledger.http.DELETE('/v1/webhooks/{webhookId}', webhook);
  service.answers = [lost, () => problem(404, 'not-found')];
  expect((await remove()).response.status).toBe(204);
  expect(asked()).toHaveLength(2);
  service.answers = [() => problem(404, 'not-found')];
  expect(await caught(remove())).toMatchObject({ name: 'ProblemError', status: 404 });
  service.answers = [unconnected, () => problem(404, 'not-found')];
  expect(await caught(remove())).toMatchObject({ name: 'ProblemError', status: 404 });
  service.answers = [lost, () => new Response('<h1>No such host</h1>', { status: 404 })];
  expect(await caught(remove())).toMatchObject({ name: 'OutcomeUnknownError' });
});

test('equal references are sent as the same idempotency key in every call', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => json(accepted, 201)];
  await ledger.transfer({ ...transfer, reference: 'invoice 4711/ä' });
  await ledger.transfer({ ...transfer, reference: 'invoice 4711/ä' });
  expect(asked().map(({ headers }) => headers.get('idempotency-key'))).toEqual([
    'reference:invoice%204711%2F%C3%A4',
    'reference:invoice%204711%2F%C3%A4',
  ]);
  const both = ledger.transfer({ ...transfer, reference: 'r', idempotencyKey: 'k' });
  expect(await caught(both)).toBeInstanceOf(TypeError);
  expect(() => referenceKey('x'.repeat(246))).toThrow(RangeError);
  expect(() => referenceKey('')).toThrow(RangeError);
});

test('actions are found by their idempotency key or reference', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => json([{ actionId: 'a1' }])];
  expect(await ledger.findActions({ reference: 'a b' })).toEqual([{ actionId: 'a1' }]);
  await ledger.findActions({ idempotencyKey: 'mine' });
  expect(asked().map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/ledger-ops/search/actions?idempotencyKey=reference%3Aa%2520b',
    'GET /v1/ledger-ops/search/actions?idempotencyKey=mine',
  ]);
});

test('aborting the signal ends a call that waits for a token, and the token request continues for other calls', async () => {
  const token = Promise.withResolvers<Response>();
  let tokens = 0;
  const ledger = createClient({
    ...{ baseUrl: 'https://ledger.test', applicationToken: 'app-token' },
    credentials: { clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' },
    async fetch(request) {
      if (!request.url.endsWith('/v1/auth/token')) return json(accepted, 201);
      tokens += 1;
      return await token.promise;
    },
  });
  const over = new AbortController();
  const { signal } = over;
  const reason = new Error('Enough.');
  const calls = [
    ledger.transfer({ ...transfer, signal }),
    ledger.read({ contract: 'c', method: 'm', signal }),
    ledger.emulate({ glo: { version: '0.1.0', type: 'transfer', options: {} } as never, signal }),
    ledger.findActions({ idempotencyKey: 'k' }, { signal }),
    ledger.each('/v1/cloud-wallet/wallets', { signal }).next(),
    ledger.waitFor('a1', { signal }),
    ledger.http.POST('/v1/webhooks', { body: { url: 'https://shop.example' }, signal }),
    ledger.http.DELETE('/v1/webhooks/{webhookId}', { ...webhook, signal }),
  ].map(caught);
  const events = ledger.events({}, { signal }).next();
  const other = ledger.transfer(transfer);
  await vi.waitFor(() => expect(tokens).toBe(1), { timeout: 30_000 });
  over.abort(reason);
  for (const call of calls) expect(await call).toBe(reason);
  expect(await events).toEqual({ done: true, value: undefined });
  token.resolve(json({ access_token: 't', expires_in: 300, token_type: 'Bearer' }));
  await other;
  expect(tokens).toBe(1);
});

test('aborting the signal ends a call whose token was refused and that waits for a new one', async () => {
  const another = Promise.withResolvers<Response>();
  const answer = () => json({ access_token: 't', expires_in: 300, token_type: 'Bearer' });
  let tokens = 0;
  const ledger = createClient({
    ...{ baseUrl: 'https://ledger.test', applicationToken: 'app-token' },
    credentials: { clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' },
    async fetch(request) {
      if (!request.url.endsWith('/v1/auth/token')) return problem(401, 'access-token-invalid');
      tokens += 1;
      return tokens === 1 ? answer() : await another.promise;
    },
  });
  const over = new AbortController();
  const reason = new Error('Enough.');
  const call = caught(ledger.transfer({ ...transfer, signal: over.signal }));
  await vi.waitFor(() => expect(tokens).toBe(2), { timeout: 30_000 });
  over.abort(reason);
  expect(await call).toBe(reason);
  another.resolve(answer());
});

test('aborting the signal ends an event stream whose request got no response, even if fetch ignores the signal', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [never];
  const over = new AbortController();
  const next = ledger.events({}, { signal: over.signal }).next();
  await vi.waitFor(() => expect(asked()).toHaveLength(1), { timeout: 30_000 });
  over.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
