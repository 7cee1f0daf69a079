/**
 * Explains why a connection to a peer failed and how to fix it, judging by messages of @grpc/grpc-js, Node
 * and OpenSSL. These messages are not shown, because they contain addresses.
 */
const failures: readonly (readonly [RegExp, string])[] = [
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    'its TLS certificate is for another host name; set tls_server_name of the node to a name in the certificate',
  ],
  [
    /CERT_HAS_EXPIRED|certificate has expired/,
    'its TLS certificate has expired; ask the operator of the peer to renew it',
  ],
  [
    /unable to (?:verify the first|get (?:local )?issuer) certificate|self[- ]signed certificate/,
    'its TLS certificate is not issued by a trusted CA; set tls_ca_certificate of the node or the ledger',
  ],
  [
    /alert (?:certificate required|bad certificate|unknown ca|handshake failure)/,
    'it refused the TLS handshake; if it requires client certificates, set tls_client_certificate and tls_client_key',
  ],
  [
    /wrong version number|packet length too long/,
    'it does not use TLS on this port; check the port, or use grpc:// in the URI',
  ],
  [
    /The peer closed the connection|before secure TLS connection was established|ECONNRESET/,
    'it closed the connection; check the port, and whether it requires client certificates (tls_client_certificate)',
  ],
  [/ECONNREFUSED/, 'nothing listens on this port; check the URI and that the peer is running'],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, 'its host name cannot be resolved; check the URI'],
  [/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, 'its host cannot be reached from this server; check the network'],
];

/** @param text the details of a gRPC status UNAVAILABLE */
export function explainConnectionFailure(text: string): string | undefined {
  return failures.find(([pattern]) => pattern.test(text))?.[1];
}
