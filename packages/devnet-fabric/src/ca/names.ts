import type { X509Certificate } from 'node:crypto';
import { x509 } from './x509.ts';

/** A certificate's serial number as fabric-ca stores it: hexadecimal, lower case, without leading zeros. */
export function serialOf(certificate: X509Certificate): string {
  return plainHex(certificate.serialNumber);
}

/** The identifier of the key that signed a certificate, in the same form; empty when it names none. */
export function authorityOf(certificate: X509Certificate): string {
  const extension = new x509.X509Certificate(new Uint8Array(certificate.raw)).getExtension(
    x509.AuthorityKeyIdentifierExtension,
  );
  return plainHex(extension?.keyId ?? '');
}

/** Hexadecimal digits in the form in which serial numbers and key identifiers are compared. */
export function plainHex(text: string): string {
  return text.toLowerCase().replaceAll(':', '').replace(/^0+/, '');
}

/** The common name of a certificate, which is the enrolment id of who it is for. */
export function commonNameOf(certificate: X509Certificate): string {
  const { CN } = certificate.toLegacyObject().subject;
  return typeof CN === 'string' ? CN : '';
}
