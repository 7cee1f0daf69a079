import { readCertificate } from './certificate.ts';
import { type DerElement, membersOf, sequenceTag, signedPartOf } from './der-element.ts';

/** Names of a certificate's owner. */
export interface X509Ids {
  commonName: string;
  /**
   * Ids that chaincode may see for this caller (`GetID`), in this order: as fabric-shim for Node returns it, as the Go
   * library builds it, and the base64 of the latter, which the Go library returns.
   */
  ids: string[];
}

type Attribute = readonly [type: string, value: string];

/** Short attribute names, as in @fidm/x509 and Go's crypto/x509/pkix. */
const order = ['SERIALNUMBER', 'CN', 'POSTALCODE', 'STREET', 'ST', 'L', 'OU', 'O', 'C'];
const oids: Readonly<Record<string, string>> = {
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'E',
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'SERIALNUMBER',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'T',
  '2.5.4.17': 'POSTALCODE',
  '2.5.4.42': 'G',
  '2.5.4.43': 'I',
};

/** Decoders of the string types (X.680), by tag. */
const decoders: ReadonlyMap<number, (bytes: Buffer) => string> = new Map([
  [0x0c, (bytes) => bytes.toString('utf8')],
  [0x13, (bytes) => bytes.toString('latin1')],
  [0x14, (bytes) => bytes.toString('latin1')],
  [0x16, (bytes) => bytes.toString('latin1')],
  [0x1c, (bytes) => fromUtf32(bytes)],
  [0x1e, (bytes) => Buffer.from(bytes).swap16().toString('utf16le')],
]);

/** @throws TypeError if the certificate's names are not valid DER */
export function x509IdsOf(pem: string): X509Ids {
  const { raw } = readCertificate(pem);
  // signature, issuer, validity, subject (RFC 5280, section 4.1)
  const [, issuerName, , subjectName] = [...membersOf(raw, signedPartOf(raw))].filter(
    ({ tag }) => tag === sequenceTag,
  );
  const subject = attributesOf(raw, subjectName);
  const issuer = attributesOf(raw, issuerName);
  const go = `x509::${goName(subject)}::${goName(issuer)}`;
  return {
    commonName: subject.findLast(([type]) => type === 'CN')?.[1] ?? '',
    ids: [`x509::${nodeName(subject)}::${nodeName(issuer)}`, go, Buffer.from(go).toString('base64')],
  };
}

function attributesOf(bytes: Buffer, name: DerElement | undefined): Attribute[] {
  if (name === undefined) throw new TypeError('The certificate has no subject or issuer.');
  return [...membersOf(bytes, name)].flatMap((rdn) =>
    [...membersOf(bytes, rdn)].map((attribute): Attribute => {
      const [id, value] = membersOf(bytes, attribute);
      if (id === undefined || value === undefined)
        throw new TypeError('An attribute of a name is incomplete.');
      const oid = oidOf(bytes.subarray(id.start, id.end));
      return [oids[oid] ?? oid, textOf(bytes, id.end, value)];
    }),
  );
}

/** Returns an attribute's text, or the whole element in hexadecimal if it is not a string (RFC 4514, section 2.4). */
function textOf(bytes: Buffer, at: number, { tag, start, end }: DerElement): string {
  const decode = decoders.get(tag);
  return decode === undefined ? `#${bytes.toString('hex', at, end)}` : decode(bytes.subarray(start, end));
}

/** Decodes an object id (X.690, section 8.19). Each part has seven bits per byte. */
function oidOf(bytes: Buffer): string {
  const parts: bigint[] = [];
  let part = 0n;
  for (const byte of bytes) {
    part = (part << 7n) | BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    parts.push(part);
    part = 0n;
  }
  const [first = 0n, ...rest] = parts;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...rest].join('.');
}

function fromUtf32(bytes: Buffer): string {
  return Array.from({ length: bytes.length / 4 }, (_, at) =>
    String.fromCodePoint(bytes.readUInt32BE(at * 4)),
  ).join('');
}

/**
 * Formats a name as fabric-shim does (lib/chaincode.js): attributes in the certificate's order, with only the
 * first slash of each value escaped.
 */
function nodeName(attributes: readonly Attribute[]): string {
  return attributes.map(([type, value]) => `/${type}=${value.replace('/', '\\/')}`).join('');
}

/**
 * Formats a name as fabric-chaincode-go does (pkg/cid): RFC 2253 in reverse order, with values of one type
 * joined by `+`.
 */
function goName(attributes: readonly Attribute[]): string {
  return order
    .flatMap((type) => {
      const values = attributes
        .filter(([one]) => one === type)
        .map(([, value]) => `${type}=${escaped(value)}`);
      return values.length === 0 ? [] : [values.join('+')];
    })
    .join(',');
}

function escaped(value: string): string {
  return value.replace(/[,+"\\<>;]/g, '\\$&').replace(/^[# ]| $/g, '\\$&');
}
