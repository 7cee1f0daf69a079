import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import { pointOf, readCertificate } from '../src/certificate.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate of a key of its own. */
export async function certificateOf(name: string): Promise<string> {
  const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: `CN=${name}`, keys: pair, signingAlgorithm: algorithm },
    webcrypto,
  );
  return certificate.toString('pem');
}

/** The compressed point of its key. */
export function pointIn(certificate: string): Uint8Array {
  return pointOf(readCertificate(certificate)) ?? new Uint8Array();
}
