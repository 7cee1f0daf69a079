import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { readCertificate } from './certificate.ts';

/** Something in PEM. */
export const pem = z.string({ error: 'must be PEM' }).regex(/-----BEGIN [A-Z0-9 ]+-----/, 'must be PEM');
/** Certificates in PEM, one or more. */
export const certificates = pem.refine(canBeRead(readCertificate), 'is no PEM certificate');

/** The certificate and the key that this side shows where there is mutual TLS. */
export const clientTls = {
  tls_client_certificate: certificates.nullish(),
  tls_client_key: pem.refine(canBeRead(createPrivateKey), 'is no PEM private key').nullish(),
};
/** The issue where {@link arePair} is false. */
export const noPair = { path: ['tls_client_key'], error: 'must be the key of tls_client_certificate' };

/** Whether both are there and belong together, or neither is there. */
export function arePair({
  tls_client_certificate: certificate,
  tls_client_key: key,
}: {
  [Name in keyof typeof clientTls]?: string | null | undefined;
}): boolean {
  if (!certificate || !key) return !certificate === !key;
  if (!clientTls.tls_client_certificate.safeParse(certificate).success) return true;
  if (!clientTls.tls_client_key.safeParse(key).success) return true;
  return readCertificate(certificate).checkPrivateKey(createPrivateKey(key));
}

function canBeRead(read: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  };
}
