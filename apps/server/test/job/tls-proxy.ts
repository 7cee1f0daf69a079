import { connect } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { KeyPair } from '@ledger-ops/devnet-fabric';

/** TLS in front of a plugin, like a deployer's proxy. */
export interface TlsProxy {
  url: string;
  /** Returns the subject name in the certificate of each admitted client. */
  clients(): readonly string[];
  /** Refused handshakes. */
  refusals(): number;
  close(): Promise<void>;
}

/** Terminates TLS on 127.0.0.1 and forwards to the plugin. Admits only clients with a certificate of this authority. */
export async function startTlsProxy(
  target: string,
  { certificate: cert, privateKey: key }: KeyPair,
  { certificate: ca }: Pick<KeyPair, 'certificate'>,
): Promise<TlsProxy> {
  const { hostname, port: plainPort } = new URL(target);
  const clients: string[] = [];
  const open = new Set<TLSSocket>();
  let refusals = 0;
  const server = createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true }, (socket) => {
    open.add(socket);
    clients.push(String(socket.getPeerCertificate().subject.CN));
    const plain = connect(Number(plainPort), hostname);
    socket.pipe(plain).pipe(socket);
    socket.on('error', () => plain.destroy()).on('close', () => open.delete(socket));
    plain.on('error', () => socket.destroy());
  });
  server.on('tlsClientError', () => {
    refusals += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    clients: () => clients,
    refusals: () => refusals,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
