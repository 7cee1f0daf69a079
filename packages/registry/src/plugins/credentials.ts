import { KeyMaterialError, readCertificates, readClientKey } from '@ledger-ops/adapter/outbound';
import { invalidRequest, type MasterKey, Problem } from '@ledger-ops/base';
import { z } from 'zod';

/** Authenticates this server to a remote plugin: a bearer token, a client certificate, or both. */
export interface PluginCredentials {
  bearerToken?: string | undefined;
  /** PEM, including the chain. */
  clientCertificate?: string | undefined;
  /** PEM. */
  clientKey?: string | undefined;
  /**
   * PEM of the certificate authority that signed the plugin's certificate. Not needed for a public authority.
   */
  certificateAuthority?: string | undefined;
}

const stored = z.object({
  bearerToken: z.string().optional(),
  clientCertificate: z.string().optional(),
  clientKey: z.string().optional(),
  certificateAuthority: z.string().optional(),
});

/** Credentials are bound to one plugin and URL: they cannot be opened for another. */
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
    throw new Problem(
      'unavailable',
      'Credentials need a master key, but this registry has none. Set the master key first.',
    );
  }
  return key.seal(Buffer.from(JSON.stringify(credentials), 'utf8'), purpose(place));
}

/** @throws SealError if they belong to another plugin or URL, or another key sealed them */
export function openCredentials(
  key: Pick<MasterKey, 'open'>,
  { credentials, ...place }: Place & { credentials: Uint8Array | null },
): PluginCredentials {
  if (credentials === null) return {};
  return stored.parse(JSON.parse(Buffer.from(key.open(credentials, purpose(place))).toString('utf8')));
}

/** @throws Problem `invalid-request` that names the invalid member, but not its value */
export function checkCredentials(credentials: PluginCredentials, url: string): void {
  const refuse = (member: string, detail: string) =>
    invalidRequest([{ pointer: `/credentials${member}`, detail }]);
  const { bearerToken, clientCertificate, clientKey, certificateAuthority } = credentials;
  if (!/^https?:/.test(url)) throw refuse('', 'are only allowed for remote plugins');
  if (bearerToken === undefined && clientCertificate === undefined) {
    throw refuse('', 'must contain a bearerToken or a clientCertificate');
  }
  if (bearerToken !== undefined && !/^[A-Za-z0-9._~+/-]+=*$/.test(bearerToken)) {
    throw refuse('/bearerToken', 'must be a valid bearer token (RFC 6750)');
  }
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw refuse('', 'must contain clientCertificate and clientKey together');
  }
  const tls = clientCertificate !== undefined || certificateAuthority !== undefined;
  if (tls && !url.startsWith('https:'))
    throw refuse('', 'must not contain certificates if the URL is plain http; use https');
  /** Reads a member. Also rejects keys that would block the server when used. */
  const attempt = <Result>(member: string, read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      throw error instanceof KeyMaterialError ? refuse(member, error.message) : error;
    }
  };
  if (certificateAuthority !== undefined) {
    attempt('/certificateAuthority', () => readCertificates(certificateAuthority));
  }
  if (clientCertificate === undefined || clientKey === undefined) return;
  const [certificate] = attempt('/clientCertificate', () => readCertificates(clientCertificate));
  const key = attempt('/clientKey', () => readClientKey(clientKey));
  if (!certificate.checkPrivateKey(key))
    throw refuse('/clientKey', 'must be the private key of the certificate');
}
