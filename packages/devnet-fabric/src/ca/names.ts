import type { X509Certificate } from 'node:crypto';
import { x509 } from './x509.ts';

/** Returns a certificate's serial number as fabric-ca stores it: lowercase hexadecimal without leading zeros. */
export function serialOf(certificate: X509Certificate): string {
  return plainHex(certificate.serialNumber);
}

/** Returns a certificate's authority key identifier in the same form as {@link serialOf}; empty if it has none. */
export function authorityOf(certificate: X509Certificate): string {
  const extension = new x509.X509Certificate(new Uint8Array(certificate.raw)).getExtension(
    x509.AuthorityKeyIdentifierExtension,
  );
  return plainHex(extension?.keyId ?? '');
}

/** Normalizes hexadecimal digits so that serial numbers and key identifiers can be compared. */
export function plainHex(text: string): string {
  return text.toLowerCase().replaceAll(':', '').replace(/^0+/, '');
}

/** Returns the common name of a certificate, which is its owner's enrollment id. */
export function commonNameOf(certificate: X509Certificate): string {
  const { CN } = certificate.toLegacyObject().subject;
  return typeof CN === 'string' ? CN : '';
}
