import { Problem, type Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { z } from 'zod';
import type { AccessTokens } from './access-token.ts';
import type { AccessVersion } from './access-version.ts';
import { apiTokenCredential, tokenHash } from './credentials.ts';
import type { AccessState } from './state.ts';
import type { AppPrincipal, Principal } from './types.ts';

/** An enabled application and where it stands. */
export interface KnownApp extends AppPrincipal {
  readonly organizationUid: string;
}

/** An enabled identity that shows an enabled credential. */
export interface Caller {
  readonly identityType: Principal['identityType'];
}

/** Who is calling. */
export interface Authenticator {
  app(applicationToken: Secret | undefined): Promise<AppPrincipal>;
  principal(applicationToken: Secret | undefined, bearer: Secret | undefined): Promise<Principal>;
}

/** What authentication needs. */
export interface AuthenticatorOptions {
  readonly queries: Queries;
  readonly access: AccessVersion<AccessState>;
  readonly tokens: AccessTokens;
}

/** Tells who is calling, from what each header says and what the database says of it at this call. */
export function createAuthenticator({ queries, access, tokens }: AuthenticatorOptions): Authenticator {
  const appOf = async (state: AccessState, token: Secret | undefined): Promise<KnownApp> => {
    if (token === undefined) throw noApplication('The ApplicationToken header is missing.');
    const hash = tokenHash(token);
    const app = await state.apps.get(hash, () => loadApp(queries, hash));
    if (app === null) {
      throw noApplication('The ApplicationToken is unknown or was replaced, or its application is disabled.');
    }
    return app;
  };

  return {
    async app(applicationToken) {
      const { appUid, appId, projectUid, projectId } = await appOf(await access.current(), applicationToken);
      return { appUid, appId, projectUid, projectId };
    },

    async principal(applicationToken, bearer) {
      const state = await access.current();
      const app = await appOf(state, applicationToken);
      if (bearer === undefined)
        throw notAuthenticated('The Authorization header with a bearer token is missing.');
      const { sub, client_id, cred } = await tokens.verify(bearer, await state.keys());
      if (client_id !== app.appId) {
        throw new Problem(
          'application-mismatch',
          'The access token was issued for another application than the one whose ApplicationToken was sent.',
        );
      }
      const caller = await state.callers.get(`${sub}\n${cred}`, () => loadCaller(queries, sub, cred));
      if (caller === null) {
        throw notAuthenticated(
          'The identity of the access token, or the key it was requested with, is disabled.',
        );
      }
      return {
        appUid: app.appUid,
        appId: app.appId,
        projectUid: app.projectUid,
        projectId: app.projectId,
        organizationUid: app.organizationUid,
        serviceId: sub,
        identityType: caller.identityType,
      };
    },
  };
}

async function loadApp(queries: Queries, tokenHash: string): Promise<KnownApp | null> {
  const [row] = await queries.all<{
    uid: string;
    app_id: string;
    project_uid: string;
    project_id: string;
    organization_uid: string;
  }>(
    `select a.uid, a.app_id, a.project_uid, p.project_id, p.organization_uid
       from app a join project p on p.uid = a.project_uid
      where a.token_hash = $1 and a.status = 'ENABLED'`,
    [tokenHash],
  );
  if (row === undefined) return null;
  return {
    appUid: row.uid,
    appId: row.app_id,
    projectUid: row.project_uid,
    projectId: row.project_id,
    organizationUid: row.organization_uid,
  };
}

const identityType = z.enum(['USER', 'SERVICE', 'SAML']);

async function loadCaller(queries: Queries, serviceId: string, cred: string): Promise<Caller | null> {
  const handle = apiTokenCredential.handle(cred);
  if (handle === undefined) return null;
  const [row] = await queries.all<{ type: string }>(
    `select i.type
       from identity i
       join service_account a on a.service_id = i.service_id
       join api_token t on t.account_id = a.account_id
      where i.service_id = $1 and i.status = 'ENABLED' and t.handle = $2 and t.status = 'ENABLED'`,
    [serviceId, handle],
  );
  return row === undefined ? null : { identityType: identityType.parse(row.type) };
}

function noApplication(detail: string): Problem {
  return new Problem('application-token-invalid', detail);
}

function notAuthenticated(detail: string): Problem {
  return new Problem('access-token-invalid', detail);
}
