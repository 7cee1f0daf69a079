import type { X509Certificate } from 'node:crypto';
import {
  type DerElement,
  elementAt,
  extensionOf,
  membersOf,
  sequenceTag,
  signedPartOf,
} from '../identity/der-element.ts';

/** Maximum number of bytes of one organization's revocation lists: about 100,000 revoked certificates. */
const mostBytes = 4 * 2 ** 20;
/** Number of entries that are read before the event loop runs other work. */
const entriesInStep = 1_024;
const integerTag = 0x02;
/** The extensions authorityKeyIdentifier (2.5.29.35) and subjectKeyIdentifier (2.5.29.14). */
const [authorityKeyId, subjectKeyId] = [Buffer.from('551d23', 'hex'), Buffer.from('551d0e', 'hex')];
/** Tags of the members that contain the extensions, and of the key in the authority key identifier. */
const [certificateExtensions, listExtensions, keyIdTag] = [0xa3, 0xa0, 0x80];

/**
 * What an organization's revocation lists mean for a certificate. `all` means that peers refuse every
 * certificate of the organization.
 */
export type Revocation = 'none' | 'certificate' | 'all';

/**
 * Searches an organization's revocation lists (RFC 5280, DER or PEM) for a certificate, by the rules of peers
 * (Fabric: msp/mspimplvalidate.go, `validateCertAgainstChain`). A list names the key of a CA and applies to
 * the certificates of that CA. A list that names no key makes peers refuse every certificate. The lists come
 * from the channel's configuration, so their signatures are not verified.
 *
 * @param issuer certificate of the CA that issued the certificate
 * @throws TypeError if a list is malformed, or the lists are too long
 */
export function* findRevocation(
  certificate: Pick<X509Certificate, 'serialNumber'>,
  issuer: Pick<X509Certificate, 'raw'>,
  lists: readonly Uint8Array[],
): Generator<undefined, Revocation> {
  if (lists.reduce((sum, list) => sum + list.length, 0) > mostBytes)
    throw new TypeError(`The revocation lists have more than ${mostBytes} bytes.`);
  const serial = certificate.serialNumber;
  const wanted = withoutZeros(Buffer.from(serial.padStart(serial.length + (serial.length % 2), '0'), 'hex'));
  const ownKeyId = keyIdOf(issuer);
  for (const list of lists) {
    yield;
    const bytes = derOf(list);
    const signed = signedPartOf(bytes);
    const keyId = keyIdOfIssuer(bytes, signed);
    if (keyId === undefined) return 'all';
    if (ownKeyId?.equals(keyId) === true && (yield* contains(bytes, signed, wanted))) return 'certificate';
  }
  return 'none';
}

function* contains(bytes: Buffer, signed: DerElement, serial: Buffer): Generator<undefined, boolean> {
  let count = 0;
  // The size of the lists limits the number of entries.
  for (const entry of membersOf(bytes, entriesOf(bytes, signed), mostBytes)) {
    const { start, end } = elementAt(bytes, entry.start, entry.end, integerTag);
    if (serial.equals(withoutZeros(bytes.subarray(start, end)))) return true;
    if (count % entriesInStep === 0) yield;
    count += 1;
  }
  return false;
}

/** Returns the subject key identifier of a CA's certificate. */
function keyIdOf({ raw }: Pick<X509Certificate, 'raw'>): Buffer | undefined {
  const bytes = Buffer.from(raw);
  const value = extensionOf(bytes, signedPartOf(bytes), certificateExtensions, subjectKeyId);
  if (value === undefined) return undefined;
  const { start, end } = elementAt(bytes, value.start, value.end);
  return bytes.subarray(start, end);
}

/**
 * Returns the key of the CA that a list names, which may be empty. Undefined if the list has no authority key
 * identifier.
 */
function keyIdOfIssuer(bytes: Buffer, signed: DerElement): Buffer | undefined {
  const value = extensionOf(bytes, signed, listExtensions, authorityKeyId);
  if (value === undefined) return undefined;
  for (const { tag, start, end } of membersOf(bytes, elementAt(bytes, value.start, value.end, sequenceTag)))
    if (tag === keyIdTag) return bytes.subarray(start, end);
  return Buffer.alloc(0);
}

function derOf(list: Uint8Array): Buffer {
  const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
  const label = bytes.indexOf('-----BEGIN ');
  if (label < 0) return bytes;
  const from = bytes.indexOf('\n', label);
  const to = bytes.indexOf('-----END ', label);
  return Buffer.from(bytes.toString('latin1', from, Math.max(from, to)), 'base64');
}

/**
 * Returns `revokedCertificates`, the third sequence in `tbsCertList`: the algorithm of the signature and the
 * issuer precede it.
 */
function entriesOf(bytes: Buffer, signed: DerElement): DerElement {
  let sequences = 0;
  for (const member of membersOf(bytes, signed)) {
    if (member.tag === sequenceTag) sequences += 1;
    if (sequences === 3) return member;
  }
  return { tag: sequenceTag, start: 0, end: 0 };
}

function withoutZeros(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start += 1;
  return bytes.subarray(start);
}
