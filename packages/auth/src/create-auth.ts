import { type MasterKey, Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { createAccessVersion } from './access/access-version.ts';
import { createDecider } from './access/decide.ts';
import { addResource, dropResource, isTaken } from './access/resources.ts';
import { giveRole, takeRole } from './access/role-assignments.ts';
import { addApp, changeAppStatus, endFormerAppToken, setAppToken } from './apps.ts';
import { createAuthenticator } from './authenticate.ts';
import { newToken } from './credentials.ts';
import { createRevocation } from './grants/revocation.ts';
import { createSignIn } from './login/create-sign-in.ts';
import { addOrganization, addProject } from './organizations.ts';
import {
  addApiToken,
  addServiceAccount,
  changeApiTokenStatus,
  changeIdentityStatus,
} from './service-accounts.ts';
import { createAccessState } from './state.ts';
import { defaultTiming, millisecondsOf, type Timing } from './timing.ts';
import { createAccessTokens } from './tokens/access-token.ts';
import { createTokenIssuer } from './tokens/issue-token.ts';
import { createSigningKeys } from './tokens/signing-keys.ts';
import type { Auth, AuthConfig } from './types.ts';

/** Log for background work. A pino logger fits. */
export interface AuthLogger {
  info(fields: Record<string, unknown>, message: string): void;
}

export interface AuthOptions {
  readonly store: Store;
  /** Seals the private parts of signing keys. */
  readonly masterKey: MasterKey;
  readonly config: AuthConfig;
  /** Milliseconds since the epoch; default: the system clock. */
  readonly now?: () => number;
  readonly logger?: AuthLogger;
  /** Overrides of the default timing. */
  readonly timing?: Partial<Timing>;
}

/**
 * Opens auth on a store, and creates the first signing key if there is none. Several servers may share one
 * database.
 *
 * @throws SealError if the signing key was sealed with another master key
 */
export async function createAuth(options: AuthOptions): Promise<Auth> {
  const { store, masterKey, config, logger } = options;
  const now = options.now ?? Date.now;
  const timing = { ...defaultTiming, ...options.timing };
  const tokenLifetime = millisecondsOf(config.accessTokenLifetime, timing.accessToken);
  const lifetime = tokenLifetime / 1_000;
  const keyLifetime = millisecondsOf(config.signingKeyLifetime, timing.signingKey);
  const { hostname } = new URL(config.baseUrl);

  const signingKeys = createSigningKeys({ store, masterKey, now, tokenLifetime, timing });
  const access = createAccessVersion(store, () => createAccessState(signingKeys.load));
  const tokens = createAccessTokens({ issuer: config.baseUrl, lifetime, now });
  const queries = store.read;
  const decider = createDecider(queries, access);
  const authenticator = createAuthenticator({ queries, access, tokens, decider });
  const { signIn, grants, accounts, refreshTokens } = createSignIn({
    store,
    masterKey,
    config,
    access,
    tokenLifetime,
    now,
    timing,
  });

  const rotate = async (expected?: string | null) => {
    const kid = await signingKeys.rotate(expected);
    if (kid !== null) logger?.info({ kid }, 'a new signing key is active');
  };
  const currentKey = async () => (await (await access.current()).keys()).active;
  const activeKey = async () => {
    const found = await currentKey();
    if (found !== null && found.key.createdAt + keyLifetime > now()) return found;
    // The first server creates the key; the others read it from the database.
    await rotate(found?.key.kid ?? null);
    const made = await currentKey();
    if (made === null) throw new Problem('unavailable', 'There is no signing key; try again.');
    return made;
  };
  await activeKey();

  return {
    ...signIn,
    issueToken: createTokenIssuer({ queries, tokens, grants, activeKey, lifetime }),
    revokeToken: createRevocation({
      store,
      refreshTokens,
      accounts,
      verify: async (token) => await tokens.verify(token, await (await access.current()).keys()),
      now,
    }),
    keySet: async () => (await (await access.current()).keys()).keySet(now()),
    rotateSigningKey: () => rotate(),

    authenticateApp: authenticator.app,
    authenticate: authenticator.principal,
    holdsRoles: decider.holdsRoles,
    decide: decider.decide,
    holds: decider.holds,
    demand: decider.demand,
    demandUse: decider.demandUse,

    registerResource: (tx, resource) => addResource(tx, resource, now()),
    isTaken,
    removeResource: dropResource,
    createOrganization: (tx, input) => addOrganization(tx, input, now()),
    createProject: (tx, input) => addProject(tx, input, now()),
    createApp: (tx, input) => addApp(tx, input, now()),
    async issueAppToken(tx, appUid, options) {
      const token = newToken('application');
      await setAppToken(tx, appUid, token, now(), options);
      return token;
    },
    endFormerAppToken: (tx, appUid) => endFormerAppToken(tx, appUid, now()),
    createServiceAccount: (tx, input) => addServiceAccount(tx, input, hostname, now()),
    async createApiToken(tx, serviceId) {
      const apiToken = newToken('api');
      return { handle: await addApiToken(tx, serviceId, apiToken, now()), apiToken };
    },
    async assignRole(tx, input) {
      await giveRole(tx, input, now());
    },
    revokeRole: takeRole,
    setIdentityStatus: (tx, serviceId, status) => changeIdentityStatus(tx, serviceId, status, now()),
    setAppStatus: (tx, appUid, status) => changeAppStatus(tx, appUid, status, now()),
    setApiTokenStatus: changeApiTokenStatus,

    async projectByProjectId(projectId) {
      const { project } = queries.t;
      const [row] = await queries.db
        .select()
        .from(project)
        .where(eq(project.projectId, projectId))
        .orderBy(project.id)
        .limit(1);
      if (row === undefined) return null;
      const { uid, id, organizationUid, name } = row;
      return { uid, id, projectId, organizationUid, name };
    },

    // There are no background tasks to end, and the caller closes the store.
    async close() {},
  };
}
