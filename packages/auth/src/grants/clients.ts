import { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { usableApp } from '../access/archived.ts';
import { holderKey } from '../access/role-assignments.ts';
import { hasToken } from '../apps.ts';
import { tokenHash } from '../credentials.ts';
import { OAuthError } from '../tokens/oauth-error.ts';

/** The application of a token request. */
export interface Client {
  readonly uid: string;
  readonly appId: string;
}

/**
 * The applications that the `client_id` of a request may refer to. An appId is unique only within its project, so the
 * authenticated account or the code determines the application.
 */
export interface Clients {
  /** Whether there is at least one such application. */
  exist(): Promise<boolean>;
  /** Returns the application with this uid, if the request's `client_id` can refer to it. */
  ofUid(uid: string): Promise<Client | null>;
  /**
   * Returns the application that an account may use: an application of the account's project, otherwise an
   * application on which the account holds a role, directly or inherited. If there are several, returns the
   * oldest.
   */
  ofAccount(account: { serviceId: string; projectUid: string }): Promise<Client | null>;
}

/**
 * An application's token may be sent as ApplicationToken and as `client_secret`; if both are present, they
 * must be equal.
 *
 * @throws OAuthError `invalid_client`
 */
export function oneSecret(
  secret: string | undefined,
  applicationToken: Secret | undefined,
): Secret | undefined {
  if (secret === undefined) return applicationToken;
  const shown = new Secret(secret);
  if (applicationToken !== undefined && tokenHash(applicationToken) !== tokenHash(shown)) {
    throw new OAuthError(
      'invalid_client',
      'client_secret differs from the ApplicationToken header.',
      'application',
    );
  }
  return shown;
}

/**
 * Finds usable applications by appId or uid.
 *
 * @param applicationToken optional; if given, it must belong to the application
 */
export function clientsOf(queries: Queries, clientId: string, applicationToken: Secret | undefined): Clients {
  const hash = applicationToken === undefined ? '' : tokenHash(applicationToken);
  const find = async (rest: string, more: readonly string[] = []): Promise<Client | null> => {
    const [row] = await queries.all<{ uid: string; app_id: string }>(
      `select a.uid, a.app_id from app a
        where (a.app_id = $1 or a.uid = $1) and ${usableApp('a')} and ($2 = '' or ${hasToken('a', '$2')}) ${rest} limit 1`,
      [clientId, hash, ...more],
    );
    return row === undefined ? null : { uid: row.uid, appId: row.app_id };
  };
  return {
    exist: async () => (await find('')) !== null,
    ofUid: (uid) => find('and a.uid = $3', [uid]),
    ofAccount: ({ serviceId, projectUid }) =>
      find(
        `and (a.project_uid = $3 or exists (
             select 1 from role_assignment r join resource_ancestor c on c.ancestor_uid = r.resource_uid
              where r.holder = $4 and c.resource_uid = a.project_uid))
          order by case when a.uid = $1 then 0 when a.project_uid = $3 then 1 else 2 end,
            case when (select p.organization_uid from project p where p.uid = a.project_uid) =
                      (select p.organization_uid from project p where p.uid = $3) then 0 else 1 end, a.id`,
        [projectUid, holderKey({ identity: serviceId })],
      ),
  };
}
