import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultTiming } from '../timing.ts';
import { createPeer } from './peer.ts';
import { PeerError } from './peer-error.ts';

const method = '/gateway.Gateway/Submit';
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
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
});

afterAll(() => server.forceShutdown());

test("what a peer sends as an error's details and is none is left out, and ends nothing but the call", async () => {
  const peer = createPeer(
    {
      nodeId: 'peer0',
      host: '127.0.0.1',
      port,
      secure: false,
      serverName: undefined,
      rootCertificate: undefined,
      mspId: 'Org1MSP',
      role: 'gateway',
      client: undefined,
    },
    undefined,
    defaultTiming.peers,
  );
  try {
    const failure = await peer.unary(method, new Uint8Array(), 5_000).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PeerError);
    expect(failure).toMatchObject({ code: grpc.status.ABORTED, message: 'no', details: [] });
  } finally {
    peer.close();
  }
});
