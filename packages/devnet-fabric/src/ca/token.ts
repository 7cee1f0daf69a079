import { verify, X509Certificate } from 'node:crypto';
import { notAuthenticated } from './error.ts';
import type { Identities } from './identities.ts';
import { authorityOf, serialOf } from './names.ts';

/** The parts of a request that the signature in its token covers. */
export interface SignedRequest {
  method: string;
  /** Path and query as received. */
  uri: string;
  body: Buffer;
}

/** Half the order of P-256. As everywhere in Fabric, only signatures with a low S are valid. */
const halfOrder = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n;

/**
 * Authenticates the sender of a request by its token, `base64(certificate PEM).base64(signature)`. The
 * signature covers `method.base64(uri).base64(body).base64(certificate)`.
 * @returns the certificate, which this CA issued, and which is currently valid and not revoked
 * @throws CaError 401
 */
export function whoSigned(
  token: string,
  request: SignedRequest,
  root: X509Certificate,
  identities: Identities,
): X509Certificate {
  const parts = token.split('.');
  const [encoded, signature] = parts;
  if (parts.length !== 2 || encoded === undefined || signature === undefined) throw notAuthenticated();
  const certificate = read(encoded);
  const base64 = (value: string | Buffer) => Buffer.from(value).toString('base64');
  const signed = `${request.method}.${base64(request.uri)}.${base64(request.body)}.${encoded}`;
  const bytes = Buffer.from(signature, 'base64');
  const now = Date.now();
  const trusted =
    certificate.publicKey.asymmetricKeyType === 'ec' &&
    isLow(bytes) &&
    verify('sha256', Buffer.from(signed), certificate.publicKey, bytes) &&
    certificate.verify(root.publicKey) &&
    +certificate.validFromDate <= now &&
    now <= +certificate.validToDate;
  if (!trusted) throw notAuthenticated();
  const issued = identities.findCertificate(serialOf(certificate), authorityOf(certificate));
  if (issued === undefined || issued.revokedAt !== undefined) throw notAuthenticated();
  return certificate;
}

function read(encoded: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    throw notAuthenticated();
  }
}

/** Whether a signature (DER: a sequence of two integers) has a low S. */
function isLow(signature: Buffer): boolean {
  const rLength = signature[3];
  if (rLength === undefined) return false;
  const at = 4 + rLength;
  const sLength = signature[at + 1];
  if (signature[at] !== 2 || sLength === undefined) return false;
  const s = signature.subarray(at + 2, at + 2 + sLength).toString('hex');
  return s !== '' && BigInt(`0x${s}`) <= halfOrder;
}
