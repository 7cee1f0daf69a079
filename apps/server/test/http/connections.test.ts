// Attacks without credentials: more connections than file descriptors, endless heads and bodies.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Bound, ConnectionBounds } from '../../src/http/sockets/connections.ts';
import { connectionBounds } from '../../src/http/sockets/descriptors.ts';
import { type Fetch, type Listener, type ListenOptions, listen } from '../../src/http/sockets/listen.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const listeners: Listener[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const listener of listeners.splice(0)) await listener.close(0);
});

interface Bounded {
  readonly port: number;
  readonly counts: { open: number; bounded: string[] };
}

async function serve(
  connections: ConnectionBounds,
  fetch: Fetch,
  more: ListenOptions = {},
): Promise<Bounded> {
  const counts: Bounded['counts'] = { open: 0, bounded: [] };
  const listener = await listen('127.0.0.1', 0, {
    connections,
    meter: {
      open: (count) => {
        counts.open = count;
      },
      bounded: (bound: Bound, outcome) => void counts.bounded.push(`${bound} ${outcome}`),
    },
    ...more,
  });
  listeners.push(listener);
  listener.serve(fetch);
  return { port: listener.port, counts };
}

/** Opens a connection from a loopback address. Collects everything that it receives until it closes. */
async function open(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  return { socket, closed, text: () => text };
}

const get = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
const halfHead = 'GET /livez HTTP/1.1\r\nHost: a';
const halfBody =
  'POST /v1/auth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"a';
const answer: Fetch = () => new Response('ok');
const never: Fetch = () => new Promise<Response>(() => {});

describe('at the limit of an address', () => {
  test.each([
    ['silent', ''],
    ['idle', get],
    ['half-sent heads', halfHead],
    ['half-sent bodies', halfBody],
  ])('a new connection replaces the oldest of 300 (%s), and gets a response', async (_what, bytes) => {
    const { port, counts } = await serve({ total: 1_000, perAddress: 300 }, (request) =>
      request.method === 'POST' ? never(request, undefined as never) : new Response('ok'),
    );
    const all = await Promise.all(Array.from({ length: 300 }, () => open(port)));
    for (const { socket } of all) if (bytes !== '') socket.write(bytes);
    await vi.waitFor(() => expect(counts.open).toBe(300), 30_000);
    if (bytes === get)
      await vi.waitFor(() => expect(all.every(({ text }) => text() !== '')).toBe(true), 30_000);
    const more = await Promise.all(Array.from({ length: 20 }, () => open(port)));
    for (const { socket } of more) socket.write(get);
    await vi.waitFor(
      () => expect(more.map(({ text }) => text().slice(0, 12))).toEqual(more.map(() => 'HTTP/1.1 200')),
      30_000,
    );
    expect(counts.open).toBe(300);
    expect(counts.bounded).toEqual(more.map(() => 'address evicted'));
  });

  test('a new connection gets 429 if all connections of its address execute requests, but other addresses can connect', async () => {
    const { port, counts } = await serve({ total: 1_000, perAddress: 50 }, never);
    const all = await Promise.all(Array.from({ length: 50 }, () => open(port)));
    for (const { socket } of all) socket.write(get);
    const other = await open(port, '127.0.0.2');
    // At this point, the server has read the requests of the others.
    other.socket.write(get);
    const probes = await vi.waitFor(async () => {
      const one = await open(port);
      const text = await one.closed;
      expect(text).toMatch(/^HTTP\/1\.1 429 [\s\S]*Retry-After: 5[\s\S]*50 connections from this address/);
      return counts.bounded.filter((bounded) => bounded === 'address refused');
    }, 30_000);
    expect(probes.length).toBeGreaterThan(0);
    expect(other.socket.destroyed).toBe(false);
    expect(counts.open).toBeLessThanOrEqual(51);
  });
});

describe('at the total limit', () => {
  test('a new connection of an address with few connections replaces one of the address with the most', async () => {
    const { port, counts } = await serve({ total: 100, perAddress: 90 }, answer);
    const many = await Promise.all(Array.from({ length: 90 }, () => open(port)));
    const few = await Promise.all(Array.from({ length: 10 }, () => open(port, '127.0.0.2')));
    await vi.waitFor(() => expect(counts.open).toBe(100), 30_000);
    const late = await open(port, '127.0.0.3');
    late.socket.write(get);
    await vi.waitFor(() => expect(late.text()).toMatch(/^HTTP\/1\.1 200/), 30_000);
    expect(counts).toEqual({ open: 100, bounded: ['total evicted'] });
    await many[0]?.closed;
    expect([...many.slice(1), ...few].filter(({ socket }) => socket.destroyed)).toEqual([]);
  });

  test('a new connection gets 503 if all connections execute requests', async () => {
    const started = { count: 0 };
    const { port, counts } = await serve({ total: 10, perAddress: undefined }, () => {
      started.count += 1;
      return new Promise<Response>(() => {});
    });
    const all = await Promise.all(Array.from({ length: 10 }, () => open(port)));
    for (const { socket } of all) socket.write(get);
    await vi.waitFor(() => expect(started.count).toBe(10), 30_000);
    const late = await open(port, '127.0.0.2');
    expect(await late.closed).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 5/);
    expect(counts).toEqual({ open: 10, bounded: ['total refused'] });
  });
});

describe('deadlines', () => {
  test('an endless head gets 408, and a silent connection is closed without a response', async () => {
    const { port } = await serve({ total: 100, perAddress: 100 }, answer, { headTimeout: 50 });
    const half = await open(port);
    half.socket.write(halfHead);
    const silent = await open(port);
    expect(await half.closed).toMatch(/^HTTP\/1\.1 408 [\s\S]*urn:ledger-ops:problem:request-timeout/);
    expect(await silent.closed).toBe('');
  });

  test('by default, a head must arrive within ten seconds', async () => {
    const { port } = await serve({ total: 100, perAddress: 100 }, answer);
    const { promise, resolve } = Promise.withResolvers<Server>();
    // Node documents this channel and its message.
    const started = (message: unknown) => resolve((message as { server: Server }).server);
    subscribe('http.server.request.start', started);
    try {
      (await open(port)).socket.write(get);
      expect((await promise).headersTimeout).toBe(10_000);
    } finally {
      unsubscribe('http.server.request.start', started);
    }
  });

  test('an unfinished body of a public operation gets 408 after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { port } = await serve({ total: 100, perAddress: 100 }, makeServer(ground).app.fetch);
      const half = await open(port);
      half.socket.write(halfBody.replace('/v1/auth/token', '/v1/auth/login'));
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), 30_000);
      await vi.advanceTimersByTimeAsync(10_000);
      await vi.waitFor(() => expect(half.text()).toMatch(/^HTTP\/1\.1 408 [\s\S]*Connection: close/), 30_000);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a client that does not send the rest of a body after the response is disconnected', async () => {
    const patience = { body: 20, response: 60_000 };
    const { port } = await serve({ total: 100, perAddress: 100 }, answer, { patience });
    const half = await open(port);
    half.socket.write(halfBody);
    expect(await half.closed).toMatch(/^HTTP\/1\.1 200/);
  });

  test('a client that does not read a complete response is disconnected', async () => {
    const body = new Uint8Array(32 * 1_048_576);
    const patience = { body: 20, response: 20 };
    const { port, counts } = await serve({ total: 100, perAddress: 100 }, () => new Response(body), {
      patience,
    });
    const slow = await open(port);
    slow.socket.pause();
    slow.socket.write(get);
    await vi.waitFor(() => expect(counts.open).toBe(0), 30_000);
  });
});

describe('the default limits', () => {
  const unset = {
    maxConnections: undefined,
    maxConnectionsPerAddress: undefined,
    trustedProxies: { count: 0 },
  };

  test('the default limits leave file descriptors for outbound connections', () => {
    expect(connectionBounds(unset, 1_048_576)).toEqual({ total: 4_096, perAddress: 512 });
    expect(connectionBounds(unset, 4_096)).toEqual({ total: 3_072, perAddress: 512 });
    expect(connectionBounds(unset, 1_024)).toEqual({ total: 512, perAddress: 512 });
    expect(() => connectionBounds({ ...unset, maxConnections: 513 }, 1_024)).toThrow(ConfigError);
    expect(connectionBounds({ ...unset, maxConnections: 512 }, 1_024).total).toBe(512);
  });

  test('the default limits do not apply to a trusted proxy’s address', () => {
    expect(connectionBounds({ ...unset, trustedProxies: { count: 1 } }, 20_000).perAddress).toBeUndefined();
    const set = { ...unset, trustedProxies: { count: 1 }, maxConnectionsPerAddress: 9 };
    expect(connectionBounds(set, 20_000).perAddress).toBe(9);
  });
});
