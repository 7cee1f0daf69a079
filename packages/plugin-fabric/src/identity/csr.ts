import { createHash } from 'node:crypto';
import { publicKeyOf } from './certificate.ts';
import { bitString, element, sequence, set, utf8String } from './der.ts';

/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2. */
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
/** Object id of the attribute commonName, 2.5.4.3. */
const commonNameId = Buffer.from('0603550403', 'hex');

/** Returns the signed part of a certificate request (PKCS #10, RFC 2986). */
export function certificationRequest(commonName: string, point: Uint8Array): Uint8Array {
  const version = Buffer.from('020100', 'hex');
  const subject = sequence(set(sequence(commonNameId, utf8String(commonName))));
  const key = publicKeyOf(point).export({ type: 'spki', format: 'der' });
  const attributes = element(0xa0);
  return Uint8Array.from(sequence(version, subject, key, attributes));
}

export function digestOfRequest(request: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(request).digest());
}

/** Returns the whole request as PEM. @param signature DER */
export function signedRequest(request: Uint8Array, signature: Uint8Array): string {
  const der = sequence(request, sequence(ecdsaWithSha256), bitString(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
