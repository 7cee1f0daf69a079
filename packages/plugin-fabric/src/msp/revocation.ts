/** Maximum number of bytes of one organization's revocation lists: about 100,000 revoked certificates. */
const mostBytes = 4 * 2 ** 20;
/** Number of entries that are read before the event loop runs other work. */
const entriesInStep = 1_024;
const [integerTag, sequenceTag] = [0x02, 0x30];

/** A DER element: its tag and the position of its contents. */
interface Element {
  tag: number;
  start: number;
  end: number;
}

/**
 * Whether one of an organization's revocation lists (RFC 5280, DER or PEM) contains the serial number. Reads
 * only the entries. The signatures need no check, because the lists come from the channel's configuration.
 * @param serial hex
 * @throws TypeError if a list is malformed, or the lists are too long
 */
export function* isRevoked(serial: string, lists: readonly Uint8Array[]): Generator<undefined, boolean> {
  if (lists.reduce((sum, list) => sum + list.length, 0) > mostBytes)
    throw new TypeError(`The revocation lists have more than ${mostBytes} bytes.`);
  const wanted = withoutZeros(Buffer.from(serial.padStart(serial.length + (serial.length % 2), '0'), 'hex'));
  for (const list of lists) {
    yield;
    const bytes = derOf(list);
    const entries = entriesOf(bytes);
    let count = 0;
    for (let at = entries.start; at < entries.end; count += 1) {
      const entry = elementAt(bytes, at, entries.end);
      const { start, end } = elementAt(bytes, entry.start, entry.end, integerTag);
      if (wanted.equals(withoutZeros(bytes.subarray(start, end)))) return true;
      at = entry.end;
      if (count % entriesInStep === 0) yield;
    }
  }
  return false;
}

function derOf(list: Uint8Array): Buffer {
  const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
  const label = bytes.indexOf('-----BEGIN ');
  if (label < 0) return bytes;
  const from = bytes.indexOf('\n', label);
  const to = bytes.indexOf('-----END ', label);
  return Buffer.from(bytes.toString('latin1', from, Math.max(from, to)), 'base64');
}

/** `revokedCertificates`, the third sequence in `tbsCertList` after those of the signature's algorithm and the issuer. */
function entriesOf(bytes: Buffer): Element {
  const list = elementAt(bytes, 0, bytes.length, sequenceTag);
  const signed = elementAt(bytes, list.start, list.end, sequenceTag);
  let sequences = 0;
  for (let at = signed.start; at < signed.end; ) {
    const member = elementAt(bytes, at, signed.end);
    if (member.tag === sequenceTag) sequences += 1;
    if (sequences === 3) return member;
    at = member.end;
  }
  return { tag: sequenceTag, start: 0, end: 0 };
}

function elementAt(bytes: Buffer, at: number, limit: number, expected?: number): Element {
  const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]];
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (more > 4 || (more === 0 && first >= 0x80)) throw new TypeError('A DER length is invalid.');
  const start = at + 2 + more;
  let length = more === 0 ? first : 0;
  for (let index = at + 2; index < start; index += 1) length = length * 256 + (bytes[index] ?? 0);
  if (start + length > limit || (expected !== undefined && tag !== expected))
    throw new TypeError('Not a certificate revocation list.');
  return { tag, start, end: start + length };
}

function withoutZeros(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start += 1;
  return bytes.subarray(start);
}
