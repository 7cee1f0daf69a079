/** A DER element: its tag and the position of its contents. */
export interface DerElement {
  tag: number;
  start: number;
  end: number;
}

export const sequenceTag = 0x30;
const [octetStringTag, objectIdTag] = [0x04, 0x06];

/** @throws TypeError if there is no element with the expected tag, or it ends after the limit */
export function elementAt(bytes: Buffer, at: number, limit: number, expected?: number): DerElement {
  const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]];
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (more > 4 || (more === 0 && first >= 0x80)) throw new TypeError('A DER length is invalid.');
  const start = at + 2 + more;
  let length = more === 0 ? first : 0;
  for (let index = at + 2; index < start; index += 1) length = length * 256 + (bytes[index] ?? 0);
  if (start + length > limit) throw new TypeError('A DER element is longer than its container.');
  if (expected !== undefined && tag !== expected)
    throw new TypeError(`A DER element has the tag ${tag} instead of ${expected}.`);
  return { tag, start, end: start + length };
}

/** Maximum number of members of a signed part, and of its extensions. RFC 5280 defines fewer. */
const mostMembers = 64;

/** Returns the elements in a constructed element. @throws TypeError if there are more than `most` */
export function* membersOf(
  bytes: Buffer,
  { start, end }: DerElement,
  most = mostMembers,
): Generator<DerElement, void> {
  let count = 0;
  for (let at = start; at < end; count += 1) {
    if (count === most) throw new TypeError(`A DER element has more than ${most} members.`);
    const member = elementAt(bytes, at, end);
    yield member;
    at = member.end;
  }
}

/** `tbsCertificate` or `tbsCertList`: the signed part of a certificate or of a revocation list. */
export function signedPartOf(bytes: Buffer): DerElement {
  const whole = elementAt(bytes, 0, bytes.length, sequenceTag);
  return elementAt(bytes, whole.start, whole.end, sequenceTag);
}

/**
 * Returns the contents of an extension (RFC 5280, section 4.1); undefined if there is none of this id.
 * @param tag of the member that contains the extensions: 0xa3 in certificates, 0xa0 in revocation lists
 * @param id the encoded object id
 */
export function extensionOf(
  bytes: Buffer,
  signed: DerElement,
  tag: number,
  id: Buffer,
): DerElement | undefined {
  for (const member of membersOf(bytes, signed)) {
    if (member.tag !== tag) continue;
    for (const extension of membersOf(bytes, elementAt(bytes, member.start, member.end, sequenceTag))) {
      const [name, ...rest] = membersOf(bytes, extension);
      const value = rest.at(-1);
      if (name?.tag === objectIdTag && id.equals(bytes.subarray(name.start, name.end)))
        return value?.tag === octetStringTag ? value : undefined;
    }
  }
  return undefined;
}
