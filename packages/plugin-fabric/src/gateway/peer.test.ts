import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultTiming } from '../timing.ts';
import { Peer } from './peer.ts';
import { PeerError } from './peer-error.ts';

const method = '/gateway.Gateway/Submit';
const answering = '/gateway.Gateway/Evaluate';
const silent = '/gateway.Gateway/Endorse';
const server = new grpc.Server();
let port = 0;

beforeAll(async () => {
  const asIs = (bytes: Buffer) => bytes;
  const refuse: grpc.handleUnaryCall<Buffer, Buffer> = (_, answer) => {
    const metadata = new grpc.Metadata();
    metadata.set('grpc-status-details-bin', Buffer.from('ffffffffff', 'hex'));
    answer({ code: grpc.status.ABORTED, details: 'no', metadata });
  };
  server.register(method, refuse, asIs, asIs, 'unary');
  server.register(
    answering,
    (_: unknown, answer: grpc.sendUnaryData<Buffer>) => answer(null, Buffer.of()),
    asIs,
    asIs,
    'unary',
  );
  server.register(silent, () => undefined, asIs, asIs, 'unary');
  port = await bind(server);
});

afterAll(() => server.forceShutdown());

const at = (port: number) => ({
  ...{ nodeId: 'peer0', host: '127.0.0.1', port, secure: false, serverName: undefined },
  ...{ rootCertificate: undefined, mspId: 'Org1MSP', role: 'gateway' as const, client: undefined },
});

test('if a peer sends malformed error details, they are ignored, and only this call fails', async () => {
  const peer = new Peer(at(port), undefined, defaultTiming.peers);
  try {
    const failure = await peer.unary(method, new Uint8Array(), 5_000).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PeerError);
    expect(failure).toMatchObject({ code: grpc.status.ABORTED, message: 'no', details: [] });
  } finally {
    peer.close();
  }
});

test('each call is counted with its method and result until the peer is closed', async () => {
  const told: [string, string][] = [];
  const requested = (name: string, result: string) => void told.push([name, result]);
  const call = async (to: number, name: string, timeout = 5_000) => {
    const peer = new Peer(at(to), undefined, defaultTiming.peers, requested);
    await peer.unary(name, new Uint8Array(), timeout).catch(() => undefined);
    return peer;
  };
  const peers = [
    await call(port, answering),
    await call(port, method),
    await call(port, silent, 50),
    await call(await closedPort(), method),
  ];
  for (const peer of peers) peer.close();
  await peers[0]?.unary(answering, new Uint8Array(), 5_000).catch(() => undefined);
  expect(told).toEqual([
    ['gateway.Gateway/Evaluate', 'ok'],
    ['gateway.Gateway/Submit', 'refused'],
    ['gateway.Gateway/Endorse', 'timeout'],
    ['gateway.Gateway/Submit', 'unavailable'],
  ]);
});

/** Returns a port without a listener. */
async function closedPort(): Promise<number> {
  const other = new grpc.Server();
  const found = await bind(other);
  other.forceShutdown();
  return found;
}

function bind(to: grpc.Server): Promise<number> {
  return new Promise((resolve, reject) => {
    to.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
}

test.each([true, false])(
  'does not repeatedly dial a peer that accepts connections but sends nothing (TLS: %s)',
  async (secure) => {
    const sockets = new Set<Socket>();
    const paused = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).resume();
    }).listen(0, '127.0.0.1');
    await once(paused, 'listening');
    const address = paused.address();
    if (address === null || typeof address === 'string') throw new TypeError('The server has no port.');
    const timing = { ...defaultTiming.peers, handshake: 60_000 };
    const peer = new Peer({ ...at(address.port), serverName: 'peer0', secure }, undefined, timing);
    const late = new Peer({ ...at(address.port), serverName: 'peer0', secure }, undefined, {
      ...timing,
      handshake: 0,
    });
    try {
      for (let times = 1; times <= 3; times += 1) {
        for (const one of [peer, late]) await one.ready(1).catch(() => undefined);
        await expect.poll(() => sockets.size, { timeout: 30_000 }).toBe(1 + times);
        peer.reset();
        late.reset();
      }
    } finally {
      peer.close();
      late.close();
      paused.close();
      for (const socket of sockets) socket.destroy();
    }
  },
);

test('a call to a port without a listener fails with the reason, the node and the port', async () => {
  const unused = new grpc.Server();
  const free = await bind(unused);
  unused.forceShutdown();
  const peer = new Peer(at(free), undefined, defaultTiming.peers);
  try {
    const failure = await peer.unary(answering, new Uint8Array(), 5_000).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      connection: `Node peer0 (port ${free}): nothing listens on this port; check the URI and that the peer is running`,
    });
  } finally {
    peer.close();
  }
});
