import { createPublicKey, ECDH, type KeyObject, X509Certificate } from 'node:crypto';

/** @throws Error if the text is not a certificate */
export function readCertificate(pem: string): X509Certificate {
  return new X509Certificate(pem);
}

/** Returns the compressed point of a certificate's key; undefined if it is not a P-256 key. */
export function pointOf(certificate: X509Certificate): Buffer | undefined {
  const { publicKey } = certificate;
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined;
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const last = Buffer.from(y, 'base64url').at(-1) ?? 0;
  return Buffer.concat([Buffer.of(2 + (last & 1)), Buffer.from(x, 'base64url')]);
}

/** Returns a public key from its point (33 or 65 bytes). @throws Error if it is not on P-256 */
export function publicKeyOf(point: Uint8Array): KeyObject {
  const full = ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'uncompressed');
  if (typeof full === 'string') throw new TypeError('convertKey returned text.');
  return createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: full.subarray(1, 33).toString('base64url'),
      y: full.subarray(33).toString('base64url'),
    },
  });
}
