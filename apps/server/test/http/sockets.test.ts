import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../../../testing/children.ts';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { createListener, type Listener, listen } from '../../src/http/sockets/listen.ts';
import { demandUnusedPort } from '../../src/http/sockets/listen-on.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import { type Ground, makeServer, openGround, sendBody } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

async function withServer(work: (port: number, listener: Listener) => Promise<void>): Promise<void> {
  const listener = await listen('127.0.0.1', 0);
  listener.serve(makeServer(ground).app.fetch);
  try {
    await work(listener.port, listener);
  } finally {
    await listener.close(100);
  }
}

/** Writes bytes to a connection, and returns what arrived until the server closed it. */
function raw(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    for (const part of parts) socket.write(part);
  });
}

const head = (headers: Record<string, string>) =>
  Object.entries({ ...ground.caller.headers, 'Content-Type': 'application/json', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

test('a request over a socket with two Host headers is refused', async () => {
  await withServer(async (port) => {
    const text = await raw(port, 'GET /livez HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('urn:ledger-ops:problem:invalid-request');
  });
});

test.each([
  [
    'version 1 of the PROXY protocol',
    'PROXY TCP4 192.0.2.1 192.0.2.2 4711 3000\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
  ],
  [
    'version 2 of the PROXY protocol',
    `\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c${'\0'.repeat(12)}GET /livez HTTP/1.1\r\nHost: a\r\n\r\n`,
  ],
  ['TLS', `\x16\x03\x01\x02\0\x01\0\x01${'\0'.repeat(200)}`],
])('a client that sends %s gets 400 with the protocol that the port expects', async (_, text) => {
  await withServer(async (port) => {
    const response = await raw(port, Buffer.from(text, 'latin1'));
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('This port expects HTTP, without TLS and without the PROXY protocol.');
  });
});

test('bodies with too many tiny chunks are refused, also on several connections at the same time', async () => {
  await withServer(async (port) => {
    const start = `POST /v1/ledger-ops/emulate HTTP/1.1\r\nHost: a\r\n${head({ 'Transfer-Encoding': 'chunked' })}\r\n`;
    const flood = '1\r\n \r\n'.repeat(200_000);
    await expectShortTurns(async () => {
      const texts = await Promise.all(Array.from({ length: 4 }, () => raw(port, start, flood)));
      for (const text of texts) {
        expect(text).toMatch(/^HTTP\/1\.1 413 /);
        expect(text).toContain('The body has too many chunks of only a few bytes.');
      }
    });
  });
});

test('a body in a thousand chunks of a few bytes is read', async () => {
  await withServer(async (port) => {
    const start = `POST /v1/auth/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const text = await raw(port, start, '2\r\na&\r\n'.repeat(1_000), '0\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });
});

test('an invalid Host header returns a problem document', async () => {
  await withServer(async (port) => {
    const text = await raw(port, 'GET /livez HTTP/1.1\r\nHost: a b\\c\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('application/problem+json');
  });
});

test.each([
  ['GET /livez HTTP/1.0\r\n\r\n', 200],
  ['GET /livez HTTP/1.0\r\nHost:\r\n\r\n', 200],
  ['OPTIONS /livez HTTP/1.0\r\n\r\n', 204],
  ['OPTIONS / HTTP/1.0\r\n\r\n', 204],
  ['OPTIONS * HTTP/1.0\r\n\r\n', 204],
  ['OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 204],
  ['GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
  ['GET http://ledger.test/livez HTTP/1.0\r\n\r\n', 200],
  ['GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
])('only HTTP/1.1 requires a Host header: %j gets %i', async (request, status) => {
  await withServer(async (port) => {
    expect(await raw(port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

test('a chunked body is cut off after 10 MB', async () => {
  await withServer(async (port) => {
    const start = `POST /v1/ledger-ops/send HTTP/1.1\r\nHost: a\r\n${head({ 'Transfer-Encoding': 'chunked' })}\r\n`;
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    const text = await raw(port, start, ...Array(12).fill(chunk));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('Payload Too Large');
    expect(text.toLowerCase()).toContain('connection: close');
  });
});

test('a body that ends early does not affect later requests', async () => {
  await withServer(async (port) => {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `POST /v1/ledger-ops/send HTTP/1.1\r\nHost: a\r\n${head({ 'Content-Length': '500' })}\r\n{"wal`,
        );
        setImmediate(() => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
  });
});

test('a request over a socket gets the same response as a request without a socket', async () => {
  await withServer(async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/ledger-ops/send`, {
      method: 'POST',
      headers: { ...ground.caller.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(sendBody({ tag: 'ümläut' })),
    });
    expect(response.status).toBe(201);
  });
});

test('an event stream ends on the server when its client disconnects', async () => {
  const listener = await listen('127.0.0.1', 0);
  const server = makeServer(ground);
  listener.serve(server.app.fetch);
  const { actionId } = (await (await server.call('POST', '/v1/ledger-ops/send', sendBody())).json()) as {
    actionId: string;
  };
  const abort = new AbortController();
  const response = await fetch(`http://127.0.0.1:${listener.port}/v1/ledger-ops/actions/${actionId}/events`, {
    headers: ground.caller.headers,
    signal: abort.signal,
  });
  expect(response.status).toBe(200);
  await response.body?.getReader().read();
  expect(server.streams.size).toBe(1);
  abort.abort();
  await vi.waitFor(() => expect([server.streams.size, server.runtime.listeners()]).toEqual([0, 0]), 30_000);
  await listener.close(100);
});

test('a connection whose client does not read is closed', async () => {
  const listener = await listen('127.0.0.1', 0, { idle: 200 });
  const gone = Promise.withResolvers<void>();
  listener.serve(() => {
    const chunk = new Uint8Array(1_048_576);
    return new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel: () => gone.resolve() }),
    );
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await gone.promise;
  socket.destroy();
  await listener.close(100);
});

test('closing a server waits for running requests and accepts no new ones', async () => {
  const listener = await listen('127.0.0.1', 0);
  const started = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  listener.serve(async () => {
    started.resolve();
    await go.promise;
    return new Response('done');
  });
  const url = `http://127.0.0.1:${listener.port}/`;
  const slow = fetch(url);
  await started.promise;
  const closed = listener.close(10_000);
  await expect(fetch(url)).rejects.toThrow();
  go.resolve();
  expect(await (await slow).text()).toBe('done');
  await closed;
});

test('closing a server does not wait for connections without a request, such as those that browsers open in advance', async () => {
  const listener = await listen('127.0.0.1', 0);
  listener.serve(makeServer(ground).app.fetch);
  const socket = connect(listener.port, '127.0.0.1');
  const isOver = new Promise((resolve) => socket.once('close', resolve));
  // Once another connection has its response, the server has also accepted this connection.
  await raw(listener.port, 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const begun = performance.now();
  await listener.close(60_000);
  await isOver;
  expect(performance.now() - begun).toBeLessThan(30_000);
});

test('a draining server keeps serving, and closes each connection after its response', async () => {
  const listener = await listen('127.0.0.1', 0);
  const started = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  listener.serve(async (request) => {
    if (!request.url.endsWith('/slow')) return new Response('fast');
    started.resolve();
    await go.promise;
    return new Response('slow');
  });
  const url = `http://127.0.0.1:${listener.port}`;
  const before = await fetch(`${url}/fast`);
  expect(before.headers.get('connection')).toBe('keep-alive');
  const slow = fetch(`${url}/slow`);
  await started.promise;
  listener.drain();
  const during = await fetch(`${url}/fast`);
  expect([during.status, during.headers.get('connection')]).toEqual([200, 'close']);
  go.resolve();
  const after = await slow;
  expect([await after.text(), after.headers.get('connection')]).toEqual(['slow', 'close']);
  await listener.close(10_000);
});

test('a server that is closing still answers a request on a connection opened just before', async () => {
  const listener = await listen('127.0.0.1', 0);
  listener.serve(() => new Response('late'));
  const socket = connect(listener.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const isOver = new Promise((resolve) => socket.once('close', resolve));
  // Once another connection has its response, the server has also accepted this connection.
  await raw(listener.port, 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const closed = listener.close(60_000);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await Promise.all([closed, isOver]);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close[\s\S]*late/i);
});

test('a server that was not opened accepts no connections, and can be closed', async () => {
  const port = await freePort();
  const listener = createListener('127.0.0.1', port);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  expect([await listener.open(), await listener.open()]).toEqual([port, port]);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(503);
  await expect(demandUnusedPort('PORT', '0.0.0.0', port)).rejects.toThrow(`PORT ${port} on 0.0.0.0 is used`);
  await listener.close(0);
  await demandUnusedPort('PORT', '127.0.0.1', port);
  await createListener('127.0.0.1', port).close(0);
});

test('closing a server aborts a request that still runs at the time limit', async () => {
  const listener = await listen('127.0.0.1', 0);
  const started = Promise.withResolvers<void>();
  listener.serve(() => {
    started.resolve();
    return new Promise<Response>(() => {});
  });
  const stuck = fetch(`http://127.0.0.1:${listener.port}/`);
  const failed = expect(stuck).rejects.toThrow();
  await started.promise;
  await listener.close(10);
  await failed;
});

test('before the application is ready, the response is 503 with Retry-After', async () => {
  const listener = await listen('127.0.0.1', 0);
  const response = await fetch(`http://127.0.0.1:${listener.port}/livez`);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  await listener.close(0);
});

test('an error about a port in use contains the port number', async () => {
  await withServer(async (port) => {
    await expect(listen('127.0.0.1', port)).rejects.toThrow(ConfigError);
    await expect(listen('127.0.0.1', port)).rejects.toThrow(
      `PORT ${port} on 127.0.0.1 is used by another program`,
    );
  });
});
