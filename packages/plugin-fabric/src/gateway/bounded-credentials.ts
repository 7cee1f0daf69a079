import { connect as connectTls, type TLSSocket } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import {
  type ClientTls,
  checkServerCertificate,
  type GrpcReader,
  handshakes,
  outboundSecureContext,
  reserveGrpcAnswers,
  TlsGate,
} from '@ledger-ops/adapter/outbound';

/**
 * Credentials of a gRPC connection, with the limits of other outbound connections for TLS and for the memory
 * of answers. gRPC reconnects by itself, so the next attempt is delayed after a failed handshake that blocked
 * this process.
 */
export function boundedCredentials(tls: ClientTls | undefined, reader: GrpcReader): grpc.ChannelCredentials {
  const secureContext = tls === undefined ? undefined : outboundSecureContext(tls);
  const credentials =
    secureContext === undefined
      ? grpc.credentials.createInsecure()
      : grpc.credentials.createFromSecureContext(secureContext);
  const createConnector = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (target, options, ...rest) => {
    const connector = createConnector(target, options, ...rest);
    const connect = connector.connect.bind(connector);
    connector.connect = async (socket) => {
      if (secureContext === undefined) {
        const plain = await connect(socket);
        reserveGrpcAnswers(plain.socket, reader);
        return plain;
      }
      const refusal = handshakes.refusal(reader.tenant);
      if (refusal !== undefined) {
        socket.destroy();
        throw refusal;
      }
      const gate = new TlsGate(socket, reader.tenant);
      const override = options['grpc.ssl_target_name_override'];
      const host = grpc.experimental.splitHostPort(target.path)?.host ?? target.path;
      const servername = typeof override === 'string' ? override : host;
      // This module opens the connection instead of gRPC, because the gate needs the TLS socket before it receives
      // anything.
      const secure = connectTls({
        ...{ socket: gate, secureContext, servername, ALPNProtocols: ['h2'] },
        checkServerIdentity: (_host, certificate) => checkServerCertificate(servername, certificate),
      });
      gate.attach(secure);
      await handshakeOf(secure, gate);
      gate.complete();
      reserveGrpcAnswers(secure, reader);
      return { socket: secure, secure: true };
    };
    return connector;
  };
  return credentials;
}

async function handshakeOf(secure: TLSSocket, gate: TlsGate): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve);
    // The listener stays, because the connection may also fail later.
    for (const end of [secure, gate]) end.on('error', reject);
    // If TLS failed, an error that explains it follows in this turn of the event loop.
    gate.once('close', () => setImmediate(reject, new Error('The peer closed the connection.')));
  });
}
