import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { parsePrivateKey } from '@ledger-ops/adapter/outbound';
import type { Secret } from '@ledger-ops/base';
import { p256KeyObject, p256Secret } from './p256.ts';

const deriveKey = promisify(pbkdf2);
/** OWASP's recommendation for PBKDF2 with HMAC-SHA-256; node:crypto would use 2,048. */
const iterations = 600_000;

/**
 * Reads an unencrypted P-256 private key from PEM: PKCS #8 (RFC 5208) or SEC 1 (RFC 5915). Returns the 32 bytes, or
 * null.
 */
export function readPemKey(pem: Secret): Uint8Array | null {
  try {
    const key = parsePrivateKey(pem.reveal());
    return key === null ? null : p256Secret(key);
  } catch {
    return null;
  }
}

/**
 * Writes a P-256 private key as an ENCRYPTED PRIVATE KEY (RFC 5208, RFC 8018: PBES2 with PBKDF2, HMAC-SHA-256 and
 * AES-256-CBC), which OpenSSL can read. The password is used as entered, in UTF-8.
 */
export async function writePemKey(privateKey: Uint8Array, password: Secret): Promise<string> {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const key = await deriveKey(password.reveal(), salt, iterations, 32, 'sha256');
  const plain = p256KeyObject(privateKey).export({ format: 'der', type: 'pkcs8' });
  try {
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
    const prf = sequence(oid('2a864886f70d0209'), Buffer.from('0500', 'hex'));
    const kdf = sequence(oid('2a864886f70d01050c'), sequence(octets(salt), integer(iterations), prf));
    const scheme = sequence(oid('60864801650304012a'), octets(iv));
    const algorithm = sequence(oid('2a864886f70d01050d'), sequence(kdf, scheme));
    const base64 = sequence(algorithm, octets(encrypted))
      .toString('base64')
      .replace(/.{64}(?!$)/g, '$&\n');
    return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${base64}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
  } finally {
    plain.fill(0);
    key.fill(0);
  }
}

/** Encodes content of up to 65,535 bytes in DER (X.690). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const octets = (content: Buffer) => der(0x04, content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

/** Encodes an INTEGER from 0 to 2³¹ − 1 in DER. */
function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return der(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}
