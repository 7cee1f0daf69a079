import { expect, test } from 'vitest';
import { explainConnectionFailure } from './connection-failure.ts';

const last = (text: string) => `No connection established. Last error: ${text}. Resolution note: `;

// Messages of @grpc/grpc-js 1.14 on Node 24 about a peer of Fabric 2.5.
test.each([
  [
    last(
      "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: Host: peer9. is not in the cert's altnames: DNS:peer0.org1.example, IP Address:127.0.0.1",
    ),
    'tls_server_name',
  ],
  [
    last(
      'Error: unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
    ),
    'tls_ca_certificate',
  ],
  [last('Error: self-signed certificate in certificate chain'), 'tls_ca_certificate'],
  [last('Error: certificate has expired'), 'has expired'],
  [last('Error: connect ECONNREFUSED 127.0.0.1:1'), 'nothing listens'],
  [
    last(
      'Error: 40ED2280EF7F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number',
    ),
    'grpc://',
  ],
  ['Name resolution failed for target dns:nohost.invalid:7051', 'cannot be resolved'],
])('explains the connection failure %s', (text, expected) => {
  const explained = explainConnectionFailure(text);
  expect(explained).toContain(expected);
  expect(explained).not.toMatch(/127\.0\.0\.1|nohost/);
});

test('explains only known failures', () => {
  expect(explainConnectionFailure(last('Failed to connect (2026-11-26T22:03:28.381Z)'))).toBeUndefined();
});
