import { hash, randomBytes } from 'node:crypto';
import { invalidRequest, Secret } from '@ledger-ops/base';

/** Prefixes that identify the kind of a token for users and secret scanners. */
const prefixes = {
  application: 'app_',
  api: 'sak_',
  session: 'ses_',
  code: 'cod_',
  refresh: 'rft_',
  init: 'ini_',
  invitation: 'ivs_',
} as const;

/**
 * An application's token, a service account's API token, a session, an authorization code, a refresh token,
 * or a token to set a first password (of a PENDING identity or from an invitation's mail).
 */
export type TokenKind = keyof typeof prefixes;

/** Returns a new token: its prefix and 32 random bytes, base64url. */
export function newToken(kind: TokenKind): Secret {
  return new Secret(prefixes[kind] + randomBytes(32).toString('base64url'));
}

/**
 * Checks that a token from outside has the form of a generated one, because shorter ones could be guessed.
 *
 * @param pointer names the token in the problem; its value is not included
 * @throws Problem `invalid-request`
 */
export function checkToken(kind: TokenKind, token: Secret, pointer: string): Secret {
  if (!new RegExp(`^${prefixes[kind]}[A-Za-z0-9_-]{43,200}$`).test(token.reveal())) {
    throw invalidRequest([
      { pointer, detail: `must be ${prefixes[kind]} followed by at least 32 random bytes in base64url` },
    ]);
  }
  return token;
}

export function isOfKind(kind: TokenKind, text: string): boolean {
  return text.startsWith(prefixes[kind]);
}

/** Returns the stored form of a token: SHA-256, hex. Its 256 random bits need no slower hash. */
export function tokenHash(token: Secret): string {
  return hash('sha256', token.reveal(), 'hex');
}

const credentialKinds = ['api-token', 'key', 'code', 'refresh'] as const;

/**
 * Kinds of credentials for which access tokens are issued: an API token, a key of a service account, an authorization
 * code, a refresh token.
 */
export type CredentialKind = (typeof credentialKinds)[number];

/**
 * The `cred` claim names the credential for which an access token was issued. Disabling the credential disables the
 * token.
 */
export const credential = {
  of: (kind: CredentialKind, id: string) => `${kind}:${id}`,
  /** Returns the kind of a credential; undefined if the credential is not from this service. */
  read(cred: string): { kind: CredentialKind; id: string } | undefined {
    const kind = credentialKinds.find((known) => cred.startsWith(`${known}:`));
    return kind === undefined ? undefined : { kind, id: cred.slice(kind.length + 1) };
  },
};
