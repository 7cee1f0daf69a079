import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { AnswerBudget } from './budget.ts';
import { OutboundClient, type OutboundClientOptions, type OutboundRequest } from './client.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import type { Resolve } from './lookup.ts';

const started: (Server | TcpServer)[] = [];
const clients: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(
    started.splice(0).map(async (server) => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    }),
  );
});

async function listen(server: Server | TcpServer, port = 0): Promise<URL> {
  started.push(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

const serve = (listener: RequestListener, port?: number) => listen(createServer(listener), port);

/** Creates a TCP server that writes `answer` for each request. */
const serveRaw = (answer: (socket: Socket) => void) =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    }),
  );

function open(options: Partial<OutboundClientOptions> = {}, tenant?: string): OutboundClient {
  const client = new OutboundClient(
    { open: ['127.0.0.1'], ...(tenant === undefined ? {} : { tenant }) },
    { timeoutMs: 10_000, ...options },
  );
  clients.push(client);
  return client;
}

const limits = { bytes: 2 ** 20, values: 1_000 };

function ask(client: OutboundClient, url: URL, more: Partial<OutboundRequest> = {}) {
  return client.exchange(
    { url, method: 'POST', headers: {}, body: '{}', limits, ...more },
    ({ status, content, retryAfterMs }) => ({ status, text: content.toString(), retryAfterMs }),
  );
}

describe('client addresses', () => {
  test('refuses to connect to an address that is not allowed', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.end();
    });
    const client = new OutboundClient({ open: [] }, { timeoutMs: 10_000 });
    clients.push(client);
    await expect(ask(client, url)).rejects.toMatchObject({ failure: 'not-opened' });
    expect(requests).toBe(0);
  });

  test('resolves a name once, and connects to the checked address', async () => {
    const url = await serve((_request, response) => response.end('here'));
    let asked = 0;
    const resolve: Resolve = (_host, _options, callback) => {
      asked += 1;
      callback(null, [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    expect(await ask(open({ resolve }), new URL(`http://public.example:${url.port}`))).toMatchObject({
      text: 'here',
    });
    expect(asked).toBe(1);
  });

  test('refuses a public name that resolves to an address that is not allowed', async () => {
    const resolve: Resolve = (_host, _options, callback) =>
      callback(null, [{ address: '10.0.0.1', family: 4 }]);
    await expect(ask(open({ resolve }), new URL('http://public.example/'))).rejects.toMatchObject({
      failure: 'not-opened',
      message: expect.stringContaining('public.example has a private address'),
    });
  });

  test.each([6_000, 6_665, 10_080])('the client reaches port %i, which browsers block', async (port) => {
    const url = await serve((_request, response) => response.end('here'), port);
    expect(await ask(open(), url)).toMatchObject({ status: 200, text: 'here' });
  });

  test('the error for a closed port names the port and the error code', async () => {
    const server = createTcpServer();
    const url = await listen(server);
    server.close();
    started.splice(0);
    await expect(ask(open(), url)).rejects.toMatchObject({
      failure: 'unreachable',
      message: `cannot be reached on port ${url.port} (ECONNREFUSED)`,
    });
  });

  test('returns a redirect as an answer without following it', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.writeHead(302, { location: '/there' }).end();
    });
    expect(await ask(open(), url)).toMatchObject({ status: 302 });
    expect(requests).toBe(1);
  });
});

describe('encodings of content', () => {
  const serveEncoded = (status: number, encoding: string, headers: Record<string, string> = {}) =>
    serve((_request, response) => {
      response.writeHead(status, { ...headers, 'content-encoding': encoding });
      response.end(gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
    });

  test('requests content without an encoding', async () => {
    const requested: unknown[] = [];
    const url = await serve((request, response) => {
      requested.push(request.headers['accept-encoding']);
      response.end();
    });
    await ask(open(), url);
    await ask(open(), url, { limits: null });
    expect(requested).toEqual(['identity', 'identity']);
  });

  test.each(['gzip', 'GZIP', 'br'])('rejects content that is encoded as %s', async (encoding) => {
    const url = await serveEncoded(200, encoding);
    await expect(ask(open(), url)).rejects.toMatchObject({
      failure: 'encoded',
      message: `answered with content encoded as ${encoding}, which was not requested; disable compression on the other side`,
    });
  });

  test.each(['gzip, br', 'gzip<b>', 'x'.repeat(100)])(
    'does not quote an encoding that is not a short token',
    async (encoding) => {
      const url = await serveEncoded(200, encoding);
      await expect(ask(open(), url)).rejects.toMatchObject({
        message:
          'answered with encoded content, which was not requested; disable compression on the other side',
      });
    },
  );

  test('returns the status of an encoded error without its content', async () => {
    const url = await serveEncoded(429, 'gzip', { 'retry-after': '7' });
    expect(await ask(open(), url)).toEqual({ status: 429, text: '', retryAfterMs: 7_000 });
  });

  test.each(['identity', ''])('reads content whose Content-Encoding is "%s"', async (encoding) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('here');
    });
    expect(await ask(open(), url)).toMatchObject({ status: 200, text: 'here' });
  });

  test('accepts an encoded answer whose content the caller does not read', async () => {
    const url = await serveEncoded(200, 'gzip');
    expect(await ask(open(), url, { limits: null })).toMatchObject({ status: 200, text: '' });
  });
});

describe('client limits', () => {
  test('returns the Retry-After of an answer in milliseconds', async () => {
    const url = await serve((_request, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect(await ask(open(), url)).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  test('aborts a slowly sent answer when the time limit is reached', async () => {
    const url = await serve((_request, response) => {
      response.write('[');
      const timer = setInterval(() => response.write('1,'), 5);
      response.on('close', () => clearInterval(timer));
    });
    await expect(ask(open({ timeoutMs: 200 }), url)).rejects.toMatchObject({
      failure: 'timeout',
      message: 'did not answer within 200 ms',
    });
  });

  test.each([102, 103])('aborts after a few interim responses with status %i', async (status) => {
    let closed = 0;
    const url = await serveRaw((socket) => {
      const flood = () => {
        while (socket.writable && socket.write(`HTTP/1.1 ${status} Wait\r\n\r\n`.repeat(100)));
      };
      socket.on('drain', flood);
      socket.on('close', () => {
        closed += 1;
      });
      flood();
    });
    await expect(ask(open(), url)).rejects.toMatchObject({
      failure: 'too-long',
      message: 'answered with more than 8 interim responses',
    });
    await expect.poll(() => closed).toBe(1);
  });

  test('accepts an interim response before the answer', async () => {
    const url = await serveRaw((socket) =>
      socket.end(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      ),
    );
    expect(await ask(open(), url)).toMatchObject({ status: 200, text: 'ok' });
  });

  test('aborts an answer with endless headers', async () => {
    const url = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const flood = () => {
        while (socket.writable && socket.write('x-a: b\r\n'.repeat(100)));
      };
      socket.on('drain', flood);
      flood();
    });
    await expect(ask(open(), url)).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('UND_ERR_HEADERS_OVERFLOW'),
    });
  });

  test('aborts an answer that arrives in one-byte chunks', async () => {
    const url = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const flood = () => {
        while (socket.writable && socket.write('1\r\n \r\n'.repeat(1_000)));
      };
      socket.on('drain', flood);
      flood();
    });
    await expect(ask(open(), url)).rejects.toMatchObject({ failure: 'too-long' });
  });

  test('does not read the content of an answer if the caller does not request it', async () => {
    const url = await serve((_request, response) => {
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood);
      flood();
    });
    expect(await ask(open(), url, { limits: null })).toMatchObject({ status: 200, text: '' });
  });

  test('aborts a request when the caller’s signal is aborted', async () => {
    const end = new AbortController();
    const url = await serve(() => end.abort());
    await expect(ask(open(), url, { signal: end.signal })).rejects.toMatchObject({ failure: 'aborted' });
    await expect(ask(open(), url, { signal: end.signal })).rejects.toMatchObject({ failure: 'aborted' });
  });
});

describe('client memory', () => {
  const mebibyte = 2 ** 20;

  /** Creates a server that starts to send a long answer, but never completes it. */
  async function serveStalled(bytes: number) {
    let sent = 0;
    const url = await serve((_request, response) => {
      response.on('close', () => undefined);
      response.write(Buffer.alloc(bytes, 0x20), () => {
        sent += 1;
      });
    });
    return { url, sent: () => sent };
  }

  test("stalled long answers use only their tenant's share of the memory, so that answers of other tenants are still read", async () => {
    const budget = new AnswerBudget({ total: 16 * mebibyte, perTenant: 4 * mebibyte, waitMs: 100 });
    const long = { bytes: 8 * mebibyte, values: 1_000 };
    const { url } = await serveStalled(3 * mebibyte);
    const attacker = open({ budget, timeoutMs: 2_000 }, 'attacker');
    const stalled = Promise.allSettled(
      Array.from({ length: 24 }, () => ask(attacker, url, { limits: long })),
    );
    await expect.poll(() => budget.used).toBeGreaterThan(2 * mebibyte);
    const small = await serve((_request, response) => response.end(Buffer.alloc(2 * mebibyte, 0x20)));
    const answer = await ask(open({ budget }, 'victim'), small, { limits: long });
    expect(answer.text).toHaveLength(2 * mebibyte);
    expect(budget.used).toBeLessThanOrEqual(4 * mebibyte);
    const failures = (await stalled).map((one) => one.status === 'rejected' && one.reason.failure);
    expect(failures.filter((failure) => failure === 'busy').length).toBeGreaterThan(0);
    expect(failures.every((failure) => failure === 'busy' || failure === 'timeout')).toBe(true);
    expect(budget.used).toBe(0);
  });

  test('keeps the memory of an answer reserved while the caller uses it', async () => {
    const budget = new AnswerBudget({ total: 4 * mebibyte, perTenant: 4 * mebibyte, waitMs: 100 });
    const url = await serve((_request, response) => response.end(Buffer.alloc(mebibyte, 0x20)));
    const used = await open({ budget }).exchange(
      { url, method: 'GET', headers: {}, limits: { bytes: 2 * mebibyte, values: 10 } },
      () => budget.used,
    );
    expect(used).toBeGreaterThan(mebibyte / 2);
    expect(budget.used).toBe(0);
  });

  test("if the caller's reader throws, passes the error on unchanged and releases the response's memory", async () => {
    const budget = new AnswerBudget({ total: 4 * mebibyte, perTenant: 4 * mebibyte, waitMs: 100 });
    const url = await serve((_request, response) => response.end(Buffer.alloc(mebibyte, 0x20)));
    const failing = open({ budget }).exchange({ url, method: 'GET', headers: {}, limits }, () => {
      throw new TypeError('unexpected');
    });
    await expect(failing).rejects.toThrow(new TypeError('unexpected'));
    expect(budget.used).toBe(0);
  });
});

test('the guarded fetch returns a Response even if the status allows no content', async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.url === '/none' ? 204 : 201, { 'x-seen': String(request.headers['x-sent']) });
    response.end(request.url === '/none' ? undefined : 'content');
  });
  const guarded = createGuardedFetch({ open: ['127.0.0.1'] }, { timeoutMs: 10_000, limits });
  clients.push(guarded);
  const seen = await guarded.exchange(url.href, { headers: { 'x-sent': 'yes' } }, async (response) => [
    response.status,
    response.headers.get('x-seen'),
    await response.text(),
  ]);
  expect(seen).toEqual([201, 'yes', 'content']);
  expect(await guarded.exchange(`${url.href}none`, { method: 'POST' }, (response) => response.text())).toBe(
    '',
  );
});

test('the guarded fetch keeps the memory of an answer reserved while its content is parsed', async () => {
  const budget = new AnswerBudget({ total: 2 ** 22, perTenant: 2 ** 22, waitMs: 100 });
  const url = await serve((_request, response) => response.end(Buffer.alloc(2 ** 20, 0x20)));
  const long = { bytes: 2 ** 21, values: 10 };
  const guarded = createGuardedFetch({ open: ['127.0.0.1'] }, { timeoutMs: 10_000, limits: long, budget });
  clients.push(guarded);
  const used = await guarded.exchange(url.href, {}, async (response) => {
    await response.text();
    await new Promise((resolve) => setImmediate(resolve));
    return budget.used;
  });
  expect(used).toBeGreaterThan(2 ** 19);
  expect(budget.used).toBe(0);
});
