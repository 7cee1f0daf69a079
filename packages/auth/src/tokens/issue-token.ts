import type { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { readClientRequest } from '../grants/client-authentication.ts';
import { type Client, type Clients, clientsOf, oneSecret } from '../grants/clients.ts';
import { field, type Grant, type Subject } from '../grants/grant.ts';
import type { TokenResponse } from '../types.ts';
import type { AccessTokens } from './access-token.ts';
import { OAuthError } from './oauth-error.ts';
import type { KeyRing } from './signing-keys.ts';

export interface TokenIssuerOptions {
  readonly queries: Queries;
  readonly tokens: AccessTokens;
  /** Grants, by `grant_type`. */
  readonly grants: ReadonlyMap<string, Grant>;
  /** The key to sign with, created or renewed as needed. */
  readonly activeKey: () => Promise<NonNullable<KeyRing['active']>>;
  /** Seconds. */
  readonly lifetime: number;
}

/**
 * Creates the token endpoint (RFC 6749 §3.2); unknown fields are ignored. Any fault of a client results in
 * `invalid_client`. The application's token is checked first, then the account's credential; only a caller
 * whose application token is valid learns that the account's credential is at fault. Unknown, wrong and
 * disabled credentials are never distinguished.
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
    // Without an active key, this fails before a code or a refresh token is used up.
    const key = await options.activeKey();
    const subject = await grant.prove(form, clients, request);
    const client = await clientFor(clients, subject);
    if (client === null || subject === null) {
      const showsApplication = secret !== undefined || applicationToken !== undefined;
      throw await refusalOf(clients, { showsApplication, provesAccount: subject !== null });
    }
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

/**
 * Returns the most specific error that the presented credentials permit. Without a valid credential, an
 * attacker learns only that the request was rejected.
 */
async function refusalOf(
  clients: Clients,
  { showsApplication, provesAccount }: { showsApplication: boolean; provesAccount: boolean },
): Promise<OAuthError> {
  if (!showsApplication) return unknownClient();
  if (!(await clients.exist()))
    return new OAuthError(
      'invalid_client',
      'The application is unknown or disabled, or the ApplicationToken belongs to another application.',
      'application',
    );
  if (!provesAccount)
    return new OAuthError(
      'invalid_client',
      'The account is unknown or disabled, or its credential is wrong, expired or disabled.',
      'account',
    );
  return new OAuthError(
    'invalid_client',
    "The account does not belong to the application's project and has no role on it. Grant it a role there.",
    'role',
  );
}

/** One error for every fault of a client. */
export function unknownClient(): OAuthError {
  return new OAuthError(
    'invalid_client',
    "The application, the account or its credential is unknown, wrong or disabled, or the account does not belong to the application's project and has no role on it.",
  );
}

/**
 * Accounts may use only applications that they can see. Users chose their application when they
 * consented, and roles determine what it may do.
 */
export async function clientFor(clients: Clients, subject: Subject | null): Promise<Client | null> {
  if (subject === null) return null;
  return 'appUid' in subject ? await clients.ofUid(subject.appUid) : await clients.ofAccount(subject);
}
