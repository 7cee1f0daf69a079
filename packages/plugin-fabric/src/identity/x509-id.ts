import 'reflect-metadata';
import { X509Certificate } from '@peculiar/x509';

/** Names of a certificate's owner. */
export interface X509Ids {
  commonName: string;
  /**
   * How chaincode names its caller (`GetID`): in fabric-shim for Node, in the form that the Go library
   * intends, and in the form that the Go library returns, which is the base64 of the intended one.
   */
  ids: string[];
}

type Attribute = readonly [type: string, value: string];

/** Short attribute names, as in @fidm/x509 and Go's crypto/x509/pkix. */
const order = ['SERIALNUMBER', 'CN', 'POSTALCODE', 'STREET', 'ST', 'L', 'OU', 'O', 'C'];
const oids: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'SERIALNUMBER',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.17': 'POSTALCODE',
};

export function x509IdsOf(pem: string): X509Ids {
  const certificate = new X509Certificate(pem);
  const subject = attributesOf(certificate.subjectName.toJSON());
  const issuer = attributesOf(certificate.issuerName.toJSON());
  const go = `x509::${goName(subject)}::${goName(issuer)}`;
  return {
    commonName: subject.findLast(([type]) => type === 'CN')?.[1] ?? '',
    ids: [`x509::${nodeName(subject)}::${nodeName(issuer)}`, go, Buffer.from(go).toString('base64')],
  };
}

function attributesOf(name: readonly Record<string, string[]>[]): Attribute[] {
  return name.flatMap((rdn) =>
    Object.entries(rdn).flatMap(([type, values]) =>
      values.map((value): Attribute => [oids[type] ?? type, value]),
    ),
  );
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
