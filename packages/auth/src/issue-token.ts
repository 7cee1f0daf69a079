import type { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import type { AccessTokens } from './access-token.ts';
import { type Client, type Clients, clientsOf } from './grants/clients.ts';
import { field, type Grant, type Subject } from './grants/grant.ts';
import { OAuthError } from './oauth-error.ts';
import type { KeyRing } from './signing-keys.ts';
import type { TokenResponse } from './types.ts';

/** What the token endpoint needs. */
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
 * The token endpoint (RFC 6749 §3.2): fields without a value count as absent, unknown ones are ignored. A
 * client, an account or a secret that is unknown, wrong or disabled, and a client that the account may not use, give
 * one and the same `invalid_client`.
 */
export function createTokenIssuer(options: TokenIssuerOptions) {
  const { queries, tokens, grants } = options;

  return async (sent: ReadonlyMap<string, string>, applicationToken?: Secret): Promise<TokenResponse> => {
    const form = new Map([...sent].filter(([, value]) => value !== ''));
    const grant = grants.get(field(form, 'grant_type'));
    if (grant === undefined) {
      throw new OAuthError('unsupported_grant_type', `Use one of: ${[...grants.keys()].join(', ')}.`);
    }
    const clients = clientsOf(queries, field(form, 'client_id'), applicationToken);
    const subject = await grant.prove(form, clients);
    const client = await clientFor(clients, subject);
    if (client === null || subject === null) {
      throw new OAuthError(
        'invalid_client',
        "The application, the account or its credential is unknown, wrong or disabled, or the account is not of the application's project and has no role on it.",
      );
    }
    const token = await tokens.sign(
      { sub: subject.serviceId, client_id: client.appId, app: client.uid, cred: subject.cred },
      await options.activeKey(),
    );
    return { access_token: token, expires_in: options.lifetime, token_type: 'Bearer' };
  };
}

/**
 * Accounts use applications that they see. Users chose theirs when they consented, and what it may do there is decided
 * by roles.
 */
async function clientFor(clients: Clients, subject: Subject | null): Promise<Client | null> {
  if (subject === null) return null;
  return 'appUid' in subject ? await clients.ofUid(subject.appUid) : await clients.ofAccount(subject);
}
