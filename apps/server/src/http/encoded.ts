import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Answer } from './answer.ts';

/** Request headers that select the response: accepted encodings, and the client's cached version. */
export interface Wanted {
  readonly encodings: string | undefined;
  readonly known: string | undefined;
}

/** Static text or bytes, in each encoding that clients accept. */
export interface EncodedText {
  /** Returns the bytes in the requested encoding, or 304 if the client has them. */
  answer(wanted: Wanted): Promise<Answer>;
}

const encodings = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof encodings)[number];

interface Variant {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** @param make returns the text or bytes; called once, on the first request */
export function encodedText(
  make: () => string | Uint8Array | Promise<string>,
  headers: Readonly<Record<string, string>>,
): EncodedText {
  let text: Promise<Buffer> | undefined;
  const variants = new Map<Encoding, Promise<Variant>>();
  const variantOf = (encoding: Encoding) => {
    text ??= Promise.resolve(make()).then(bufferOf);
    const made = variants.get(encoding) ?? text.then((bytes) => encode(bytes, encoding));
    variants.set(encoding, made);
    return made;
  };
  return {
    async answer({ encodings: accepted, known }) {
      const encoding = encodingFor(accepted);
      const { bytes, etag } = await variantOf(encoding);
      const common = { ...headers, ETag: etag, Vary: 'Accept-Encoding, Origin' };
      if (isKnown(etag, known)) return { status: 304, headers: common };
      const coded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
      return { status: 200, raw: bytes, headers: { ...common, ...coded } };
    },
  };
}

function bufferOf(made: string | Uint8Array): Buffer {
  return typeof made === 'string' ? Buffer.from(made) : Buffer.from(made);
}

/**
 * Returns the first supported encoding that the client accepts (RFC 9110, section 12.5.3), or no encoding if
 * it accepts none of them.
 */
export function encodingFor(accepted: string | undefined): Encoding {
  const weights = new Map(
    (accepted ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      const weight = parameters.find((one) => one.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const takes = (encoding: Encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0;
  return encodings.find(takes) ?? 'identity';
}

async function encode(text: Buffer, encoding: Encoding): Promise<Variant> {
  const bytes = Uint8Array.from(await compress(text, encoding));
  // The ETag is strong, so each encoding has its own.
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, etag };
}

async function compress(text: Buffer, encoding: Encoding): Promise<Uint8Array> {
  if (encoding === 'gzip') return await promisify(gzip)(text);
  // Quality 9: the maximum, 11, takes seconds and saves little more.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return encoding === 'br' ? await promisify(brotliCompress)(text, { params }) : text;
}

function isKnown(etag: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  if (known.trim() === '*') return true;
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
