import { createDecipheriv, createHmac, X509Certificate } from 'node:crypto';
import { chainError } from './tls.ts';

/** Record types (RFC 8446, section 5.1). */
const recordTypes = { first: 20, handshake: 22, content: 23 } as const;
/** Handshake messages (RFC 8446, section 4). */
const messages = { serverHello: 2, certificate: 11, finished: 20 } as const;
/** Bytes of a record's header: type, version, length. */
const headerBytes = 5;
/** The random value of a `ServerHello` that requests another `ClientHello` (RFC 8446, section 4.1.3). */
const retryRandom = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');
/** Extension of `ServerHello` that is present in TLS 1.3 only. */
const supportedVersions = 43;

interface Cipher {
  readonly name: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  readonly keyBytes: number;
  readonly hash: 'sha256' | 'sha384';
}
/** The cipher suites of TLS 1.3 that Node offers. */
const ciphers: ReadonlyMap<number, Cipher> = new Map([
  [0x1301, { name: 'aes-128-gcm', keyBytes: 16, hash: 'sha256' }],
  [0x1302, { name: 'aes-256-gcm', keyBytes: 32, hash: 'sha384' }],
  [0x1303, { name: 'chacha20-poly1305', keyBytes: 32, hash: 'sha256' }],
]);

/**
 * Returns the length of the record at the start of some bytes; undefined if its header is incomplete. Bytes
 * that are not TLS count as one record, so that OpenSSL refuses them immediately.
 */
export function recordLength(bytes: Buffer): number | undefined {
  const [type = recordTypes.handshake, majorVersion = 3] = bytes;
  if (type < recordTypes.first || type > recordTypes.content || majorVersion !== 3) return bytes.length;
  return bytes.length < headerBytes ? undefined : headerBytes + bytes.readUInt16BE(3);
}

/**
 * Reads the handshake messages of a server before OpenSSL does, in order to refuse certificates that are
 * expensive to verify: OpenSSL verifies all signatures of a chain in one turn of the event loop. In TLS 1.3
 * they are encrypted with a secret that OpenSSL reports once it has processed `ServerHello`.
 *
 * Bytes that this class cannot read are passed to OpenSSL, which rejects them.
 */
export class ServerFlight {
  #cipher: Cipher | undefined;
  #secret: Buffer | undefined;
  /** Number of encrypted records that were read. */
  #sequence = 0;
  /** The start of a message whose rest is in later records. */
  #partial: Buffer = Buffer.alloc(0);
  #isOver = false;

  /** Whether the next record cannot be read until the secret is known. */
  get needsSecret(): boolean {
    return !this.#isOver && this.#cipher !== undefined && this.#secret === undefined;
  }

  /** @param line a line in the format of NSS key logs, as of the event `keylog` */
  addKey(line: string): void {
    const [, hex] = /^SERVER_HANDSHAKE_TRAFFIC_SECRET \w+ (\w+)/.exec(line) ?? [];
    if (hex !== undefined) this.#secret = Buffer.from(hex, 'hex');
  }

  /**
   * @param record one whole record
   * @returns why its certificates are refused
   */
  read(record: Buffer): Error | undefined {
    if (this.#isOver) return undefined;
    const content = this.#contentOf(record);
    if (content === undefined) return undefined;
    this.#partial = Buffer.concat([this.#partial, content]);
    while (!this.#isOver && this.#partial.length >= 4) {
      const end = 4 + this.#partial.readUIntBE(1, 3);
      if (this.#partial.length < end) return undefined;
      const message = this.#partial.subarray(0, end);
      this.#partial = this.#partial.subarray(end);
      const error = this.#readMessage(message[0], message.subarray(4));
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Returns the handshake bytes of a record; undefined if the record has none or cannot be read. */
  #contentOf(record: Buffer): Buffer | undefined {
    const [type] = record;
    if (type === recordTypes.handshake) return record.subarray(headerBytes);
    if (type !== recordTypes.content || this.#cipher === undefined || this.#secret === undefined)
      return undefined;
    const padded = decrypt(record, this.#sequence++, this.#cipher, this.#secret);
    if (padded === undefined) return undefined;
    // The content is followed by its type and by zero padding.
    let end = padded.length - 1;
    while (end > 0 && padded[end] === 0) end -= 1;
    return padded[end] === recordTypes.handshake ? padded.subarray(0, end) : undefined;
  }

  #readMessage(type: number | undefined, body: Buffer): Error | undefined {
    if (type === messages.serverHello) this.#cipher = cipherOf(body);
    if (type === messages.finished) this.#isOver = true;
    if (type !== messages.certificate) return undefined;
    this.#isOver = true;
    return chainError(certificatesOf(body, this.#cipher !== undefined));
  }
}

/**
 * Returns the cipher of a `ServerHello`; undefined for TLS 1.2, or if the server requests another
 * `ClientHello`.
 */
function cipherOf(body: Buffer): Cipher | undefined {
  // The session id is between the version and random value on one side, and the cipher and compression on the
  // other.
  const at = 35 + (body[34] ?? 0);
  if (body.length < at + 5 || body.subarray(2, 34).equals(retryRandom)) return undefined;
  for (let next = at + 5; next + 4 <= body.length; next += 4 + body.readUInt16BE(next + 2)) {
    if (body.readUInt16BE(next) === supportedVersions) return ciphers.get(body.readUInt16BE(at));
  }
  return undefined;
}

/**
 * Returns the certificates of a message (RFC 8446, section 4.4.2; RFC 5246, section 7.4.2) up to the first
 * invalid one.
 */
function* certificatesOf(body: Buffer, isTls13: boolean): Generator<X509Certificate> {
  const extensions = (at: number) => (isTls13 && at + 2 <= body.length ? 2 + body.readUInt16BE(at) : 0);
  let at = 3 + (isTls13 ? 1 + (body[0] ?? 0) : 0);
  while (at + 3 <= body.length) {
    const end = at + 3 + body.readUIntBE(at, 3);
    const certificate = parse(body.subarray(at + 3, end));
    if (certificate === undefined) return;
    yield certificate;
    at = end + extensions(end);
  }
}

function parse(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** Decrypts a record (RFC 8446, section 5.2); undefined if it is not authentic. */
function decrypt(
  record: Buffer,
  sequence: number,
  { name, keyBytes, hash }: Cipher,
  secret: Buffer,
): Buffer | undefined {
  const nonce = expand(hash, secret, 'iv', 12);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8);
  const key = expand(hash, secret, 'key', keyBytes);
  const tagAt = record.length - 16;
  if (tagAt < headerBytes) return undefined;
  try {
    const options = { authTagLength: 16 };
    // Cast, because each overload of `createDecipheriv` names one kind of cipher; the overloads for GCM and
    // Poly1305 are equal.
    const decipher = createDecipheriv(name as 'aes-128-gcm', key, nonce, options);
    decipher.setAAD(record.subarray(0, headerBytes)).setAuthTag(record.subarray(tagAt));
    return Buffer.concat([decipher.update(record.subarray(headerBytes, tagAt)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** `HKDF-Expand-Label` without a context (RFC 8446, section 7.1), for at most as many bytes as the hash has. */
function expand(hash: string, secret: Buffer, label: string, length: number): Buffer {
  const text = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.of(0, length, text.length), text, Buffer.of(0, 1)]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}
