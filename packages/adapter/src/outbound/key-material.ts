import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** A tenant's PEM text is unusable. The message is a predicate (`is not a PEM private key`) and quotes nothing. */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';
}

/** Maximum characters of a private key: several times those of RSA with 4,096 bits. */
const longestKey = 8_192;
/** Maximum characters and number of certificates: a chain, or authorities. */
const longestCertificates = 65_536;
const mostCertificates = 32;

/**
 * Maximum RSA bits. A private key signs each handshake on the event loop: 4,096 bits take 4 ms, 8,192 take 75, and
 * 32,768 several seconds. A certificate's public key costs less than a hundredth of that.
 */
const largestModulus = { private: 4_096, public: 8_192 };
/** In practice 65537. A huge exponent makes each verification as expensive as a signature. */
const largestExponent = 2n ** 32n;
const curves: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Whether operations with a key take at most milliseconds. */
export function isBoundedKey({ type, asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return (
        modulusLength <= largestModulus[type === 'private' ? 'private' : 'public'] &&
        publicExponent <= largestExponent
      );
    case 'ec':
      return curves.has(namedCurve);
    default:
      return asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'ed448';
  }
}

/** Reads the private key of a TLS client. @throws KeyMaterialError */
export function readClientKey(pem: string): KeyObject {
  if (pem.length > longestKey) throw new KeyMaterialError(`has more than ${longestKey} characters`);
  const key = attempt(() => createPrivateKey(pem), 'is not an unencrypted private key in PEM format');
  if (isBoundedKey(key)) return key;
  throw new KeyMaterialError(
    `must be an RSA key of at most ${largestModulus.private} bits with a common exponent, a P-256, P-384 or P-521 key, or an Ed25519 key`,
  );
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const beginning = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/g;

/** Reads one or more certificates. @throws KeyMaterialError */
export function readCertificates(pem: string): [X509Certificate, ...X509Certificate[]] {
  if (pem.length > longestCertificates) {
    throw new KeyMaterialError(`has more than ${longestCertificates} characters`);
  }
  const texts = pem.match(certificate) ?? [pem];
  // OpenSSL also reads some with headers, which would bypass the limits.
  if (texts.length !== (pem.match(beginning) ?? [pem]).length) {
    throw new KeyMaterialError('is not a PEM certificate');
  }
  if (texts.length > mostCertificates) {
    throw new KeyMaterialError(`has more than ${mostCertificates} certificates`);
  }
  const read = (text: string) => {
    const parsed = attempt(() => new X509Certificate(text), 'is not a PEM certificate');
    const key = attempt(() => parsed.publicKey, 'contains a certificate with an unreadable key');
    if (isBoundedKey(key)) return parsed;
    throw new KeyMaterialError(
      `contains a certificate whose key is not an RSA key of at most ${largestModulus.public} bits with a common exponent, a P-256, P-384 or P-521 key, or an Ed25519 key`,
    );
  };
  const [first = pem, ...others] = texts;
  return [read(first), ...others.map(read)];
}

/** OpenSSL's errors may quote the text. */
function attempt<Result>(read: () => Result, otherwise: string): Result {
  try {
    return read();
  } catch {
    throw new KeyMaterialError(otherwise);
  }
}
