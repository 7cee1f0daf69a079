import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { z } from 'zod';
import type { AccessVersion } from './access/access-version.ts';
import { usableApp } from './access/archived.ts';
import type { Decider } from './access/decide.ts';
import { hasToken } from './apps.ts';
import { consoleAppUid } from './console.ts';
import { type CredentialKind, credential, tokenHash } from './credentials.ts';
import { usableIdentity } from './login/identity-lock.ts';
import type { AccessState, Caller, KnownApp, KnownProject } from './state.ts';
import type { AccessTokens } from './tokens/access-token.ts';
import type { AppPrincipal, Principal } from './types.ts';

/** Header in which the console names the project of a request, by uid. */
export const projectHeader = 'Ledger-Ops-Project';

/** Determines who is calling. */
export interface Authenticator {
  app(applicationToken: Secret | undefined): Promise<AppPrincipal>;
  principal(
    applicationToken: Secret | undefined,
    bearer: Secret | undefined,
    project?: string,
  ): Promise<Principal>;
}

export interface AuthenticatorOptions {
  readonly queries: Queries;
  readonly access: AccessVersion<AccessState>;
  readonly tokens: AccessTokens;
  readonly decider: Pick<Decider, 'decide'>;
}

/** Authenticates callers from the headers and the database at the time of the call. */
export function createAuthenticator({
  queries,
  access,
  tokens,
  decider,
}: AuthenticatorOptions): Authenticator {
  const appOf = async (state: AccessState, token: Secret | undefined): Promise<KnownApp> => {
    if (token === undefined) throw noApplication('The ApplicationToken header is missing.');
    const hash = tokenHash(token);
    const app = await state.apps.get(hash, () => loadApp(queries, hasToken('a', '$1'), hash));
    if (app === null) {
      throw noApplication(
        'The ApplicationToken is unknown or was replaced, or its application is disabled or archived.',
      );
    }
    return app;
  };

  /**
   * The console sends no application token, because it could not keep the token secret. Its access tokens
   * name the console instead.
   */
  const consoleOf = async (state: AccessState, bearer: Secret | undefined): Promise<KnownApp | null> => {
    if (bearer === undefined) return null;
    const claims = await tokens.verify(bearer, await state.keys()).catch(() => undefined);
    if (claims?.app !== consoleAppUid) return null;
    return await state.apps.get(consoleAppUid, () => loadApp(queries, 'a.uid = $1', consoleAppUid));
  };

  /** Returns the project of a request from the console. */
  const projectOf = async (state: AccessState, uid: string, serviceId: string): Promise<KnownProject> => {
    const project = await state.projects.get(uid, () => loadProject(queries, uid));
    const holders = { serviceId, appUid: consoleAppUid };
    if (project === null || !(await decider.decide(holders, ['project:read'], uid)).result) {
      throw new Problem(
        'not-permitted',
        `The project ${projectHeader} does not exist or is not visible to you.`,
      );
    }
    return project;
  };

  return {
    async app(applicationToken) {
      const { appUid, appId, projectUid, projectId } = await appOf(await access.current(), applicationToken);
      return { appUid, appId, projectUid, projectId };
    },

    async principal(applicationToken, bearer, project) {
      const state = await access.current();
      const viaConsole = applicationToken === undefined ? await consoleOf(state, bearer) : null;
      const app = viaConsole ?? (await appOf(state, applicationToken));
      if (project !== undefined && viaConsole === null) {
        throw invalidRequest([
          {
            pointer: projectHeader,
            detail: 'is only allowed for the console, because an application belongs to one project',
          },
        ]);
      }
      if (bearer === undefined)
        throw notAuthenticated('The Authorization header with a bearer token is missing.');
      const { sub, app: appUid, cred, jti } = await tokens.verify(bearer, await state.keys());
      if (appUid !== app.appUid) {
        throw new Problem(
          'application-mismatch',
          'The access token was issued for a different application than the one in the ApplicationToken header.',
        );
      }
      const caller = await state.callers.get(`${sub}\n${cred}\n${jti}`, () =>
        loadCaller(queries, { serviceId: sub, cred, jti }),
      );
      if (caller === null) {
        throw notAuthenticated(
          'The access token was revoked, its identity is disabled or archived, or the credential that it was requested with is disabled or revoked.',
        );
      }
      if (viaConsole !== null && caller.identityType === 'SERVICE') {
        throw notAuthenticated('The console is for users. A service account uses its own application.');
      }
      const place = project === undefined ? app : await projectOf(state, project, sub);
      return {
        appUid: app.appUid,
        appId: app.appId,
        projectUid: place.projectUid,
        projectId: place.projectId,
        organizationUid: place.organizationUid,
        serviceId: sub,
        identityType: caller.identityType,
      };
    },
  };
}

async function loadApp(queries: Queries, condition: string, value: string): Promise<KnownApp | null> {
  const [row] = await queries.all<{
    uid: string;
    app_id: string;
    project_uid: string;
    project_id: string;
    organization_uid: string;
  }>(
    `select a.uid, a.app_id, a.project_uid, p.project_id, p.organization_uid
       from app a join project p on p.uid = a.project_uid
      where ${condition} and ${usableApp('a')}`,
    [value],
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

async function loadProject(queries: Queries, uid: string): Promise<KnownProject | null> {
  const [row] = await queries.all<{ project_id: string; organization_uid: string }>(
    'select project_id, organization_uid from project where uid = $1',
    [uid],
  );
  return row === undefined
    ? null
    : { projectUid: uid, projectId: row.project_id, organizationUid: row.organization_uid };
}

const identityType = z.enum(['USER', 'SERVICE', 'SAML']);

/** Rows that must exist and be usable for an access token to be valid, by the kind of its credential `$2`. */
const credentialExists: Readonly<Record<CredentialKind, string>> = {
  'api-token': `select 1 from api_token t
                 where t.service_id = i.service_id and t.handle = $2 and t.status = 'ENABLED'`,
  key: `select 1 from service_account_key k
         where k.service_id = i.service_id and cast(k.key_id as text) = $2 and k.status = 'ENABLED'`,
  code: `select 1 from authorization_code c
          where c.service_id = i.service_id and c.id = $2 and c.used_at is not null and c.revoked_at is null`,
  refresh: `select 1 from refresh_family f
             where f.service_id = i.service_id and f.id = $2 and f.revoked_at is null`,
};

async function loadCaller(
  queries: Queries,
  { serviceId, cred, jti }: { serviceId: string; cred: string; jti: string },
): Promise<Caller | null> {
  const named = credential.read(cred);
  if (named === undefined) return null;
  const [row] = await queries.all<{ type: string }>(
    `select i.type from identity i
      where i.service_id = $1 and ${usableIdentity('i')} and exists (${credentialExists[named.kind]})
        and not exists (select 1 from revoked_access_token r where r.jti = $3)`,
    [serviceId, named.id, jti],
  );
  return row === undefined ? null : { identityType: identityType.parse(row.type) };
}

function noApplication(detail: string): Problem {
  return new Problem('application-token-invalid', detail);
}

function notAuthenticated(detail: string): Problem {
  return new Problem('access-token-invalid', detail);
}
