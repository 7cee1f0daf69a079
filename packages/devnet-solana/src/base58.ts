import { getBase58Decoder, getBase58Encoder } from '@solana/kit';

/** An address, a blockhash or a signature in base58. */
export type Base58 = string;

const encoder = getBase58Encoder();
const decoder = getBase58Decoder();
/** Cache of decoded strings. Decoding is slow, and the same addresses and blockhashes recur. */
const known = new Map<Base58, Uint8Array>();
const mostKnown = 10_000;

/**
 * Decodes base58. The caller must not change the bytes.
 * @throws if the string is not base58
 */
export function bytesOf(text: Base58): Uint8Array {
  const found = known.get(text);
  if (found !== undefined) return found;
  const bytes = new Uint8Array(encoder.encode(text));
  if (known.size >= mostKnown) known.clear();
  known.set(text, bytes);
  return bytes;
}

export function addressOf(bytes: Uint8Array): Base58 {
  return decoder.decode(bytes);
}

/** Whether the string is base58 of this many bytes. */
export function isBase58(text: string, size: number): boolean {
  // No string of this many bytes is longer. Longer strings are not decoded, because decoding takes quadratic
  // time.
  if (text.length > 2 * size) return false;
  try {
    return bytesOf(text).length === size;
  } catch {
    return false;
  }
}
