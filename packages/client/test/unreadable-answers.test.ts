// Responses with a status of success that are not from the service: the page of a proxy, or of a network's portal.
import { expect, test } from 'vitest';
import { type ClientOptions, createClient, type LedgerClient, TokenError } from '../src/index.ts';
import { answerShapes } from '../src/served.generated.ts';
import { json, openFake, problem } from './fake-service.ts';

const html = (status = 200) =>
  new Response('<!doctype html><title>Welcome to the guest network</title>\n<p>Room 12, code 4711</p>\n', {
    status,
    headers: { 'Content-Type': 'text/html' },
  });
const transfer = { walletId: 'w', walletPassword: 'p', to: 'bob', amount: 1n };
const page = {
  ...{ name: 'ProblemError', type: 'about:blank', status: 200 },
  detail: expect.stringContaining('<!doctype html><title>Welcome to the guest network</title>'),
};
const caught = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );
const events = (...chunks: string[]) =>
  new Response(
    new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) controller.error(new TypeError('terminated'));
        else controller.enqueue(new TextEncoder().encode(chunk));
      },
    }),
    { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } },
  );
const event = (place: string) => `event: event\nid: ${place}\ndata: {"type":"action.failed","data":{}}\n\n`;

const reads: [string, (ledger: LedgerClient) => Promise<unknown>][] = [
  ['a read', async ({ http }) => await http.GET('/v1/technologies')],
  [
    'a search',
    async ({ http }) => await http.POST('/v1/ledger-ops/search/actions', { body: { actionIds: ['a'] } }),
  ],
  ['a list', async (ledger) => await ledger.each('/v1/cloud-wallet/wallets').next()],
  ['a wait', async (ledger) => await ledger.waitFor('a1')],
  ['a search for actions', async (ledger) => await ledger.findActions({ reference: 'invoice' })],
  ['a stream of events', async (ledger) => await ledger.events().next()],
];

test.each(reads)(
  'if the response is an HTML page, %s rejects with the first line of the page',
  async (_, read) => {
    const { service, ledger } = openFake();
    service.answers = [() => html()];
    const error = await caught(read(ledger));
    expect(error).toMatchObject(page);
    expect(String(error)).not.toContain('4711');
  },
);

/** Reads of the client and of single operations, each with what it expects. */
const expectations: [string, string, (ledger: LedgerClient) => Promise<unknown>][] = [
  ['read', 'an object', (ledger) => ledger.read({ contract: 'c', method: 'm' })],
  ['emulate', 'an object', (ledger) => ledger.emulate({ ledgerId: 'l', glo: { version: '0.1.0' } as never })],
  ['findActions', 'a list', (ledger) => ledger.findActions({ reference: 'invoice' })],
  ['waitFor', 'a list', (ledger) => ledger.waitFor('a1')],
  ['each of pages', 'an object', (ledger) => ledger.each('/v1/cloud-wallet/wallets').next()],
  ['each with a cursor', 'an object', (ledger) => ledger.each('/v1/ledger-ops/actions').next()],
  ['a method of a contract', 'an object', (ledger) => contractOf(ledger).balanceOf()],
];
const contractOf = (ledger: LedgerClient) => {
  const method = { type: 'function', name: 'balanceOf', stateMutability: 'view', inputs: [] } as const;
  const outputs = [{ name: '', type: 'uint256' }] as const;
  return ledger.contract({ contract: 'c', interface: [{ ...method, outputs }] });
};

test.each(expectations)('%s rejects with a problem if the JSON is not %s', async (_, expected, read) => {
  const other = expected === 'a list' ? {} : [];
  for (const body of [null, true, 0, 'text', other]) {
    const { service, ledger } = openFake();
    service.answers = [() => json(body)];
    expect(await caught(read(ledger))).toMatchObject({
      ...{ name: 'ProblemError', type: 'about:blank', status: 200 },
      detail: expect.stringContaining(`is not ${expected}`),
    });
  }
});

test('each() rejects with a problem if an object is not a page', async () => {
  const { service, ledger } = openFake();
  for (const body of [{}, { items: 'none' }, { actions: [] }, { actions: [], pageNumber: 0 }]) {
    service.answers = [() => json(body)];
    expect(await caught(ledger.each('/v1/ledger-ops/actions').next())).toMatchObject({
      ...{ name: 'ProblemError', type: 'about:blank', status: 200 },
    });
  }
});

test.each([...answerShapes].filter(([operation]) => operation.startsWith('GET ')))(
  '%s rejects with a problem if the response is null or does not have the shape %j',
  async (operation, shape) => {
    const { service, ledger } = openFake();
    for (const body of [null, shape === '[]' ? {} : []]) {
      service.answers = [() => json(body)];
      // The path's parameters do not matter.
      const path = operation.slice('GET '.length) as '/v1/technologies';
      expect(await caught(ledger.http.GET(path))).toMatchObject({
        ...{ name: 'ProblemError', type: 'about:blank', status: 200 },
      });
    }
  },
);

test.each(['null', '7', '[]', '{}', '{"type":null}'])(
  'an event whose data is %s ends the stream with a problem',
  async (data) => {
    const { service, ledger } = openFake();
    service.answers = [() => events(`event: event\nid: p1\ndata: ${data}\n\n`)];
    expect(await caught(ledger.events().next())).toMatchObject({
      ...{ name: 'ProblemError', type: 'about:blank', status: 200 },
      detail: expect.stringContaining('the event p1'),
    });
  },
);

test('if the response to a transfer is an HTML page, the client throws OutcomeUnknownError with the page as `cause`', async () => {
  const { service, ledger } = openFake();
  service.answers = [() => html()];
  expect(await caught(ledger.transfer(transfer))).toMatchObject({ name: 'OutcomeUnknownError', cause: page });
});

test('an error page of a proxy becomes a problem with the status and the first line of the page', async () => {
  const { service, ledger } = openFake();
  service.answers = [() => html(403)];
  expect(await caught(ledger.http.GET('/v1/technologies'))).toMatchObject({ ...page, status: 403 });
});

test.each([
  [
    'JSON that is cut off',
    () => new Response('{"a": "b', { headers: { 'Content-Type': 'application/json' } }),
  ],
  ['an empty body', () => new Response('')],
  ['no content', () => new Response(null, { status: 204 })],
  ['bytes that are not text', () => new Response(new Uint8Array([0, 27, 91, 50, 74, 255]))],
])(
  'a response with %s becomes a problem without control characters, not a SyntaxError',
  async (_, answer) => {
    const { service, ledger } = openFake();
    service.answers = [answer];
    const error = await caught(ledger.http.GET('/v1/technologies'));
    expect(error).toMatchObject({ name: 'ProblemError', type: 'about:blank', status: answer().status });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not reach a terminal.
    expect(String(error)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  },
);

test('the problem quotes only the beginning of a long line', async () => {
  const { service, ledger } = openFake();
  service.answers = [() => new Response('x'.repeat(1_000_000))];
  expect(String(await caught(ledger.http.GET('/v1/technologies'))).length).toBeLessThan(600);
});

test('a response can be read as text or as a stream if the caller requests it', async () => {
  const { service, ledger } = openFake();
  service.answers = [() => html()];
  const { data } = await ledger.http.GET('/v1/technologies', { parseAs: 'text' });
  expect(data).toContain('4711');
});

function withTokens(answer: () => Response) {
  let tries = 0;
  const credentials = { clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' };
  const fetch: ClientOptions['fetch'] = async () => {
    tries += 1;
    return answer();
  };
  const options = { baseUrl: 'https://ledger.test', applicationToken: 'app-token', credentials, fetch };
  return { ledger: createClient({ ...options, timing: { again: 2, look: [5, 20] } }), tries: () => tries };
}

test.each(reads)(
  'if the response to the token request is an HTML page, %s rejects with the first line of the page',
  async (_, read) => {
    const { ledger } = withTokens(() => html());
    expect(await caught(read(ledger))).toMatchObject(page);
  },
);

const json401 = () => json({ error: 'invalid_token' }, 401);

test('if the response to the token request is an HTML page, a change rejects as not executed', async () => {
  const { ledger } = withTokens(() => html());
  expect(await caught(ledger.transfer(transfer))).toMatchObject(page);
  // The same applies if the page is the response to the request that replaces an expired token.
  const answers = [() => json({ access_token: 'one', expires_in: 600 }), json401, () => html()];
  const replaced = withTokens(() => (answers.shift() ?? html)());
  expect(await caught(replaced.ledger.transfer(transfer))).toMatchObject(page);
  expect(answers).toEqual([]);
});

test.each([
  ['an error without a text', { error: null, error_description: {} }, 'ProblemError'],
  ['an error that is an object', { error: { code: 7 }, error_description: 'x' }, 'ProblemError'],
  ['a description that is a list', { error: 'invalid_client', error_description: ['x'] }, 'TokenError'],
])('shows a refused token request with %s in a readable form', async (_, body, name) => {
  const error = await caught(withTokens(() => json(body, 400)).ledger.http.GET('/v1/technologies'));
  expect(error).toMatchObject({ name });
  expect(String(error)).not.toContain('[object');
});

test.each([
  ['an empty object', '{}'],
  ['a token that no header can contain', '{"access_token": "secret-token\\n", "expires_in": 60}'],
  ['an empty token', '{"access_token": "", "expires_in": 60}'],
  ['a token without a lifetime', '{"access_token": "secret-token"}'],
  ['JSON that is cut off', '{"access_token": "secret-token", "expires_in": 3'],
  ['JSON that is not an object', '"secret-token"'],
])('a token response with %s throws a ProblemError that does not quote the response', async (_, body) => {
  const { ledger } = withTokens(
    () => new Response(body, { headers: { 'Content-Type': 'application/json' } }),
  );
  const error = await caught(ledger.http.GET('/v1/technologies'));
  expect(error).toMatchObject({ name: 'ProblemError', type: 'about:blank', status: 200 });
  expect(`${error} ${JSON.stringify(error)}`).not.toContain('secret-token');
});

test('an event that is not JSON ends the stream with an error', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => events(event('p1'), 'event: event\nid: p2\ndata: {"type"\n\n')];
  const followed = ledger.events();
  expect(await followed.next()).toMatchObject({ value: { place: 'p1' } });
  const error = await caught(followed.next());
  expect(error).toMatchObject({ name: 'ProblemError', type: 'about:blank', status: 200 });
  expect(String(error)).toContain('p2');
  expect(asked()).toHaveLength(1);
});

test('a stream reconnects after network errors and failures of the service, from its last event', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [
    () => events(event('p1')),
    () => {
      throw new TypeError('fetch failed');
    },
    () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    () => problem(503, 'unavailable'),
    () => problem(429, 'too-many-requests'),
    () => events(event('p2')),
  ];
  const followed = ledger.events();
  expect(await followed.next()).toMatchObject({ value: { place: 'p1' } });
  expect(await followed.next()).toMatchObject({ value: { place: 'p2' } });
  await followed.return();
  expect(asked().map(({ headers }) => headers.get('last-event-id'))).toEqual([null, ...Array(5).fill('p1')]);
});

test('a stream ends with an error if reconnecting would not help', async () => {
  const refused = withTokens(() => json({ error: 'invalid_client', error_description: 'Unknown.' }, 401));
  expect(await caught(refused.ledger.events().next())).toBeInstanceOf(TokenError);
  expect(refused.tries()).toBe(1);

  const { service, ledger, asked } = openFake();
  service.answers = [() => new Response(null, { status: 302, headers: { Location: 'https://other.test' } })];
  expect(await caught(ledger.events().next())).toMatchObject({ type: 'about:blank', status: 302 });
  expect(await caught(ledger.waitFor('a1'))).toMatchObject({ type: 'about:blank', status: 302 });
  const before = asked().length;
  service.answers = [() => events(event('p1'))];
  const own = new Error('The program failed.');
  const opened = () => {
    throw own;
  };
  expect(await caught(ledger.events({}, { opened }).next())).toBe(own);
  expect(asked()).toHaveLength(before + 1);
});

test.each([
  ['null', [null]],
  ['a text', ['wrong']],
  ['an issue without a detail', [{ pointer: '/to' }]],
  ['an issue whose detail is a number', [{ pointer: '/to', detail: 7 }]],
])(
  'an error response whose list of errors contains %s becomes a problem, not a TypeError',
  async (_, errors) => {
    const body = {
      type: 'urn:ledger-ops:problem:unavailable',
      title: 'No',
      status: 403,
      detail: 'No.',
      errors,
    };
    for (const read of [(one: LedgerClient) => one.transfer(transfer), ...reads.map(([, read]) => read)]) {
      const { service, ledger } = openFake();
      service.answers = [() => json(body, 403)];
      expect(await caught(read(ledger))).toMatchObject({ name: 'ProblemError', status: 403 });
    }
  },
);

test.each([
  ['null', null],
  ['a text', 'a1'],
  ['an action without a status', { actionId: 'a1' }],
  ['an action with an unknown status', { actionId: 'a1', status: 'DONE' }],
])(
  'waitFor rejects with a problem, and does not report a failed action, if the response contains %s',
  async (_, item) => {
    const { service, ledger } = openFake();
    service.answers = [() => json([item])];
    expect(await caught(ledger.waitFor('a1'))).toMatchObject({
      ...{ name: 'ProblemError', type: 'about:blank', status: 200 },
      detail: expect.stringContaining('is not a list of actions'),
    });
  },
);

test.each(['Text/Event-Stream', 'text/event-stream;charset=UTF-8', 'TEXT/EVENT-STREAM; charset=utf-8'])(
  'a stream of the content type %s is read in one-byte pieces with a byte order mark and CRLF line ends',
  async (type) => {
    const { service, ledger } = openFake();
    const text = `\ufeff: hello\r\n\r\n${event('p1').replaceAll('\n', '\r\n')}`;
    const bytes = [...new TextEncoder().encode(text)];
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          const byte = bytes.shift();
          // The stream stays open, as that of the service does.
          if (byte !== undefined) controller.enqueue(new Uint8Array([byte]));
        },
      });
    service.answers = [() => new Response(body(), { headers: { 'Content-Type': type } })];
    const followed = ledger.events();
    expect(await followed.next()).toMatchObject({ value: { place: 'p1' } });
    await followed.return();
  },
);
