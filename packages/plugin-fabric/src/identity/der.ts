/** Encoders for the DER (X.690) that this adapter writes. */

/** Returns one element: tag, length, contents. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

export const sequence = (...members: readonly Uint8Array[]): Buffer => element(0x30, ...members);
export const set = (...members: readonly Uint8Array[]): Buffer => element(0x31, ...members);
export const octetString = (bytes: Uint8Array): Buffer => element(0x04, bytes);
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text));
export const bitString = (bytes: Uint8Array): Buffer => element(0x03, Buffer.of(0), bytes);

/** Returns a non-negative integer. */
export function integer(value: Uint8Array | bigint): Buffer {
  let bytes = typeof value === 'bigint' ? bytesOf(value) : value;
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  bytes = bytes.subarray(start);
  return element(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = bytesOf(BigInt(length));
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}
