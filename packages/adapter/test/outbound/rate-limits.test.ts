import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { NodeClient } from '../../src/outbound/index.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Creates a node that answers the first request as given, and all others correctly. */
async function openNode(first: (response: ServerResponse) => void) {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    if (requests === 1) first(response);
    else response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const client = new NodeClient({
    nodeId: 'a',
    url: new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/secret`),
    ...{ headers: {}, policy: undefined, timeoutMs: 10_000, now: () => clock.now },
    parse: (content) => JSON.parse(content.toString()),
  });
  ends.push(async () => {
    await client.close();
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
  const post = () => client.post('{}', new AbortController().signal);
  return { post, clock, requests: () => requests };
}

const limited = (body: string) => (response: ServerResponse) => response.end(body);

test.each([
  ['status 429', (response: ServerResponse) => response.writeHead(429, { 'retry-after': '30' }).end()],
  ['status 503', (response: ServerResponse) => response.writeHead(503, { 'retry-after': '30' }).end()],
  [
    'status 429 with an error of JSON-RPC',
    (response: ServerResponse) =>
      response
        .writeHead(429, { 'retry-after': '30' })
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"Too many requests"}}'),
  ],
  [
    'an answer with status 200',
    limited(
      '[{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"request rate exceeded","data":{"rate":{"backoff_seconds":30}}}}]',
    ),
  ],
  ['a plain message with status 200', limited('Too many requests, retry in 30s')],
  ['a list of errors with status 200', limited('[{"error":"rate limit, retry in 30s"}]')],
])(
  'after a node reports a rate limit by %s, sends it no requests until the delay has passed',
  async (_, first) => {
    const { post, clock, requests } = await openNode(first);
    await expect(post()).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 30_000 });
    clock.now += 10_000;
    const refused = await post().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'unavailable',
      retryAfterMs: 20_000,
      message: 'Node a rejected requests because of its rate limit. It is queried again in 20 s.',
    });
    expect(requests()).toBe(1);
    clock.now += 20_000;
    expect(await post()).toMatchObject({ result: '0x1' });
  },
);

test('status 429 because of the batch size does not count as a rate limit, so that smaller requests can be sent', async () => {
  const { post } = await openNode((response) => response.writeHead(429).end('batch size exceeds the limit'));
  await expect(post()).rejects.toMatchObject({ status: 429, retryAfterMs: undefined });
  expect(await post()).toMatchObject({ result: '0x1' });
});

test('an excessive Retry-After is limited to a minute', async () => {
  const { post, clock } = await openNode((response) =>
    response.writeHead(429, { 'retry-after': String(10 ** 9) }).end(),
  );
  await expect(post()).rejects.toMatchObject({ retryAfterMs: 60_000 });
  clock.now += 60_000;
  expect(await post()).toMatchObject({ result: '0x1' });
});

test.each([
  [302, 'Node a answered with HTTP status 302; redirects are not followed.'],
  [404, 'Node a answered with HTTP status 404.'],
  [200, 'Node a answered with content that is not JSON.'],
])('the error for an answer that is not JSON names the status %i', async (status, message) => {
  const { post } = await openNode((response) => response.writeHead(status, { location: '/' }).end('<html>'));
  await expect(post()).rejects.toMatchObject({ code: 'unavailable', message });
});

test('returns a JSON-RPC error with any HTTP status', async () => {
  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown"}}';
  const { post } = await openNode((response) => response.writeHead(500).end(error));
  expect(await post()).toEqual(JSON.parse(error));
});
