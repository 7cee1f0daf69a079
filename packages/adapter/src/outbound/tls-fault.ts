const unknownAuthority =
  'its certificate was issued by an authority that is not trusted here, or its chain is incomplete';
const clientCertificate = 'it requires a client certificate, and none was sent';
const refusedCertificate = 'it does not accept the client certificate that was sent';
const wrongPurpose = 'its certificate, or one of its chain, is not allowed for this purpose';
const nothingInCommon = 'it has no TLS version, cipher or certificate in common with this server';
const noTls = 'it does not speak TLS there';

/** Reasons for TLS errors, by the codes of Node and OpenSSL. */
const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  CERT_SIGNATURE_FAILURE: 'its certificate has an invalid signature',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  INVALID_CA: wrongPurpose,
  INVALID_PURPOSE: wrongPurpose,
  PATH_LENGTH_EXCEEDED: 'the chain of its certificate is longer than its authority allows',
  // Node has no code for the other reasons, such as a weak signature or a violated name constraint.
  UNSPECIFIED: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPEERKEY: 'its certificate is too large, or has a key that is too expensive to verify',
  ETLSOVERHEAD: 'it sent too many TLS messages without content',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificate,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: refusedCertificate,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: refusedCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: refusedCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: refusedCertificate,
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: refusedCertificate,
  ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR: refusedCertificate,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: refusedCertificate,
  ERR_SSL_TLSV1_ALERT_ACCESS_DENIED: 'it denied access in the TLS handshake',
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: 'it reports an internal error in the TLS handshake',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'it does not know the host name in its URL',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: nothingInCommon,
  ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY: nothingInCommon,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it has no TLS version in common with this server',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it has no TLS version in common with this server',
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** Returns the reason, as a predicate about the other side; undefined if the code is not a TLS code. */
export function tlsFault(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  // OpenSSL 3.2 renamed the alerts that SSL 3.0 has too.
  const name = code.replace('SSL/TLS', 'SSLV3');
  if (Object.hasOwn(faults, name)) return faults[name];
  return code.startsWith('ERR_SSL_') ? 'the TLS handshake failed' : undefined;
}
