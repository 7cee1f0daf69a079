import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import { pointOf, readCertificate } from '../src/identity/certificate.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Returns a new key and a certificate for it. */
export async function memberOf(name: string): Promise<{ certificate: string; privateKey: string }> {
  const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, keys: pair, signingAlgorithm: algorithm },
    webcrypto,
  );
  const key = KeyObject.from(pair.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificate: certificate.toString('pem'), privateKey: key };
}

export const certificateOf = async (name: string): Promise<string> => (await memberOf(name)).certificate;

/** Returns the compressed point of a certificate's key. */
export function pointIn(certificate: string): Uint8Array {
  return pointOf(readCertificate(certificate)) ?? new Uint8Array();
}
