import { createPrivateKey, X509Certificate } from 'node:crypto';
import { invalidRequest, type MasterKey, Problem } from '@ledger-ops/base';
import { z } from 'zod';

/** Shows a remote plugin that this server calls: a bearer token, a client's certificate, or both. */
export interface PluginCredentials {
  bearerToken?: string | undefined;
  /** PEM, with its chain. */
  clientCertificate?: string | undefined;
  /** PEM. */
  clientKey?: string | undefined;
  /** PEM: whoever signed the plugin's own certificate, where that is nobody public. */
  certificateAuthority?: string | undefined;
}

const stored = z.object({
  bearerToken: z.string().optional(),
  clientCertificate: z.string().optional(),
  clientKey: z.string().optional(),
  certificateAuthority: z.string().optional(),
});

/** Credentials are of one plugin at one address: at another one they do not open. */
function purpose({ uid, url }: Place): string {
  return `plugin credentials\n${uid}\n${url}`;
}

interface Place {
  uid: string;
  url: string;
}

/** @throws Problem `unavailable` without a master key */
export function sealCredentials(
  key: Pick<MasterKey, 'seal'> | undefined,
  place: Place,
  credentials: PluginCredentials,
): Uint8Array {
  if (key === undefined) {
    throw new Problem('unavailable', 'Credentials need a master key, which this registry was not given.');
  }
  return key.seal(Buffer.from(JSON.stringify(credentials), 'utf8'), purpose(place));
}

/** @throws SealError when they are of another plugin or address, or sealed by another key */
export function openCredentials(
  key: Pick<MasterKey, 'open'>,
  { credentials, ...place }: Place & { credentials: Uint8Array | null },
): PluginCredentials {
  if (credentials === null) return {};
  return stored.parse(JSON.parse(Buffer.from(key.open(credentials, purpose(place))).toString('utf8')));
}

/** @throws Problem `invalid-request` naming the member, and nothing of its value */
export function checkCredentials(credentials: PluginCredentials, url: string): void {
  const refuse = (member: string, detail: string) =>
    invalidRequest([{ pointer: `/credentials${member}`, detail }]);
  const { bearerToken, clientCertificate, clientKey, certificateAuthority } = credentials;
  if (!/^https?:/.test(url)) throw refuse('', 'are for remote plugins only');
  if (bearerToken === undefined && clientCertificate === undefined) {
    throw refuse('', 'hold neither a bearerToken nor a clientCertificate');
  }
  if (bearerToken !== undefined && !/^[A-Za-z0-9._~+/-]+=*$/.test(bearerToken)) {
    throw refuse('/bearerToken', 'is no token of RFC 6750');
  }
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw refuse('', 'must hold clientCertificate and clientKey together');
  }
  const tls = clientCertificate !== undefined || certificateAuthority !== undefined;
  if (tls && !url.startsWith('https:')) throw refuse('', 'hold certificates, which plain http does not use');
  if (certificateAuthority !== undefined) {
    certificateOf(certificateAuthority, () => refuse('/certificateAuthority', 'is no certificate in PEM'));
  }
  if (clientCertificate === undefined || clientKey === undefined) return;
  const noCertificate = () => refuse('/clientCertificate', 'is no certificate in PEM');
  const certificate = certificateOf(clientCertificate, noCertificate);
  if (!isKeyOf(certificate, clientKey)) {
    throw refuse('/clientKey', 'is not the private key of the certificate, in PEM and without a password');
  }
}

function certificateOf(pem: string, refusal: () => Error): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw refusal();
  }
}

function isKeyOf(certificate: X509Certificate, pem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(pem));
  } catch {
    return false;
  }
}
