import { constants, X509Certificate } from 'node:crypto';
import tls, { type PeerCertificate, type SecureContextOptions } from 'node:tls';

/**
 * TLS settings of every outgoing connection. The other side may be hostile, and a handshake runs on the event
 * loop, so no step may take more than a few milliseconds. Finite-field Diffie-Hellman is disabled, because
 * the server chooses its modulus (10,000 bits take a second). Renegotiation is disabled, because the server
 * could repeat the handshake any number of times.
 */
const boundedTls = {
  ciphers: `${tls.DEFAULT_CIPHERS}:!kDHE`,
  // OpenSSL sends a key share for each of the first two groups by default.
  ecdhCurve: '*X25519MLKEM768:*X25519:P-256:P-384:P-521',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions;

/** PEM of a client's certificate and key, and of the authorities that sign the server's certificate. */
export interface ClientTls {
  cert?: string | undefined;
  key?: string | undefined;
  ca?: string | undefined;
}

/**
 * Returns the secure context of outgoing connections. If a member is undefined, the system's default is used.
 * @throws Error if a member is not PEM
 */
export function outboundSecureContext(client: ClientTls = {}): tls.SecureContext {
  return tls.createSecureContext({ ...boundedTls, ...client });
}

/** Maximum RSA bits of a server's certificate and its issuers. */
const largestModulus = 8_192;
/** Maximum bits of an RSA exponent. In practice it is 65537. */
const largestExponent = 32;
/** Maximum number of certificates in a chain: the server's, and those of its issuers. */
const longestChain = 8;
/**
 * Maximum number of bytes of a chain. Usual chains have 3 to 10 kB. OpenSSL compares each name of a
 * certificate with each name constraint of the issuers, so a chain of 68 kB blocks the event loop for 100 ms.
 */
const mostChainBytes = 32_768;

/** A server's certificate chain is too long, or contains a key that is too expensive to verify. */
class PeerKeyError extends Error {
  override readonly name = 'PeerKeyError';
  readonly code = 'EPEERKEY';
}

/**
 * Returns why a chain of certificates is too expensive to verify; undefined if it is not.
 *
 * @param certificates read one by one, until one exceeds a limit
 */
export function chainError(certificates: Iterable<X509Certificate>): PeerKeyError | undefined {
  let [count, bytes] = [0, 0];
  for (const { raw, publicKey } of certificates) {
    count += 1;
    bytes += raw.length;
    if (count > longestChain) {
      return new PeerKeyError(`The server's certificate chain has more than ${longestChain} certificates.`);
    }
    if (bytes > mostChainBytes) {
      return new PeerKeyError(`The server's certificate chain has more than ${mostChainBytes} bytes.`);
    }
    const { modulusLength = 0, publicExponent = 0n } = publicKey.asymmetricKeyDetails ?? {};
    if (modulusLength > largestModulus || publicExponent >> BigInt(largestExponent) > 0n) {
      const detail = `an RSA key of more than ${largestModulus} bits or with an exponent above ${largestExponent}`;
      return new PeerKeyError(`A certificate in the server's chain has ${detail}.`);
    }
  }
  return undefined;
}

/**
 * Returns the `checkServerIdentity` of outgoing connections: checks the name in the certificate, and the keys
 * of the verified chain, which may include issuers that the server did not send.
 */
export function checkServerCertificate(host: string, certificate: PeerCertificate): Error | undefined {
  return chainError(verifiedChain(certificate)) ?? tls.checkServerIdentity(host, certificate);
}

function* verifiedChain(certificate: PeerCertificate): Generator<X509Certificate> {
  let current: Partial<tls.DetailedPeerCertificate> | undefined = certificate;
  while (current?.raw !== undefined) {
    yield new X509Certificate(current.raw);
    const { issuerCertificate }: Partial<tls.DetailedPeerCertificate> = current;
    // The last certificate of the chain is its own issuer.
    current = issuerCertificate === current ? undefined : issuerCertificate;
  }
}
