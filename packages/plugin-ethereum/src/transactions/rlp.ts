/**
 * Recursive-length prefix encoding (Ethereum yellow paper, appendix B), limited to the needs of transactions.
 * Items are hex text without `0x`: joining text and decoding it once is faster than copying many small arrays.
 * Tests compare it with ethers.
 */

/** Returns a quantity as an item. */
export function rlpQuantity(value: bigint): string {
  if (value === 0n) return '80';
  const hex = value.toString(16);
  return rlpBytes(hex.length % 2 === 0 ? hex : `0${hex}`);
}

/** Returns bytes, as hex text without `0x`, as an item. */
export function rlpBytes(hex: string): string {
  return hex.length === 2 && hex < '80' ? hex : prefix(0x80, hex.length / 2) + hex;
}

/** Returns bytes, as `0x` hex, as an item. */
export function rlpHex(hex: string): string {
  return rlpBytes(hex.slice(2));
}

/** RLP-encodes a list of encoded items. */
export function rlpList(items: readonly string[]): string {
  const content = items.join('');
  return prefix(0xc0, content.length / 2) + content;
}

function prefix(offset: number, length: number): string {
  if (length < 56) return (offset + length).toString(16);
  const hex = length.toString(16);
  const padded = hex.length % 2 === 0 ? hex : `0${hex}`;
  return (offset + 55 + padded.length / 2).toString(16) + padded;
}

/** @throws TypeError if this is not hex text with two digits per byte */
export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  const written = Buffer.from(bytes.buffer).write(hex, 'hex');
  // Node stops at the first character that is not a hex digit.
  if (written * 2 !== hex.length) throw new TypeError('A part of this transaction is not hex text.');
  return bytes;
}
