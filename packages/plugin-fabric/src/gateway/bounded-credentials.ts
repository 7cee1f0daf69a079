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
 * Credentials of a channel with the limits of other outbound connections, for TLS and for the memory of
 * answers. gRPC reconnects on its own. If a handshake blocked this process and failed, it is not repeated at
 * once.
 */
export function boundedCredentials(tls: ClientTls | undefined, reader: GrpcReader): grpc.ChannelCredentials {
  const credentials =
    tls === undefined
      ? grpc.credentials.createInsecure()
      : grpc.credentials.createFromSecureContext(outboundSecureContext(tls), {
          checkServerIdentity: checkServerCertificate,
        });
  const createConnector = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...args) => {
    const connector = createConnector(...args);
    const connect = connector.connect.bind(connector);
    connector.connect = async (socket) => {
      if (tls === undefined) {
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
      const failed = new Promise<never>((_resolve, reject) => {
        gate.once('error', reject);
        gate.once('close', () => reject(new Error('The peer closed the connection.')));
      });
      // The types of gRPC do not contain a stream as the connection.
      const connecting: ReturnType<typeof connect> = Reflect.apply(connect, undefined, [gate]);
      const connected = await Promise.race([connecting, failed]);
      gate.attach(connected.socket);
      gate.complete();
      reserveGrpcAnswers(connected.socket, reader);
      return connected;
    };
    return connector;
  };
  return credentials;
}
