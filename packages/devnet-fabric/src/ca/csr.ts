import { createPublicKey, type KeyObject } from 'node:crypto';
import { CaError, notAuthorized } from './error.ts';
import type { NamePart } from './issue.ts';
import { x509 } from './x509.ts';

/** The parts of a certificate request that the CA puts into the certificate. */
export interface ParsedRequest {
  publicKey: KeyObject;
  commonName: string;
  /** Country, state, locality and organization. The CA itself sets the organizational units. */
  names: NamePart[];
  /** The host names in the request, if any. */
  alternativeNames: x509.Extension | undefined;
}

const limits: Readonly<Record<string, number>> = { C: 2, ST: 128, L: 128, O: 64, OU: 64, CN: 64 };
const kept = ['C', 'ST', 'L', 'O'] as const;

/**
 * Parses a certificate request (PKCS #10, PEM) and verifies that it is signed by its own key.
 * @throws CaError 400 or 500, as fabric-ca does
 */
export async function parseRequest(pem: string): Promise<ParsedRequest> {
  const body = /-----BEGIN (NEW )?CERTIFICATE REQUEST-----([\s\S]*?)-----END/.exec(pem)?.[2];
  if (body === undefined) throw new CaError(400, 'badCsr', 'CSR Decode failed');
  const request = decode(body);
  if (!(await verified(request)))
    throw new CaError(500, 'unknown', 'Certificate signing failure: the CSR is not signed by its own key');
  const basic = request.extensions.find((one) => one instanceof x509.BasicConstraintsExtension);
  if (basic?.ca === true) throw notAuthorized();
  for (const [type, limit] of Object.entries(limits)) {
    const long = request.subjectName.getField(type).find((value) => value.length > limit);
    if (long !== undefined)
      throw new CaError(
        400,
        'csrInput',
        `CSR input validation failed: The ${type} '${long}' exceeds the maximum character limit of ${limit}`,
      );
  }
  return {
    publicKey: createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' }),
    commonName: request.subjectName.getField('CN')[0] ?? '',
    names: kept.flatMap((type) => request.subjectName.getField(type).map((value) => [type, value] as const)),
    alternativeNames: request.extensions.find((one) => one instanceof x509.SubjectAlternativeNameExtension),
  };
}

function decode(base64: string): x509.Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(new Uint8Array(Buffer.from(base64, 'base64')));
  } catch (cause) {
    throw new CaError(
      500,
      'unknown',
      `the CSR cannot be read: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

/** Whether the request's own key signed it. False for an unknown algorithm. */
async function verified(request: x509.Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify();
  } catch {
    return false;
  }
}
