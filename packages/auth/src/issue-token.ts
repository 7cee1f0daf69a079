import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import type { AccessTokens } from './access-token.ts';
import { tokenHash } from './credentials.ts';
import { clientCredentials } from './grants/client-credentials.ts';
import { field, type Grant, type Subject } from './grants/grant.ts';
import { OAuthError } from './oauth-error.ts';
import { holderKey } from './role-assignments.ts';
import type { KeyRing } from './signing-keys.ts';
import type { TokenResponse } from './types.ts';

/** What the token endpoint needs. */
export interface TokenIssuerOptions {
  readonly queries: Queries;
  readonly tokens: AccessTokens;
  /** The key to sign with, made or renewed as needed. */
  readonly activeKey: () => Promise<NonNullable<KeyRing['active']>>;
  /** Seconds. */
  readonly lifetime: number;
}

interface Client {
  readonly uid: string;
  readonly app_id: string;
  readonly project_uid: string;
  readonly token_hash: string | null;
}

/**
 * The token endpoint (RFC 6749 §3.2): fields without a value count as absent, unknown ones are ignored. A
 * client, an account or a secret that is unknown, wrong or disabled gives one and the same `invalid_client`.
 */
export function createTokenIssuer(options: TokenIssuerOptions) {
  const { queries, tokens } = options;
  const grants: ReadonlyMap<string, Grant> = new Map([['client_credentials', clientCredentials(queries)]]);

  return async (sent: ReadonlyMap<string, string>, applicationToken?: Secret): Promise<TokenResponse> => {
    const form = new Map([...sent].filter(([, value]) => value !== ''));
    const grant = grants.get(field(form, 'grant_type'));
    if (grant === undefined) {
      throw new OAuthError('unsupported_grant_type', `Use one of: ${[...grants.keys()].join(', ')}.`);
    }
    const clientId = field(form, 'client_id');
    const [client, subject] = await Promise.all([loadClient(queries, clientId), grant.prove(form)]);
    if (client === null || subject === null || !isToken(client, applicationToken)) {
      throw new OAuthError(
        'invalid_client',
        'The application, the account or its credential is unknown, wrong or disabled.',
      );
    }
    if (!(await mayUse(queries, subject, client))) {
      throw new OAuthError(
        'unauthorized_client',
        "The account is not of the application's project and has no role on it.",
      );
    }
    const token = await tokens.sign(
      { sub: subject.serviceId, client_id: client.app_id, cred: subject.cred },
      await options.activeKey(),
    );
    return { access_token: token, expires_in: options.lifetime, token_type: 'Bearer' };
  };
}

async function loadClient(queries: Queries, appId: string): Promise<Client | null> {
  const [row] = await queries.all<{
    uid: string;
    app_id: string;
    project_uid: string;
    token_hash: string | null;
  }>("select uid, app_id, project_uid, token_hash from app where app_id = $1 and status = 'ENABLED'", [
    appId,
  ]);
  return row ?? null;
}

/** An ApplicationToken is optional here; when given it must be the client's. */
function isToken({ token_hash }: Client, applicationToken: Secret | undefined): boolean {
  if (applicationToken === undefined) return true;
  if (token_hash === null) return false;
  return timingSafeEqual(Buffer.from(token_hash), Buffer.from(tokenHash(applicationToken)));
}

/** Accounts use the applications of their own project, and of those where they hold any role, also from above. */
async function mayUse(queries: Queries, subject: Subject, client: Client): Promise<boolean> {
  if (subject.projectUid === client.project_uid) return true;
  const rows = await queries.all(
    `with recursive chain(uid, parent_uid, depth) as (
       select uid, parent_uid, 0 from resource where uid = $1
       union all
       select r.uid, r.parent_uid, c.depth + 1 from resource r join chain c on r.uid = c.parent_uid where c.depth < 32
     )
     select a.id from chain c join role_assignment a on a.resource_uid = c.uid where a.holder = $2 limit 1`,
    [client.project_uid, holderKey({ identity: subject.serviceId })],
  );
  return rows.length > 0;
}
