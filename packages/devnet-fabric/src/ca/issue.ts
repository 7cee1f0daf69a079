import { createPrivateKey, generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import { x509 } from './x509.ts';

/** A certificate with its key. Both PEM; the key is PKCS#8, ECDSA on P-256. */
export interface KeyPair {
  certificate: string;
  privateKey: string;
}

/** The period of a certificate. Absent: see each function. Tests set it to make certificates that are expired. */
export interface Validity {
  notBefore?: Date;
  notAfter?: Date;
}

/** The organizational unit of a member's certificate (NodeOUs). */
export type Role = 'client' | 'peer' | 'admin' | 'orderer';

/**
 * One attribute of a name: `['OU', 'client']`; several values stand side by side. The order is the order in the
 * certificate.
 */
export type NamePart = readonly [
  type: 'C' | 'ST' | 'L' | 'O' | 'OU' | 'CN',
  value: string | readonly string[],
];

/** An identity to be certified by {@link issueIdentity}. */
export interface IdentityOptions extends Validity {
  commonName: string;
  /** Default `client`. */
  role?: Role;
  organization?: string;
  /** Put into the extension that chaincode reads attributes from (`ctx.clientIdentity.getAttributeValue`). */
  attributes?: Readonly<Record<string, string>>;
}

/** A TLS certificate to be made by {@link issueTls}. */
export interface TlsOptions extends Validity {
  commonName: string;
  /** Names and IPv4 addresses beside `localhost` and `127.0.0.1`. */
  hosts?: readonly string[];
}

/** A public key to be certified by {@link certify}, which also serves requests made elsewhere (CSR). */
export interface CertificateOptions extends Validity {
  subject: readonly NamePart[];
  publicKey: KeyObject;
  extensions?: readonly x509.Extension[];
  /** Default: digital signature. */
  usages?: x509.KeyUsageFlags;
}

/** Where fabric-ca keeps an identity's attributes: the extension's value is JSON, `{"attrs": {name: value}}`. */
export const attributesOid = '1.2.3.4.5.6.7.8.1';

const signing = { name: 'ECDSA', hash: 'SHA-256' };
const curve = { name: 'ECDSA', namedCurve: 'P-256' };
const minute = 60_000;
const day = 24 * 60 * minute;
const year = 365 * day;

/**
 * Makes an organization's root: a self-signed certificate on P-256. Without dates it is valid from an hour ago, so
 * that what it certifies may be a little older than itself, for ten years.
 */
export async function createRoot(
  options: { commonName: string; organization?: string } & Validity,
): Promise<KeyPair> {
  const keys = newKey();
  const privateKey = await forSigning(keys.privateKey);
  const publicKey = await forVerifying(keys.publicKey);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: name([...organization(options.organization), ['CN', options.commonName]]),
    keys: { privateKey, publicKey },
    signingAlgorithm: signing,
    notBefore: options.notBefore ?? new Date(Date.now() - 60 * minute),
    notAfter: options.notAfter ?? new Date(Date.now() + 10 * year),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return pair(certificate, keys.privateKey);
}

/**
 * Certifies a member of an organization, with a new key.
 * @throws RangeError for dates outside those of the root: a peer would answer "creator org unknown".
 */
export async function issueIdentity(root: KeyPair, options: IdentityOptions): Promise<KeyPair> {
  const keys = newKey();
  const certificate = await certify(root, {
    ...dates(options),
    publicKey: keys.publicKey,
    subject: [
      ...organization(options.organization),
      ['OU', options.role ?? 'client'],
      ['CN', options.commonName],
    ],
    extensions: options.attributes === undefined ? [] : [attributesExtension(options.attributes)],
  });
  return pair(certificate, keys.privateKey);
}

/**
 * Makes a TLS certificate for both ends of a connection: it serves as a server's (its names are in the subject
 * alternative names) and as a client's in mutual TLS.
 */
export async function issueTls(root: KeyPair, options: TlsOptions): Promise<KeyPair> {
  const keys = newKey();
  const hosts = [...new Set(['localhost', '127.0.0.1', ...(options.hosts ?? [])])];
  const certificate = await certify(root, {
    ...dates(options),
    publicKey: keys.publicKey,
    subject: [['CN', options.commonName]],
    usages: x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
    extensions: [
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      hostNames(hosts),
    ],
  });
  return pair(certificate, keys.privateKey);
}

/**
 * Certifies a public key. Without dates it is valid from five minutes ago (never before its root) for a year (never
 * beyond its root), as fabric-ca does it.
 * @throws RangeError for given dates that are outside the root's.
 */
export async function certify(root: KeyPair, options: CertificateOptions): Promise<x509.X509Certificate> {
  const issuer = new x509.X509Certificate(root.certificate);
  const notBefore = options.notBefore ?? new Date(Math.max(Date.now() - 5 * minute, +issuer.notBefore));
  const notAfter = options.notAfter ?? new Date(Math.min(Date.now() + year, +issuer.notAfter));
  if (notBefore < issuer.notBefore || notAfter > issuer.notAfter)
    throw new RangeError(`A certificate's dates must lie within those of its root, "${issuer.subject}".`);
  // Any kind of key may be certified, so it is not imported as one on P-256.
  const publicKey = new x509.PublicKey(
    new Uint8Array(options.publicKey.export({ type: 'spki', format: 'der' })),
  );
  return await x509.X509CertificateGenerator.create({
    subject: name(options.subject),
    issuer: issuer.subjectName,
    notBefore,
    notAfter,
    publicKey,
    signingKey: await forSigning(createPrivateKey(root.privateKey)),
    signingAlgorithm: signing,
    extensions: [
      new x509.KeyUsagesExtension(options.usages ?? x509.KeyUsageFlags.digitalSignature, true),
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export()),
      ...(options.extensions ?? []),
    ],
  });
}

/**
 * Lists revoked certificates, by their serial numbers (hexadecimal), for a day.
 * @returns PEM
 */
export async function issueRevocationList(
  root: KeyPair,
  revoked: readonly { serial: string; at: Date }[],
): Promise<string> {
  const list = await x509.X509CrlGenerator.create({
    issuer: new x509.X509Certificate(root.certificate).subjectName,
    thisUpdate: new Date(),
    nextUpdate: new Date(Date.now() + day),
    entries: revoked.map(({ serial, at }) => ({
      serialNumber: serial.padStart(serial.length + (serial.length % 2), '0'),
      revocationDate: at,
    })),
    signingKey: await forSigning(createPrivateKey(root.privateKey)),
    signingAlgorithm: signing,
  });
  return `${x509.PemConverter.encode(list.rawData, 'X509 CRL').trim()}\n`;
}

/** The extension that holds an identity's attributes. */
export function attributesExtension(attributes: Readonly<Record<string, string>>): x509.Extension {
  return new x509.Extension(attributesOid, false, Buffer.from(JSON.stringify({ attrs: attributes })));
}

/** The subject alternative names of hosts, numbers being IP addresses. */
export function hostNames(hosts: readonly string[]): x509.Extension {
  return new x509.SubjectAlternativeNameExtension(
    hosts.map((host) => ({ type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host })),
  );
}

function newKey(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pair(certificate: x509.X509Certificate, privateKey: KeyObject): KeyPair {
  return {
    // Node's own PEM ends with a line feed, as the tools that read files of several certificates expect.
    certificate: `${certificate.toString('pem').trim()}\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function dates(validity: Validity): Validity {
  return {
    ...(validity.notBefore === undefined ? {} : { notBefore: validity.notBefore }),
    ...(validity.notAfter === undefined ? {} : { notAfter: validity.notAfter }),
  };
}

function organization(value: string | undefined): NamePart[] {
  return value === undefined ? [] : [['O', value]];
}

function name(parts: readonly NamePart[]): x509.Name {
  return new x509.Name(
    parts.map(([type, value]) => ({ [type]: typeof value === 'string' ? [value] : [...value] })),
  );
}

function forSigning(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), curve, true, ['sign']);
}

function forVerifying(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const der = key.export({ type: 'spki', format: 'der' });
  return crypto.subtle.importKey('spki', new Uint8Array(der), curve, true, ['verify']);
}
