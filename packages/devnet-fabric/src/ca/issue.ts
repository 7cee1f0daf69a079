import { createPrivateKey, generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import { x509 } from './x509.ts';

/** A certificate and its key (ECDSA on P-256, PKCS#8). Both are PEM. */
export interface KeyPair {
  certificate: string;
  privateKey: string;
}

/**
 * Validity period of a certificate. Each function documents its default. Tests set it to create expired
 * certificates.
 */
export interface Validity {
  notBefore?: Date;
  notAfter?: Date;
}

/** The organizational unit of a member's certificate (NodeOUs). */
export type Role = 'client' | 'peer' | 'admin' | 'orderer';

/**
 * One attribute of a distinguished name, such as `['OU', 'client']`. The order is the order in the
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
  /**
   * Stored in the extension from which chaincode reads attributes (`ctx.clientIdentity.getAttributeValue`).
   */
  attributes?: Readonly<Record<string, string>>;
}

export interface TlsOptions extends Validity {
  commonName: string;
  /** Names and IPv4 addresses in addition to `localhost` and `127.0.0.1`. */
  hosts?: readonly string[];
}

/** A public key to be certified by {@link certify}, including keys from certificate requests (CSR). */
export interface CertificateOptions extends Validity {
  subject: readonly NamePart[];
  publicKey: KeyObject;
  extensions?: readonly x509.Extension[];
  /** Default: digital signature. */
  usages?: x509.KeyUsageFlags;
}

/** The extension in which fabric-ca stores attributes. Its value is JSON: `{"attrs": {name: value}}`. */
export const attributesOid = '1.2.3.4.5.6.7.8.1';

const signing = { name: 'ECDSA', hash: 'SHA-256' };
const curve = { name: 'ECDSA', namedCurve: 'P-256' };
const minute = 60_000;
const day = 24 * 60 * minute;
const year = 365 * day;

/**
 * Creates an organization's root: a self-signed certificate on P-256. By default it is valid for ten years,
 * starting an hour ago, so that the certificates it issues can be slightly backdated.
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
 * Certifies a member of an organization with a new key.
 * @throws RangeError if the dates are outside those of the root: a peer would respond "creator org unknown".
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
 * Creates a TLS certificate for a server (`hosts` become its subject alternative names) or for a client in mutual TLS.
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
 * Certifies a public key. By default, the certificate is valid for a year starting five minutes ago, within the dates
 * of its root, as in fabric-ca.
 * @throws RangeError if the given dates are outside those of the root.
 */
export async function certify(root: KeyPair, options: CertificateOptions): Promise<x509.X509Certificate> {
  const issuer = new x509.X509Certificate(root.certificate);
  const notBefore = options.notBefore ?? new Date(Math.max(Date.now() - 5 * minute, +issuer.notBefore));
  const notAfter = options.notAfter ?? new Date(Math.min(Date.now() + year, +issuer.notAfter));
  if (notBefore < issuer.notBefore || notAfter > issuer.notAfter)
    throw new RangeError(`The certificate's dates must be within those of its root, "${issuer.subject}".`);
  // Any kind of key may be certified, so the key is not imported as P-256.
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
      await authorityKeyIdOf(issuer),
      ...(options.extensions ?? []),
    ],
  });
}

/**
 * Creates a revocation list (valid for a day) that revokes certificates by serial number, in hexadecimal.
 *
 * @returns PEM
 */
export async function issueRevocationList(
  root: KeyPair,
  revoked: readonly { serial: string; at: Date }[],
): Promise<string> {
  const issuer = new x509.X509Certificate(root.certificate);
  const list = await x509.X509CrlGenerator.create({
    issuer: issuer.subjectName,
    thisUpdate: new Date(),
    nextUpdate: new Date(Date.now() + day),
    entries: revoked.map(({ serial, at }) => ({
      serialNumber: serial.padStart(serial.length + (serial.length % 2), '0'),
      revocationDate: at,
    })),
    // Peers read this extension to find the CA of a revocation list.
    extensions: [await authorityKeyIdOf(issuer)],
    signingKey: await forSigning(createPrivateKey(root.privateKey)),
    signingAlgorithm: signing,
  });
  return `${x509.PemConverter.encode(list.rawData, 'X509 CRL').trim()}\n`;
}

/**
 * Returns the extension that names the issuer's key, with the identifier in the issuer's certificate, because tools
 * derive key identifiers in different ways.
 */
async function authorityKeyIdOf(issuer: x509.X509Certificate): Promise<x509.Extension> {
  const named = issuer.getExtension(x509.SubjectKeyIdentifierExtension);
  return named === null
    ? await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export())
    : new x509.AuthorityKeyIdentifierExtension(named.keyId);
}

/** Returns the extension that contains an identity's attributes. */
export function attributesExtension(attributes: Readonly<Record<string, string>>): x509.Extension {
  return new x509.Extension(attributesOid, false, Buffer.from(JSON.stringify({ attrs: attributes })));
}

/** Returns the subject alternative names of hosts. IP addresses get their own type. */
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
    // Ends with a line feed, as PEM from Node does. Tools that read several certificates from a file expect it.
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
