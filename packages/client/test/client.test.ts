import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  answer,
  type ClientOptions,
  callGlo,
  createClient,
  deploymentGlo,
  NoAnswerError,
  ProblemError,
  TokenError,
  transferGlo,
  UndecodedResultError,
} from '../src/index.ts';
import { json, openFake, problem } from './fake-service.ts';

const accepted = { actionId: 'a1', id: 'a1', intent: null, status: 'PENDING' };
const transfer = { walletId: 'w', walletPassword: 'correct horse battery', to: 'bob', amount: 10n ** 20n };
const lost = (): never => {
  throw new TypeError('fetch failed');
};

test('sends an operation as a GLO, with both credentials and a generated idempotency key', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => json(accepted, 201)];
  expect(await ledger.transfer(transfer)).toEqual(accepted);
  // Unknown members of the object are not sent.
  const cosigner = { walletId: 'x', walletPassword: 'q', owner: 'Ada' };
  await ledger.call({
    ...{
      walletId: 'w',
      walletPassword: 'p',
      contract: { ledger: 'ethereum', address: '0xaa' },
      method: 'set',
    },
    args: [5n, 2n ** 60n, [1n, true], { to: 'x', n: 3 }, new Uint8Array([0, 255])],
    ...{ tag: 't', intent: 'i', dependencies: ['d'], deadline: new Date(0), idempotencyKey: 'mine' },
    ...{ meta: { ledger: {} }, wallets: [cosigner] },
  });
  const [first, second] = asked();
  expect(Object.fromEntries(first?.headers ?? [])).toMatchObject({
    ...{ applicationtoken: 'app-token', authorization: 'Bearer token-1' },
    'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(JSON.parse(first?.text ?? '')).toEqual({
    ...{ walletId: 'w', walletPassword: 'correct horse battery' },
    glo: {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' },
        amount: '100000000000000000000',
      },
    },
  });
  expect(second?.headers.get('idempotency-key')).toBe('mine');
  expect(JSON.parse(second?.text ?? '')).toEqual({
    ...{ walletId: 'w', walletPassword: 'p', tag: 't', intent: 'i', dependencies: ['d'] },
    ...{ deadline: '1970-01-01T00:00:00.000Z', wallets: [{ walletId: 'x', walletPassword: 'q' }] },
    glo: {
      ...{ version: '0.1.0', type: 'contract_call', meta: { ledger: {} } },
      options: {
        contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: '0xaa' },
        method_name: 'set',
        args: ['5', '1152921504606846976', '[1,true]', '{"to":"x","n":3}', '0x00ff'],
      },
    },
  });
  expect(service.tokens).toBe(1);
  await expect(ledger.transfer({ ...transfer, amount: 0.1 })).rejects.toThrow(RangeError);
});

test('emulates an operation with a wallet, with a ledger only, and with a wallet and its password', async () => {
  const { service, ledger, asked } = openFake();
  const emulated = { result: null, fee: '21000', figures: {}, overrides: [], warnings: [] };
  service.answers = [() => json(emulated)];
  const glo = transferGlo(transfer);
  expect(await ledger.emulate({ glo, walletId: 'w', walletPassword: 'p' })).toEqual(emulated);
  await ledger.emulate({ glo: deploymentGlo({ template: 'coin:1', args: [1n] }), ledgerId: 'main' });
  // A read as a wallet requires no password, so none is sent.
  await ledger.read({ ...transfer, contract: 'c', method: 'm' });
  const [tried, deployed, read] = asked().map(({ text }) => JSON.parse(text));
  expect(tried).toEqual({ glo, walletId: 'w', walletPassword: 'p' });
  expect(deployed).toEqual({
    ledgerId: 'main',
    glo: {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: {
        contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
        args: ['1'],
      },
    },
  });
  expect(read).toEqual({ walletId: 'w', glo: callGlo({ contract: 'c', method: 'm' }) });
});

test('a read throws an error with the raw result if the service could not decode it', async () => {
  const { service, ledger } = openFake();
  const figures = { returned: '0x01' };
  service.answers = [
    () => json({ result: null, fee: null, figures, overrides: [], warnings: ['It does not fit.'] }),
  ];
  const reading = ledger.read({ contract: 'c', method: 'm' });
  await expect(reading).rejects.toThrow(UndecodedResultError);
  await expect(reading).rejects.toMatchObject({ message: 'It does not fit.', returned: '0x01' });
});

test('after a missing or partial response, repeats only requests with an idempotency key', async () => {
  const { service, ledger, asked } = openFake();
  const brokenOff = () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    return new Response(body, { status: 201, headers: { 'Content-Type': 'application/json' } });
  };
  service.answers = [lost, brokenOff, () => json({}, 502), () => json(accepted, 201)];
  expect(await ledger.transfer(transfer)).toEqual(accepted);
  expect(asked()).toHaveLength(4);
  expect(new Set(asked().map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  expect(new Set(asked().map(({ text }) => text)).size).toBe(1);

  service.answers = [lost];
  const test = ledger.http.POST('/v1/webhooks/{webhookId}/test', { params: { path: { webhookId: 'w' } } });
  await expect(test).rejects.toThrow(
    'no response after 1 try. The operation may have been executed. Read the record',
  );
  expect(asked()).toHaveLength(5);
  await expect(ledger.read({ contract: 'c', method: 'm' })).rejects.toThrow(
    'no response after 5 tries. Check',
  );
  expect(asked()).toHaveLength(10);
});

test('the error for a refusal has the amounts of the problem document in its data', async () => {
  const body = {
    ...{ type: 'urn:ledger-ops:problem:insufficient-funds', title: 'Too little', status: 422 },
    ...{ detail: 'Too little.', balance: '20', required: '50', unit: { symbol: 'ETH', decimals: 18 } },
  };
  const { service, ledger } = openFake();
  service.answers = [() => json(body, 422)];
  await expect(ledger.transfer(transfer)).rejects.toMatchObject({
    data: { balance: '20', required: '50', unit: { symbol: 'ETH', decimals: 18 } },
  });
});

test('the data of a problem is in the same property, whether it came from an action or from a response', () => {
  const problem = {
    type: 'urn:ledger-ops:problem:reverted',
    title: 'Reverted',
    status: 422,
    detail: 'Reverted.',
  };
  const data = { error: 'InsufficientBalance', arguments: ['5'] };
  expect(new ProblemError({ ...problem, data }).data).toEqual(data);
  expect(new ProblemError({ ...problem, ...data }).data).toEqual(data);
});

test.each([
  [{ applicationToken: undefined }, 'applicationToken is missing.'],
  [{ credentials: undefined }, 'credentials are missing.'],
  [
    { credentials: { clientId: 'app' } },
    'credentials need one of accessToken, apiToken, privateKey, refreshToken, code.',
  ],
  [
    { credentials: { clientId: 'app', serviceAccount: undefined, apiToken: 'secret' } },
    'credentials.serviceAccount is missing.',
  ],
  [
    { credentials: { clientId: '', serviceAccount: 'account', apiToken: 'secret' } },
    'credentials.clientId is missing.',
  ],
  [
    { baseUrl: 'localhost:3000' },
    'baseUrl must begin with https:// or http://, such as https://ledger.example.',
  ],
])('refuses the invalid options %o', (wrong, message) => {
  const credentials = { clientId: 'app', serviceAccount: 'account', apiToken: 'secret' };
  const options = { baseUrl: 'https://ledger.test', applicationToken: 'token', credentials, ...wrong };
  // The cast stands for a program without type checks, or for an unset environment variable.
  expect(() => createClient(options as ClientOptions)).toThrow(new TypeError(message));
});

test('waits for Retry-After, and throws if it is too long', async () => {
  const { service, ledger, asked } = openFake(undefined, { retryAfter: 1_500 });
  service.answers = [
    () => problem(429, 'too-many-requests', { 'Retry-After': '1' }),
    () => json(accepted, 201),
  ];
  const begun = performance.now();
  await ledger.transfer(transfer);
  expect(performance.now() - begun).toBeGreaterThan(990);

  service.answers = [() => problem(503, 'ledger-unavailable', { 'Retry-After': '2', 'X-Request-Id': 'r1' })];
  const refused = await ledger.transfer(transfer).catch((error: unknown) => error);
  expect(refused).toMatchObject({ retryAfter: 2, requestId: 'r1', status: 503 });
  expect(asked()).toHaveLength(3);
});

test("throws an error with the problem's type, its issues and the request id", async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => problem(400, 'invalid-request', { 'X-Request-Id': 'r2' })];
  const refused = await ledger.transfer(transfer).catch((error: unknown) => error);
  if (!(refused instanceof ProblemError)) throw new Error('It is another error.');
  expect(refused.is('invalid-request')).toBe(true);
  expect(refused.is('not-found')).toBe(false);
  expect(refused).toMatchObject({
    ...{ name: 'ProblemError', message: 'It is invalid-request. (/glo is wrong)', requestId: 'r2' },
    ...{ issues: [{ pointer: '/glo', detail: 'is wrong' }], retryAfter: undefined },
  });
  expect(asked()).toHaveLength(1);
  service.answers = [() => new Response(null, { status: 302 })];
  const moved = await ledger.transfer(transfer).catch((error: unknown) => error);
  expect(moved).toMatchObject({ name: 'ProblemError', type: 'about:blank', status: 302 });
  service.answers = [() => new Response('<h1>Bad</h1>', { status: 500 })];
  const broken = await ledger.read({ contract: 'c', method: 'm' }).catch((error: unknown) => error);
  expect(broken).toMatchObject({ name: 'ProblemError', type: 'about:blank', status: 500 });
});

test('returns undefined for a 204 response and throws for a problem response', async () => {
  const { service, ledger } = openFake();
  service.answers = [() => new Response(null, { status: 204 }), () => problem(404, 'not-found')];
  const remove = () =>
    answer(ledger.http.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId: 'w' } } }));
  expect(await remove()).toBeUndefined();
  await expect(remove()).rejects.toThrow('not-found');
});

test('aborting the signal cancels a request that waits for its next attempt', async () => {
  const { service, ledger } = openFake(undefined, { again: 60_000 });
  service.answers = [lost];
  const over = new AbortController();
  const sent = ledger.transfer({ ...transfer, signal: over.signal });
  await vi.waitFor(() => expect(service.requests).toHaveLength(2), { timeout: 30_000 });
  over.abort(new Error('No more.'));
  await expect(sent).rejects.toMatchObject({ name: 'OutcomeUnknownError', cause: { message: 'No more.' } });
});

test('allows base URLs with TLS, on loopback, or with allowUnencrypted', () => {
  const options = {
    applicationToken: 'a',
    credentials: { clientId: 'c', serviceAccount: 's', apiToken: 't' },
  };
  const make = (baseUrl: string, allowUnencrypted = false) =>
    createClient({ ...options, baseUrl, allowUnencrypted });
  expect(() => make('sak_secret')).toThrow(
    'baseUrl must be an absolute URL, such as https://ledger.example.',
  );
  for (const good of [
    'https://ledger.test/base/',
    'http://127.0.0.1:3000',
    'http://localhost:1',
    'http://[::1]:1',
  ]) {
    expect(() => make(good)).not.toThrow();
  }
  for (const bad of [
    'http://ledger.test',
    'http://127.0.0.1.evil.test',
    'ftp://localhost',
    'https://u:p@ledger.test',
  ]) {
    expect(() => make(bad), bad).toThrow(TypeError);
  }
  expect(() => make('http://ledger.test', true)).not.toThrow();
});

test.each(['https://ledger.test/base', 'https://ledger.test/base/'])(
  'sends requests to paths below the base URL %s',
  async (baseUrl) => {
    const urls: string[] = [];
    const ledger = createClient({
      ...{
        baseUrl,
        applicationToken: 'a',
        credentials: { clientId: 'c', serviceAccount: 's', apiToken: 't' },
      },
      fetch: async (request) => {
        urls.push(request.url);
        return json(request.url.endsWith('/token') ? { access_token: 't', expires_in: 9 } : accepted);
      },
    });
    await ledger.transfer(transfer);
    expect(urls).toEqual([
      'https://ledger.test/base/v1/auth/token',
      'https://ledger.test/base/v1/ledger-ops/send',
    ]);
  },
);

describe('tokens', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('requests a token once for all callers, renews it before expiry, and drops it when refused', async () => {
    const { service, ledger, asked } = openFake();
    service.answers = [() => json(accepted, 201)];
    await Promise.all([1, 2, 3].map(() => ledger.transfer(transfer)));
    expect(service.tokens).toBe(1);
    vi.advanceTimersByTime(239_000);
    await ledger.transfer(transfer);
    expect(service.tokens).toBe(1);
    vi.advanceTimersByTime(2_000);
    await Promise.all([1, 2].map(() => ledger.transfer(transfer)));
    expect(service.tokens).toBe(2);
    service.answers = [() => problem(401, 'access-token-invalid'), () => json(accepted, 201)];
    await ledger.transfer(transfer);
    expect(service.tokens).toBe(3);
    expect(asked().at(-1)?.headers.get('authorization')).toBe('Bearer token-3');
    service.answers = [() => problem(401, 'access-token-invalid')];
    await expect(ledger.transfer(transfer)).rejects.toThrow('access-token-invalid');
    expect(service.tokens).toBe(4);
  });

  test('uses the code and each refresh token once, and reports the newest refresh token', async () => {
    const told: string[] = [];
    const code = { clientId: 'app', code: 'c1', codeVerifier: 'v1', redirectUri: 'https://app.test/' };
    const { service, ledger } = openFake({ ...code, onRefreshToken: (token) => void told.push(token) });
    service.answers = [() => json(accepted, 201)];
    await ledger.transfer(transfer);
    vi.advanceTimersByTime(300_000);
    await ledger.transfer(transfer);
    vi.advanceTimersByTime(300_000);
    await ledger.transfer(transfer);
    const forms = service.requests.filter(({ path }) => path === '/v1/auth/token').map(({ text }) => text);
    expect(forms.map((text) => Object.fromEntries(new URLSearchParams(text)))).toEqual([
      {
        ...{ grant_type: 'authorization_code', client_id: 'app', code: 'c1', code_verifier: 'v1' },
        redirect_uri: 'https://app.test/',
      },
      { grant_type: 'refresh_token', client_id: 'app', refresh_token: 'refresh-1' },
      { grant_type: 'refresh_token', client_id: 'app', refresh_token: 'refresh-2' },
    ]);
    expect(told).toEqual(['refresh-1', 'refresh-2', 'refresh-3']);
  });
});

test('if a token request gets no response, does not use the refresh token again, and throws the OAuth error', async () => {
  let asked = 0;
  const make = (answered: () => Response) =>
    createClient({
      ...{ baseUrl: 'https://ledger.test', applicationToken: 'a' },
      credentials: { clientId: 'app', refreshToken: 'r1' },
      fetch: async () => {
        asked += 1;
        return answered();
      },
    });
  await expect(make(lost).transfer(transfer)).rejects.toBeInstanceOf(NoAnswerError);
  expect(asked).toBe(1);
  const body = { error: 'invalid_grant', error_description: 'The token was used before.' };
  const refused = await make(() => json(body, 401))
    .transfer(transfer)
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TokenError);
  expect(refused).toMatchObject({
    ...{ code: 'invalid_grant', reason: undefined, clientId: 'app', tried: 'refresh token' },
    message:
      'The token was used before. (POST https://ledger.test/v1/auth/token, application app, refresh token)',
  });
});

test('reports the URL, the number of attempts and the reason if the service is down', async () => {
  const { service, ledger } = openFake();
  const cause = Object.assign(
    new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    {},
  );
  service.answers = Array.from({ length: 5 }, () => () => {
    throw new TypeError('fetch failed', { cause });
  });
  const error = await ledger.http
    .GET('/v1/ledger-ops/actions', { params: { query: { wallet: 'hidden' } } })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NoAnswerError);
  expect(error).toMatchObject({
    ...{ code: 'ECONNREFUSED', tries: 5, method: 'GET', url: 'https://ledger.test/v1/ledger-ops/actions' },
    message:
      'GET https://ledger.test/v1/ledger-ops/actions: no response after 5 tries (ECONNREFUSED). Check that the service is running and that https://ledger.test is its address.',
    cause: { message: 'fetch failed' },
  });
});

test("rejects with the signal's reason if the caller aborts", async () => {
  const { service, ledger } = openFake();
  const reason = new Error('Enough.');
  const over = new AbortController();
  service.answers = [
    () => {
      over.abort(reason);
      throw new TypeError('fetch failed');
    },
  ];
  await expect(ledger.http.GET('/v1/technologies', { signal: over.signal })).rejects.not.toBeInstanceOf(
    NoAnswerError,
  );
});

test('a refused token request names the wrong credential', async () => {
  for (const reason of ['application', 'account', 'role'] as const) {
    const ledger = createClient({
      ...{ baseUrl: 'https://ledger.test', applicationToken: 'app-token' },
      credentials: { clientId: 'app', serviceAccount: 'till', apiToken: 'sak_secret' },
      fetch: async () => json({ error: 'invalid_client', error_description: 'It is wrong.', reason }, 401),
    });
    const error = await ledger.transfer(transfer).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'TokenError', reason, clientId: 'app', tried: 'API token of till' });
    expect(String(error)).not.toMatch(/sak_secret|app-token/);
  }
});

test('no error of the client contains a secret', async () => {
  const { service, ledger } = openFake();
  service.answers = [lost];
  const error = await ledger.transfer(transfer).catch((thrown: unknown) => thrown);
  const told = `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''} ${JSON.stringify(ledger)}`;
  for (const secret of ['sak_secret', 'app-token', 'token-1', transfer.walletPassword]) {
    expect(told).not.toContain(secret);
  }
});
