import { getBase58Decoder, getBase58Encoder } from '@solana/kit';

/** Bytes in base58: an address, a blockhash or a signature. */
export type Base58 = string;

const encoder = getBase58Encoder();
const decoder = getBase58Decoder();
/** Decoding is slow, and the same addresses and blockhashes come again and again. */
const known = new Map<Base58, Uint8Array>();
const mostKnown = 10_000;

/** The bytes must not be changed. @throws when it is not base58 */
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

/** Whether it is base58 of so many bytes. */
export function isBase58(text: string, size: number): boolean {
  // No text of this many bytes is longer; decoding takes the square of the length.
  if (text.length > 2 * size) return false;
  try {
    return bytesOf(text).length === size;
  } catch {
    return false;
  }
}
