import { isIP, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { OutboundPolicy } from '../contract/definition.ts';
import { handshakes } from './handshakes.ts';
import { guardedLookup, type Resolve } from './lookup.ts';
import { createAddressCheck, OutboundError, withoutBrackets } from './policy.ts';
import { type ClientTls, checkServerCertificate, outboundSecureContext } from './tls.ts';
import { TlsGate } from './tls-gate.ts';

/** Settings for opening connections. */
export interface ConnectorOptions {
  /** Milliseconds for opening a connection. */
  timeout?: number;
  resolve?: Resolve;
  tls?: ClientTls;
}

/**
 * Returns the `connect` of an undici Agent that connects only to allowed addresses. It checks literal
 * addresses, every resolved address, and the address of the open connection. Without a policy, all addresses
 * are allowed. For TLS see `outboundSecureContext`.
 */
export function guardedConnector(
  policy: OutboundPolicy | undefined,
  { timeout, resolve, tls: clientTls }: ConnectorOptions = {},
): buildConnector.connector {
  const allows = policy === undefined ? () => true : createAddressCheck(policy);
  const connectWith = (secureContext?: SecureContext) =>
    buildConnector({
      lookup: guardedLookup(allows, resolve),
      allowH2: false,
      // A server can send any number of tickets, and each takes 10 microseconds to cache.
      maxCachedSessions: 0,
      ...(timeout === undefined ? {} : { timeout }),
      ...(secureContext === undefined ? {} : { secureContext, checkServerIdentity: checkServerCertificate }),
    });
  const connectPlain = connectWith();
  let secureConnector: buildConnector.connector | undefined;

  /** Returns the connector for TLS. Keys and ciphers are parsed once, for the first connection. */
  function secure(): buildConnector.connector {
    secureConnector ??= connectWith(outboundSecureContext(clientTls));
    return secureConnector;
  }

  return (options, callback) => {
    const host = withoutBrackets(options.hostname);
    if (isIP(host) !== 0 && !allows(host)) {
      callback(new OutboundError(options.hostname), null);
      return;
    }
    const isSecure = options.protocol === 'https:';
    const tenant = policy?.tenant ?? options.hostname;
    const refusal = isSecure ? handshakes.refusal(tenant) : undefined;
    if (refusal !== undefined) {
      callback(refusal, null);
      return;
    }
    // The secure context is created first, because creating it fails if a key is unusable.
    const connectSecure = isSecure ? secure() : undefined;
    const { servername: _servername, ...destination } = options;
    const port = options.port || (isSecure ? '443' : '80');
    connectPlain({ ...destination, protocol: 'http:', port }, (...[error, raw]) => {
      if (error !== null) {
        callback(error, null);
      } else if (raw.remoteAddress === undefined || !allows(raw.remoteAddress)) {
        raw.destroy();
        callback(new OutboundError(options.hostname), null);
      } else if (connectSecure === undefined) {
        readInPieces(raw);
        callback(null, raw);
      } else {
        const gate = new TlsGate(raw, tenant);
        const done: buildConnector.Callback = (...[error, socket]) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          gate.complete();
          limitTickets(socket);
          readInPieces(socket);
          callback(null, socket);
        };
        // Casts, because undici's types allow neither a stream as the connection nor the returned socket.
        const secured: unknown = Reflect.apply(connectSecure, undefined, [
          { ...options, httpSocket: gate },
          done,
        ]);
        if (secured instanceof Socket) gate.attach(secured);
      }
    });
  };
}

/** Maximum number of session tickets of a connection. Servers send two or four. */
const mostTickets = 16;

function limitTickets(socket: Socket): void {
  let tickets = 0;
  socket.on('session', () => {
    tickets += 1;
    if (tickets > mostTickets) socket.destroy();
  });
}

/** Maximum number of bytes passed to the parser in one call. */
const largestPiece = 4_096;

/**
 * Stops parsing when the socket is destroyed. The first header beyond the limit destroys the socket, but the
 * parser would still create an error for each later header, about 10,000 per socket read.
 */
function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    if (socket.destroyed) return null;
    const waiting = socket.readableLength;
    return size === undefined && waiting > largestPiece ? read(largestPiece) : read(size);
  };
}
