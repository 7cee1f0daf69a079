import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import type { AccessTokens } from './access-token.ts';
import { tokenHash } from './credentials.ts';
import { type Client, field, type Grant, type Subject } from './grants/grant.ts';
import { OAuthError } from './oauth-error.ts';
import { holderKey } from './role-assignments.ts';
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
 * client, an account or a secret that is unknown, wrong or disabled gives one and the same `invalid_client`.
 */
export function createTokenIssuer(options: TokenIssuerOptions) {
  const { queries, tokens, grants } = options;

  return async (sent: ReadonlyMap<string, string>, applicationToken?: Secret): Promise<TokenResponse> => {
    const form = new Map([...sent].filter(([, value]) => value !== ''));
    const grant = grants.get(field(form, 'grant_type'));
    if (grant === undefined) {
      throw new OAuthError('unsupported_grant_type', `Use one of: ${[...grants.keys()].join(', ')}.`);
    }
    const loading = loadClient(queries, field(form, 'client_id'), applicationToken);
    const [client, subject] = await Promise.all([loading, grant.prove(form, loading)]);
    if (client === null || subject === null) {
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
      { sub: subject.serviceId, client_id: client.appId, cred: subject.cred },
      await options.activeKey(),
    );
    return { access_token: token, expires_in: options.lifetime, token_type: 'Bearer' };
  };
}

/** An ApplicationToken is optional here; when given it must be the client's. Else null. */
async function loadClient(
  queries: Queries,
  appId: string,
  applicationToken: Secret | undefined,
): Promise<Client | null> {
  const [row] = await queries.all<{
    uid: string;
    app_id: string;
    project_uid: string;
    token_hash: string | null;
  }>("select uid, app_id, project_uid, token_hash from app where app_id = $1 and status = 'ENABLED'", [
    appId,
  ]);
  if (row === undefined || !isToken(row.token_hash, applicationToken)) return null;
  return { uid: row.uid, appId: row.app_id, projectUid: row.project_uid };
}

function isToken(stored: string | null, applicationToken: Secret | undefined): boolean {
  if (applicationToken === undefined) return true;
  return stored !== null && timingSafeEqual(Buffer.from(stored), Buffer.from(tokenHash(applicationToken)));
}

/**
 * Accounts use the applications of their own project, and of those where they hold any role, also from above.
 * Users chose the application themselves, and what it may do there is decided by roles.
 */
async function mayUse(queries: Queries, subject: Subject, client: Client): Promise<boolean> {
  if (subject.projectUid === null || subject.projectUid === client.projectUid) return true;
  const rows = await queries.all(
    `with recursive chain(uid, parent_uid, depth) as (
       select uid, parent_uid, 0 from resource where uid = $1
       union all
       select r.uid, r.parent_uid, c.depth + 1 from resource r join chain c on r.uid = c.parent_uid where c.depth < 32
     )
     select a.id from chain c join role_assignment a on a.resource_uid = c.uid where a.holder = $2 limit 1`,
    [client.projectUid, holderKey({ identity: subject.serviceId })],
  );
  return rows.length > 0;
}
