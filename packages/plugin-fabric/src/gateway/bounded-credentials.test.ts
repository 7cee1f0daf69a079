import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTcpServer, type Server } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { handshakes } from '@ledger-ops/adapter/outbound';
import { expect, onTestFinished, test } from 'vitest';
import {
  dhParameters,
  expensiveChain,
  rsaKey,
  selfSigned,
} from '../../../adapter/test/outbound/certificates.ts';
import { defaultTiming } from '../timing.ts';
import { Peer } from './peer.ts';

/** A peer behind a TLS server that does not speak gRPC. */
async function open(options: TlsOptions, rootCertificate: string, tenant: string) {
  const server = createServer(options, (socket) => socket.destroy());
  server.on('tlsClientError', () => undefined);
  return await connectTo(server, rootCertificate, tenant);
}

async function connectTo(server: Server, rootCertificate: string, tenant: string) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const peer = new Peer(
    {
      ...{ nodeId: 'peer0', host: '127.0.0.1', port, secure: true, serverName: 'localhost' },
      ...{ rootCertificate, mspId: 'Org1MSP', role: 'gateway' as const, client: undefined },
    },
    { open: ['127.0.0.1'], tenant },
    defaultTiming.peers,
  );
  onTestFinished(() => {
    peer.close();
    server.close();
  });
  return peer;
}

const trusted = selfSigned(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

test('does not soon repeat a TLS handshake that used too much processor time', async () => {
  const peer = await open(expensiveChain(22), trusted.cert, 'hostile-peer');
  await expect(peer.ready(5_000)).rejects.toThrow();
  expect(handshakes.refusal('hostile-peer')).toBeDefined();
  // gRPC reconnects after about a second, and reports the previous failure until then.
  const submit = () => peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000).catch(String);
  await expect.poll(submit).toContain('were too expensive');
});

test('a peer cannot choose its own Diffie-Hellman parameters', async () => {
  const { key, cert } = selfSigned(rsaKey(2));
  const dhe = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: dhParameters(10_000) };
  const peer = await open({ key, cert, maxVersion: 'TLSv1.2', ...dhe }, cert, 'dhe');
  const failure = await peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000).catch(String);
  expect(failure).toMatch(/handshake failure|HANDSHAKE|ECONNRESET|No connection/i);
});

test('closes the connection to a peer that sends only hello requests during the TLS handshake', async () => {
  const helloRequests = Buffer.from('160303000400000000'.repeat(7_000), 'hex');
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    const flood = () => {
      while (!socket.destroyed && socket.write(helloRequests));
    };
    socket.on('error', () => undefined);
    socket.on('drain', flood);
    socket.once('data', flood);
    socket.once('close', () => closed.resolve());
  });
  const peer = await connectTo(server, trusted.cert, 'flooding-peer');
  await peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000).catch(String);
  await closed.promise;
});
