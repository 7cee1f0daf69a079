import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/**
 * A tenant's PEM is unusable. The message is a predicate (`is not a PEM private key`) and does not quote the
 * PEM.
 */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';
}

/** Maximum characters of a private key: several times those of RSA with 4,096 bits. */
const longestKey = 8_192;
/** Maximum number of characters and certificates of a chain, or of a list of authorities. */
const longestCertificates = 65_536;
const mostCertificates = 32;

/**
 * Maximum RSA bits. A private key signs each handshake on the event loop: 4,096 bits take 4 ms, 8,192 bits
 * take 75 ms, and 32,768 bits take several seconds. Verifying with a certificate's public key takes less than
 * a hundredth of that.
 */
const largestModulus = { private: 4_096, public: 8_192 };
/**
 * Maximum RSA exponent; in practice, exponents are 65537. A huge exponent makes each verification as
 * expensive as a signature.
 */
const largestExponent = 2n ** 32n;
const curves: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Whether each operation with this key takes at most a few milliseconds. */
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
  const key = parsePrivateKey(pem);
  if (key !== null && isBoundedKey(key)) return key;
  throw new KeyMaterialError(
    `must be an RSA key of at most ${largestModulus.private} bits with a common exponent, a P-256, P-384 or P-521 key, or an Ed25519 key`,
  );
}

const notPrivateKey = 'is not an unencrypted private key in PEM format';
const keyBlock = /-----BEGIN (RSA |EC |)PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END \1PRIVATE KEY-----/;
const keyBeginnings = /-----BEGIN [^-\n]*PRIVATE KEY/g;
const formats: Readonly<Record<string, 'pkcs1' | 'pkcs8' | 'sec1'>> = {
  'RSA ': 'pkcs1',
  'EC ': 'sec1',
  '': 'pkcs8',
};
/** Algorithms of PKCS #8 whose keys are parsed: the DER of their object identifiers, in hex. */
const algorithms = [
  '06092a864886f70d010101', // RSA
  '06092a864886f70d01010a', // RSA-PSS
  '06072a8648ce3d0201', // elliptic curves
  '06032b656e', // X25519
  '06032b656f', // X448
  '06032b6570', // Ed25519
  '06032b6571', // Ed448
];

/**
 * Parses an unencrypted private key in PEM. Its size is limited only by the length of the PEM. Returns null
 * for algorithms other than RSA and elliptic curves, before OpenSSL reads the key: OpenSSL computes the
 * public key of a DSA key while reading it, which takes 15 seconds for a key of 8 kB, and hours for 64 kB.
 *
 * @throws KeyMaterialError
 */
export function parsePrivateKey(pem: string): KeyObject | null {
  if (pem.length > longestKey) throw new KeyMaterialError(`has more than ${longestKey} characters`);
  const [, label, base64 = ''] = keyBlock.exec(pem) ?? [];
  const type = label === undefined ? undefined : formats[label];
  // Refuses PEM with several keys: another reader may use another key.
  if (type === undefined || pem.match(keyBeginnings)?.length !== 1) throw new KeyMaterialError(notPrivateKey);
  const der = Buffer.from(base64, 'base64');
  if (type === 'pkcs8') {
    const algorithm = algorithmOf(der);
    if (algorithm === null) throw new KeyMaterialError(notPrivateKey);
    if (!algorithms.some((one) => algorithm.startsWith(one))) return null;
  }
  return attempt(() => createPrivateKey({ key: der, format: 'der', type }), notPrivateKey);
}

/**
 * Returns the algorithm of PKCS #8 in hex: SEQUENCE { INTEGER, SEQUENCE { algorithm … } … }. Null if the
 * bytes do not have this form.
 */
function algorithmOf(der: Buffer): string | null {
  const outer = contentAt(der, 0, 0x30);
  const version = outer === null ? null : contentAt(der, outer.start, 0x02);
  const inner = version === null ? null : contentAt(der, version.end, 0x30);
  return inner === null ? null : der.toString('hex', inner.start, inner.end);
}

/** Returns the position of a DER value's content; null if there is no value with this tag. */
function contentAt(der: Buffer, at: number, tag: number): { start: number; end: number } | null {
  const first = der[at + 1];
  if (der[at] !== tag || first === undefined) return null;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + lengthBytes;
  // The single byte 0x80 means an indefinite length, which DER does not allow.
  if (first === 0x80 || lengthBytes > 3 || start > der.length) return null;
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
  return start + length > der.length ? null : { start, end: start + length };
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const beginning = /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/g;

/** Reads one or more certificates. @throws KeyMaterialError */
export function readCertificates(pem: string): [X509Certificate, ...X509Certificate[]] {
  if (pem.length > longestCertificates) {
    throw new KeyMaterialError(`has more than ${longestCertificates} characters`);
  }
  const texts = pem.match(certificate) ?? [pem];
  // OpenSSL also reads PEM with headers, which would bypass the limits.
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

/** Replaces every error of `read`, because errors of OpenSSL may quote the PEM. */
function attempt<Result>(read: () => Result, otherwise: string): Result {
  try {
    return read();
  } catch {
    throw new KeyMaterialError(otherwise);
  }
}
