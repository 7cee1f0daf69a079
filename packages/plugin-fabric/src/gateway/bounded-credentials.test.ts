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

/** Opens a peer behind a TLS server that does not speak gRPC. */
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

const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const trusted = selfSigned(ec());

test('starts no TLS handshake while the tenant must wait because of expensive handshakes', async () => {
  const peer = await open(trusted, trusted.cert, 'hostile-peer');
  const handshake = handshakes.begin('hostile-peer', () => undefined);
  handshake.run(() => {
    const end = process.threadCpuUsage().user + 60_000;
    while (process.threadCpuUsage().user < end);
  });
  handshake.end();
  expect(handshakes.refusal('hostile-peer')).toBeDefined();
  const submit = () => peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000).catch(String);
  await expect.poll(submit).toContain('were too expensive');
});

test('refuses a peer’s certificates with keys that are too expensive, before OpenSSL verifies them', async () => {
  const peer = await open(expensiveChain(22), trusted.cert, 'expensive-peer');
  const failure = await peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000).catch(String);
  expect(failure).toMatch(/more than 8 certificates|exponent above 32/);
  expect(handshakes.refusal('expensive-peer')).toBeUndefined();
});

test('a peer cannot choose Diffie-Hellman parameters', async () => {
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

test.each([
  ['a certificate for another host', selfSigned(ec(), 'peer9.example'), undefined, 'set tls_server_name'],
  ['an untrusted certificate', selfSigned(ec()), trusted.cert, 'set tls_ca_certificate'],
] as const)('explains why a TLS handshake failed: %s', async (_, { key, cert }, root, expected) => {
  const peer = await open({ key, cert }, root ?? cert, `explained ${expected}`);
  const failed = peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000);
  await expect(failed).rejects.toMatchObject({ connection: expect.stringContaining(expected) });
});

test('explains that a peer closes the connection during the TLS handshake, or does not use TLS', async () => {
  for (const [answer, expected] of [
    ['no TLS here', 'does not use TLS on this port'],
    ['', 'closed the connection'],
  ] as const) {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(answer));
    });
    const peer = await connectTo(server, trusted.cert, `closing ${expected}`);
    const failed = peer.unary('/gateway.Gateway/Submit', new Uint8Array(), 5_000);
    await expect(failed).rejects.toMatchObject({ connection: expect.stringContaining(expected) });
  }
});
