/**
 * Recursive-length prefix encoding (Ethereum yellow paper, appendix B), limited to the needs of transactions.
 * Optimized for speed: one pass over Uint8Arrays. Tests compare it with ethers.
 */

const empty = Uint8Array.of(0x80);

/** Big-endian bytes of a quantity, without leading zeros. */
function bytesOf(value: bigint): Uint8Array {
  let hex = value.toString(16);
  if (hex.length % 2 === 1) hex = `0${hex}`;
  return Buffer.from(hex, 'hex');
}

/** Returns a quantity as an RLP item. */
export function rlpQuantity(value: bigint): Uint8Array {
  if (value === 0n) return empty;
  if (value < 0x80n) return Uint8Array.of(Number(value));
  return rlpBytes(bytesOf(value));
}

/** Bytes as an RLP item. */
export function rlpBytes(bytes: Uint8Array): Uint8Array {
  const [first] = bytes;
  if (bytes.length === 1 && first !== undefined && first < 0x80) return bytes;
  return concat([prefix(0x80, bytes.length), bytes]);
}

/** `0x` hex as an RLP item. */
export function rlpHex(hex: string): Uint8Array {
  return rlpBytes(Buffer.from(hex.slice(2), 'hex'));
}

/** Encodes items as an RLP list. A prefix comes before the list and is not part of it. */
export function rlpList(items: readonly Uint8Array[], before: Uint8Array = new Uint8Array()): Uint8Array {
  let length = 0;
  for (const item of items) length += item.length;
  return concat([before, prefix(0xc0, length), ...items]);
}

function prefix(offset: number, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(offset + length);
  const size = bytesOf(BigInt(length));
  return Uint8Array.of(offset + 55 + size.length, ...size);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
