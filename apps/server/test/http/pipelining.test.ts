// Attacks without credentials: many pipelined requests, and responses that nobody reads.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { type Fetch, type Listener, listen } from '../../src/http/sockets/listen.ts';

const listeners: Listener[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.close(0);
});

async function serve(fetch: Fetch): Promise<number> {
  const listener = await listen('127.0.0.1', 0);
  listeners.push(listener);
  listener.serve(fetch);
  return listener.port;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Collects what a connection receives. */
function received(socket: Socket): { text: string } {
  const all = { text: '' };
  socket.on('data', (chunk) => {
    all.text += chunk.toString('latin1');
  });
  return all;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
/** As many requests as one read of a socket returns. */
const flood = (path: string) => get(path).repeat(Math.floor(65_536 / get(path).length));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('the server executes one request of a connection at a time, in order of arrival', async () => {
  let [running, most] = [0, 0];
  const seen: string[] = [];
  const port = await serve(async (request) => {
    running += 1;
    most = Math.max(most, running);
    seen.push(`${new URL(request.url).pathname} ${await request.text()}`);
    await turn();
    running -= 1;
    return new Response(seen.at(-1) ?? '');
  });
  const paths = Array.from({ length: 200 }, (_, at) => `/${at}`);
  const socket = await open(port);
  const { promise, resolve } = Promise.withResolvers<void>();
  const answers = received(socket);
  socket.once('close', () => resolve());
  const post = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${path.length}\r\n\r\n${path}`;
  socket.write(`${paths.map(post).join('')}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await promise;
  expect(most).toBe(1);
  expect(seen).toEqual([...paths.map((path) => `${path} ${path}`), '/last ']);
  expect(answers.text.match(/HTTP\/1\.1 200/g)).toHaveLength(201);
});

test('the next request of a connection is parsed after the previous response is flushed', async () => {
  const waiting: (() => void)[] = [];
  const port = await serve(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return new Response('done');
  });
  const all = await Promise.all(Array.from({ length: 300 }, () => open(port)));
  const before = process.memoryUsage().heapUsed;
  const answers = all.map((socket) => received(socket));
  for (const socket of all) socket.write(flood('/livez'));
  await vi.waitFor(() => expect(waiting.length).toBe(300), 30_000);
  for (let round = 0; round < 100; round += 1) await turn();
  expect(waiting.length).toBe(300);
  // 300 connections with 1,900 parsed requests each would take over 1 GB.
  expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(150);
  for (const go of waiting.splice(0)) go();
  await vi.waitFor(() => expect(waiting.length).toBe(300), 30_000);
  expect(answers.map(({ text }) => text.match(/HTTP\/1\.1 200/g)?.length)).toEqual(all.map(() => 1));
});

test('the server creates no further response while the client does not read the previous one', async () => {
  let made = 0;
  const body = new Uint8Array(8 * 1_048_576);
  const port = await serve(() => {
    made += 1;
    return new Response(body);
  });
  const socket = await open(port);
  socket.pause();
  socket.write(flood('/'));
  await vi.waitFor(() => expect(made).toBe(1), 30_000);
  for (let round = 0; round < 200; round += 1) await turn();
  expect(made).toBe(1);
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  // The socket buffers of this machine are smaller than one response.
  await vi.waitFor(() => expect(made).toBeGreaterThan(2), 30_000);
  expect(made).toBeLessThanOrEqual(Math.ceil(bytes / body.length) + 1);
});

test('the server responds promptly to another client while a hundred connections flood it', async () => {
  let handled = 0;
  const port = await serve((request) => {
    if (request.url.endsWith('/other')) return new Response('other');
    handled += 1;
    return new Response(new Uint8Array(20_000));
  });
  const flooding = await Promise.all(Array.from({ length: 100 }, () => open(port)));
  for (const socket of flooding) {
    socket.resume();
    socket.write(flood('/flood'));
  }
  await vi.waitFor(() => expect(handled).toBeGreaterThan(200), 30_000);
  const before = handled;
  const response = await fetch(`http://127.0.0.1:${port}/other`);
  expect(await response.text()).toBe('other');
  // The flood has 200,000 requests. In each turn of the event loop, one of them is executed.
  expect(handled - before).toBeLessThan(2_000);
});

test('the server does not read from a connection while it executes the connection’s request', async () => {
  const port = await serve(() => new Promise<Response>(() => {}));
  const socket = await open(port);
  const [chunk, most] = [flood('/next'), 24 * 1_048_576];
  let written = 0;
  for (let isSent = true; isSent && written < most; written += chunk.length) {
    isSent = false;
    socket.write(chunk, () => {
      isSent = true;
    });
    for (let turns = 0; !isSent && turns < 500; turns += 1) await turn();
  }
  // The operating system's socket buffers hold a few megabytes; the server itself reads nothing.
  expect(written).toBeLessThan(most);
});

test('the server notices that a client disconnects while its request is executed', async () => {
  const gone = Promise.withResolvers<void>();
  const port = await serve((request) => {
    request.signal.addEventListener('abort', () => gone.resolve());
    return new Promise<Response>(() => {});
  });
  const socket = await open(port);
  await new Promise<void>((resolve) => socket.write(get('/'), () => resolve()));
  socket.destroy();
  await gone.promise;
});

test('the server reads the same requests regardless of how their bytes are split', async () => {
  const seen: string[] = [];
  const port = await serve(async (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    return new Response(seen.at(-1) ?? '');
  });
  const chunked = (chunks: string[], trailers = '') =>
    `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n${trailers}\r\n`;
  const tricky = ['\r\n\r\n', '0\r\n\r\n', 'x', '\r\n', 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'];
  const text = [
    '\r\n\r\n',
    get('/1'),
    `POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na\r\n\r\n0\r\n\r`,
    `POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(tricky)}`,
    `POST /4 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(tricky, 'A: b\r\nC: d\r\n')}`,
    `POST /5 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok`,
    `POST /6 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`,
    `GET /7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  ].join('');
  const joined = tricky.join('');
  const whole = [
    'GET /1 ',
    'POST /2 a\r\n\r\n0\r\n\r',
    `POST /3 ${joined}`,
    `POST /4 ${joined}`,
    'POST /5 ok',
    'POST /6 ',
    'GET /7 ',
  ];
  const sizes = [1, 2, 3, 5, 7, 11, 64, text.length];
  for (const size of sizes) {
    const socket = await open(port);
    const answers = received(socket);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    for (let at = 0; at < text.length; at += size) {
      socket.write(text.slice(at, at + size));
      await turn();
    }
    await closed;
    expect([size, seen.splice(0)]).toEqual([size, whole]);
    expect(answers.text.match(/HTTP\/1\.1 200/g)).toHaveLength(whole.length);
  }
});
