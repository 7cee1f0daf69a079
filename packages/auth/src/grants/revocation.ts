import { Problem, Secret } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { bumpAccess } from '../access/access-version.ts';
import { isOfKind } from '../credentials.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { AccessClaims } from '../tokens/access-token.ts';
import { clientFor, unknownClient } from '../tokens/issue-token.ts';
import { OAuthError } from '../tokens/oauth-error.ts';
import { type ClientRequest, readClientRequest } from './client-authentication.ts';
import { type Clients, clientsOf, oneSecret } from './clients.ts';
import { field, type Grant } from './grant.ts';
import { revokeFamily } from './refresh-families.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

export interface RevocationOptions {
  readonly store: Store;
  readonly refreshTokens: RefreshTokens;
  /** The `client_credentials` grant, which authenticates accounts. */
  readonly accounts: Grant;
  /** @throws Problem `access-token-invalid` */
  readonly verify: (token: Secret) => Promise<AccessClaims>;
  readonly now: () => number;
}

/**
 * Creates the revocation endpoint (RFC 7009). Revoking a refresh token revokes its family, including all
 * access tokens. Revoking an access token revokes only that token. Unknown, expired and revoked tokens are
 * not an error.
 */
export function createRevocation(options: RevocationOptions) {
  const { store, refreshTokens, now } = options;

  /** Returns the applications that the request may act for. A given secret must be correct. */
  const authenticate = async (request: ClientRequest, applicationToken: Secret | undefined) => {
    const { form } = request;
    const id = field(form, 'client_id');
    const secret = form.get('client_secret');
    const ofAccount =
      form.has('client_assertion') ||
      form.has('client_assertion_type') ||
      (secret !== undefined && !isOfKind('application', secret));
    if (!ofAccount) {
      const clients = clientsOf(store.read, id, oneSecret(secret, applicationToken));
      if (await clients.exist()) return clients;
      throw unknownClient();
    }
    const clients = clientsOf(store.read, id, applicationToken);
    // The request has no field for the account, so the secret identifies it.
    const subject = await options.accounts.prove(form, clients, { ...request, basic: true });
    if ((await clientFor(clients, subject)) === null) throw unknownClient();
    return clients;
  };

  const revokeRefresh = async (token: Secret, clients: Clients) => {
    const family = await refreshTokens.familyOf(token);
    if (family === null) return;
    await demandOwn(clients, family.appUid);
    const { id, serviceId, appId } = family;
    await store.transaction(async (tx) => {
      if (await revokeFamily(tx, id, now())) await record(tx, serviceId, appId);
    });
  };

  const revokeAccess = async (token: Secret, clients: Clients) => {
    const claims = await options.verify(token).catch((error: unknown) => {
      if (error instanceof Problem && error.problem === 'access-token-invalid') return null;
      throw error;
    });
    if (claims === null) return;
    await demandOwn(clients, claims.app);
    const { jti, exp, sub, client_id } = claims;
    const known = await store.read.all('select jti from revoked_access_token where jti = $1', [jti]);
    if (known.length > 0) return;
    await store.transaction(async (tx) => {
      await bumpAccess(tx);
      const added = await tx.db
        .insert(tx.t.revokedAccessToken)
        .values({ jti, expiresAt: exp * 1_000 })
        .onConflictDoNothing()
        .returning({ jti: tx.t.revokedAccessToken.jti });
      if (added.length > 0) await record(tx, sub, client_id);
    });
  };

  const record = (tx: Tx, serviceId: string, appId: string) => {
    const change = { action: 'revoke-token', service: 'access-control', targetObject: appId } as const;
    return recordChange(tx, { serviceId, appId }, serviceId, change, now());
  };

  return async (
    sent: ReadonlyMap<string, string>,
    applicationToken?: Secret,
    authorization?: Secret,
  ): Promise<void> => {
    const request = readClientRequest(sent, authorization);
    const token = field(request.form, 'token');
    const clients = await authenticate(request, applicationToken);
    // `token_type_hint` is not needed: the prefix shows the type.
    if (isOfKind('refresh', token)) await revokeRefresh(new Secret(token), clients);
    else await revokeAccess(new Secret(token), clients);
  };
}

async function demandOwn(clients: Clients, appUid: string): Promise<void> {
  if ((await clients.ofUid(appUid)) !== null) return;
  throw new OAuthError('invalid_grant', 'The token was issued to another application.');
}

/** Deletes revocations of expired tokens. */
export async function sweepRevokedTokens(tx: Tx, before: number): Promise<void> {
  await tx.run('delete from revoked_access_token where expires_at <= $1', [before]);
}
