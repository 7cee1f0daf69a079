import type { Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import {
  type ClientTls,
  checkServerCertificate,
  type GrpcReader,
  handshakes,
  limitTlsOverhead,
  outboundSecureContext,
  reserveGrpcAnswers,
} from '@ledger-ops/adapter/outbound';

/**
 * Credentials of a channel with the bounds of other outbound connections: TLS, and the memory of answers. gRPC reconnects by
 * itself, so a handshake that blocked this process and failed is not repeated at once.
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
      const refusal = handshakes.refusal(reader.tenant);
      if (refusal !== undefined && tls !== undefined) {
        socket.destroy();
        throw refusal;
      }
      const ended = handshakes.watch(reader.tenant);
      let secure: Socket | undefined;
      if (tls !== undefined) limitTlsOverhead(socket, () => secure);
      socket.once('close', () => ended(new Error('The peer closed the connection.')));
      try {
        const connected = await connect(socket);
        secure = connected.socket;
        ended();
        reserveGrpcAnswers(connected.socket, reader);
        return connected;
      } catch (error) {
        ended(error);
        throw error;
      }
    };
    return connector;
  };
  return credentials;
}
