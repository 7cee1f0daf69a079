import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createPoster } from './post.ts';

async function receive(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    listener(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
}

function open(patience = 10_000) {
  const poster = createPoster({ open: ['127.0.0.1'] }, patience);
  onTestFinished(() => poster.close());
  return (url: string) => poster.post(url, { 'content-type': 'application/json' }, '{}');
}

test.each([6_000, 10_080])('delivers a webhook to port %i, which browsers block', async (port) => {
  const url = await receive((_request, response) => response.writeHead(204).end(), port);
  expect(await open()(url)).toEqual({ status: 204, error: null, retryAfterMs: null });
});

test('does not follow a redirect of a receiver, and reports its status', async () => {
  const url = await receive((_request, response) => response.writeHead(307, { location: '/there' }).end());
  expect(await open()(url)).toEqual({
    ...{ status: 307, error: 'The receiver answered 307; redirects are not followed.', retryAfterMs: null },
  });
});

test('accepts a compressed answer of a receiver, because only its status is read', async () => {
  const url = await receive((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('unreadable'),
  );
  expect(await open()(url)).toEqual({ status: 200, error: null, retryAfterMs: null });
});

test('reports the port that refuses connections', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  server.close();
  await once(server, 'close');
  expect(await open()(`http://127.0.0.1:${port}/secret`)).toEqual({
    ...{
      status: null,
      error: `The receiver cannot be reached on port ${port} (ECONNREFUSED).`,
      retryAfterMs: null,
    },
  });
});

test('reports that a receiver did not respond in time', async () => {
  const url = await receive(() => undefined);
  expect(await open(50)(url)).toMatchObject({
    status: null,
    error: 'The receiver did not answer within 50 ms.',
  });
});

test('returns the Retry-After of a receiver, up to the maximum', async () => {
  const limited = (seconds: string) =>
    receive((_request, response) => response.writeHead(429, { 'retry-after': seconds }).end());
  const post = open();
  expect(await post(await limited('7'))).toEqual({
    ...{ status: 429, error: 'The receiver answered 429.', retryAfterMs: 7_000 },
  });
  expect(await post(await limited('86400'))).toMatchObject({ retryAfterMs: 60_000 });
});

test('does not read an endless response of a receiver', async () => {
  const url = await receive((_request, response) => {
    const flood = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', flood);
    flood();
  });
  expect(await open()(url)).toMatchObject({ status: 200, error: null });
});
