import type { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { readClientRequest } from '../grants/client-authentication.ts';
import { type Client, type Clients, clientsOf, oneSecret } from '../grants/clients.ts';
import { field, type Grant, type Subject } from '../grants/grant.ts';
import type { TokenResponse } from '../types.ts';
import type { AccessTokens } from './access-token.ts';
import { OAuthError } from './oauth-error.ts';
import type { KeyRing } from './signing-keys.ts';

/** Options of the token endpoint. */
export interface TokenIssuerOptions {
  readonly queries: Queries;
  readonly tokens: AccessTokens;
  /** By `grant_type`. */
  readonly grants: ReadonlyMap<string, Grant>;
  /** The key to sign with, made or renewed as needed. */
  readonly activeKey: () => Promise<NonNullable<KeyRing['active']>>;
  /** Seconds. */
  readonly lifetime: number;
}

/**
 * The token endpoint (RFC 6749 §3.2): unknown fields are ignored. A client, an account or a secret that is unknown, wrong or disabled, and a client that the account may not use, give
 * one and the same `invalid_client`.
 */
export function createTokenIssuer(options: TokenIssuerOptions) {
  const { queries, tokens, grants } = options;

  return async (
    sent: ReadonlyMap<string, string>,
    applicationToken?: Secret,
    authorization?: Secret,
  ): Promise<TokenResponse> => {
    const request = readClientRequest(sent, authorization);
    const { form } = request;
    const grant = grants.get(field(form, 'grant_type'));
    if (grant === undefined) {
      throw new OAuthError('unsupported_grant_type', `Use one of: ${[...grants.keys()].join(', ')}.`);
    }
    const clientId = field(form, 'client_id');
    const secret = grant.secretOf === 'application' ? form.get('client_secret') : undefined;
    const clients = clientsOf(queries, clientId, oneSecret(secret, applicationToken));
    // Before a code or a refresh token is used up.
    const key = await options.activeKey();
    const subject = await grant.prove(form, clients, request);
    const client = await clientFor(clients, subject);
    if (client === null || subject === null) throw unknownClient();
    const token = await tokens.sign(
      { sub: subject.serviceId, client_id: client.appId, app: client.uid, cred: subject.cred },
      key,
    );
    return {
      access_token: token,
      expires_in: options.lifetime,
      token_type: 'Bearer',
      ...('refreshToken' in subject ? { refresh_token: subject.refreshToken.reveal() } : {}),
    };
  };
}

/** One and the same for whatever is wrong with a client. */
export function unknownClient(): OAuthError {
  return new OAuthError(
    'invalid_client',
    "The application, the account or its credential is unknown, wrong or disabled, or the account is not of the application's project and has no role on it.",
  );
}

/**
 * Accounts use applications that they see. Users chose theirs when they consented, and what it may do there is decided
 * by roles.
 */
export async function clientFor(clients: Clients, subject: Subject | null): Promise<Client | null> {
  if (subject === null) return null;
  return 'appUid' in subject ? await clients.ofUid(subject.appUid) : await clients.ofAccount(subject);
}
