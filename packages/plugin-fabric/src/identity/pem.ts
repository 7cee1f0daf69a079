import { KeyMaterialError, readCertificates, readClientKey } from '@ledger-ops/adapter/outbound';
import { z } from 'zod';

export const pem = z
  .string({ error: 'must be PEM' })
  .max(65_536, 'must have at most 65536 characters')
  .regex(/-----BEGIN [A-Z0-9 ]+-----/, 'must be PEM');
/** Schema of one or more certificates in PEM. */
export const certificates = readable(readCertificates);

/** The client certificate and key for mutual TLS. */
export const clientTls = {
  tls_client_certificate: certificates.nullish(),
  tls_client_key: readable(readClientKey).nullish(),
};
/** The issue to report if {@link arePair} is false. */
export const noPair = { path: ['tls_client_key'], error: 'must be the key of tls_client_certificate' };

/**
 * Whether certificate and key are both present and match, or are both absent. True also if one cannot be parsed, which
 * its own schema reports.
 */
export function arePair({
  tls_client_certificate: certificate,
  tls_client_key: key,
}: {
  [Name in keyof typeof clientTls]?: string | null | undefined;
}): boolean {
  if (!certificate || !key) return !certificate === !key;
  if (!clientTls.tls_client_certificate.safeParse(certificate).success) return true;
  if (!clientTls.tls_client_key.safeParse(key).success) return true;
  return readCertificates(certificate)[0].checkPrivateKey(readClientKey(key));
}

/** Returns a schema of PEM that `read` can parse. Keys that would block the event loop are rejected. */
function readable(read: (text: string) => unknown) {
  return pem.superRefine((text, context) => {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof KeyMaterialError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });
}
