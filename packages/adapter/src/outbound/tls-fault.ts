const unknownAuthority =
  'its certificate was issued by an authority that is not trusted here, or its chain is incomplete';
const clientCertificate = 'it requires a client certificate, and none was sent';
const refusedCertificate = 'it does not accept the client certificate that was sent';
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
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    'it has no TLS version, cipher or certificate in common with this server',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it has no TLS version in common with this server',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it has no TLS version in common with this server',
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** Returns the reason, as a predicate about the other side; undefined if the code is not a TLS code. */
export function tlsFault(code: string | undefined): string | undefined {
  return code === undefined || !Object.hasOwn(faults, code) ? undefined : faults[code];
}
