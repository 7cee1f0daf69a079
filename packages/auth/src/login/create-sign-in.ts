import {
  createFairQueue,
  currentArgon2Cost,
  invalidRequest,
  type MasterKey,
  Problem,
} from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { AccessVersion } from '../access/access-version.ts';
import { createAuthorization } from '../authorize/authorization.ts';
import { createAuthorizationCodes } from '../authorize/codes.ts';
import { serverMetadata, tokenEndpoint } from '../authorize/metadata.ts';
import { redirectUrisOf, replaceRedirectUris } from '../authorize/redirect-uri.ts';
import { authorizationCode } from '../grants/authorization-code.ts';
import { clientAssertion, sweepAssertions } from '../grants/client-assertion.ts';
import { apiTokenGrant, clientCredentials } from '../grants/client-credentials.ts';
import type { Grant } from '../grants/grant.ts';
import { refreshToken } from '../grants/refresh-token.ts';
import { createRefreshTokens, type RefreshTokens } from '../grants/refresh-tokens.ts';
import { sweepRevokedTokens } from '../grants/revocation.ts';
import { addKey, changeKeyStatus, keysOfAccount, prepareKey } from '../grants/service-account-keys.ts';
import { defaultMinPasswordLength } from '../passwords/password-rules.ts';
import { createSessionCookie } from '../sessions/cookie.ts';
import { createCsrf } from '../sessions/csrf.ts';
import { isOwnOrigin } from '../sessions/own-origin.ts';
import { createSessions } from '../sessions/sessions.ts';
import type { AccessState } from '../state.ts';
import { millisecondsOf, type Timing } from '../timing.ts';
import type { AuthConfig } from '../types.ts';
import { unlockAllOverdue } from './identity-lock.ts';
import { createInitUser, sweepInitTokens } from './init-user.ts';
import { createThrottle } from './throttle.ts';
import type { SignIn } from './types.ts';
import { createVerifyUser } from './verify-user.ts';

export interface SignInOptions {
  readonly store: Store;
  readonly masterKey: MasterKey;
  readonly config: AuthConfig;
  readonly access: AccessVersion<AccessState>;
  /** Lifetime of access tokens in milliseconds. */
  readonly tokenLifetime: number;
  readonly now: () => number;
  readonly timing: Timing;
}

/** Creates sign-in and the grants of the token endpoint. */
export function createSignIn(options: SignInOptions): {
  signIn: SignIn;
  refreshTokens: RefreshTokens;
  /** The `client_credentials` grant of service accounts. */
  accounts: Grant;
  grants: ReadonlyMap<string, Grant>;
} {
  const { store, masterKey, config, access, tokenLifetime, now, timing } = options;
  const issuer = config.baseUrl;
  const absolute = millisecondsOf(config.sessionLifetime, timing.session);
  const cost = config.passwordCost ?? currentArgon2Cost;
  const queue = createFairQueue();
  const keyPairs = createFairQueue({ limit: 1, what: 'keys are being generated' });

  const throttle = createThrottle(masterKey.derive('login throttle'), now, timing.logins);
  const verify = createVerifyUser({ store, queue, throttle, cost, now });
  const sessions = createSessions({
    store,
    access,
    now,
    idle: millisecondsOf(config.sessionIdleTime, timing.sessionIdle),
    absolute,
  });
  const csrf = createCsrf(masterKey.derive('csrf'), now, timing.form);
  const refreshTokens = createRefreshTokens({
    store,
    now,
    absolute: millisecondsOf(config.refreshTokenLifetime, timing.refreshToken),
    idle: millisecondsOf(config.refreshTokenIdleTime, timing.refreshTokenIdle),
    tokenLifetime,
    timing,
  });
  const codes = createAuthorizationCodes({ store, now, refreshTokens, tokenLifetime, timing });
  const authorization = createAuthorization({ store, issuer, sessions, codes, csrf, now });
  const cookie = createSessionCookie(issuer, absolute / 1_000);
  const initUser = createInitUser({
    store,
    queue,
    cost,
    minPasswordLength: config.minPasswordLength ?? defaultMinPasswordLength,
    lifetime: millisecondsOf(config.initTokenLifetime, timing.initToken),
    now,
  });

  let sweptAt = now();
  const sweep = async () => {
    sweptAt = now();
    await store.transaction(async (tx) => {
      await unlockAllOverdue(tx, now());
      await throttle.sweep(tx);
      await sessions.sweep(tx);
      await codes.sweep(tx);
      await refreshTokens.sweep(tx);
      await sweepRevokedTokens(tx, now() - timing.clocks);
      await sweepAssertions(tx, now() - timing.clocks);
      await sweepInitTokens(tx, now());
    });
  };
  const sweepNowAndThen = async () => {
    if (sweptAt + timing.sweep <= now()) await sweep();
  };
  /** Wraps a grant that stores rows, so that it occasionally deletes expired ones. */
  const tidy = (grant: Grant): Grant => ({
    secretOf: grant.secretOf,
    async prove(form, client, request) {
      const subject = await grant.prove(form, client, request);
      await sweepNowAndThen();
      return subject;
    },
  });

  const assertion = tidy(clientAssertion({ store, issuer, now, timing }));
  const signIn: SignIn = {
    async login({ username, password, previous, client }) {
      const identity = await verify(username, password, client);
      await sweepNowAndThen();
      return { identity, ...(await sessions.start(identity.serviceId, previous)) };
    },
    logout: sessions.logout,
    sessionOf: sessions.find,
    sessionCookie: cookie.set,
    endedSessionCookie: cookie.end,

    async authenticateUser({ credentials, username, password, client }) {
      if (credentials !== 'password') {
        throw invalidRequest([{ pointer: '/credentials', detail: 'must be password' }]);
      }
      const name = typeof username === 'string' ? username : username.value;
      return await verify(name, 'value' in password ? password.value : password, client);
    },
    ...initUser,

    csrfToken: csrf.issue,
    demandCsrfToken(binding, purpose, token) {
      if (csrf.check(binding, purpose, token)) return;
      throw new Problem(
        'not-permitted',
        'The form has expired or does not come from this page. Open the page again.',
      );
    },
    demandOwnOrigin(headers, alsoAllowed = []) {
      if (isOwnOrigin(headers, [new URL(issuer).origin, ...alsoAllowed])) return;
      throw new Problem('not-permitted', 'This request was sent from a page of another site.');
    },

    authorization,
    setRedirectUris: replaceRedirectUris,
    redirectUris: (appUid) => redirectUrisOf(store.read, appUid),
    metadata: () => serverMetadata(issuer),
    keySetMaxAge: timing.keySet / 1_000,

    prepareKey: (caller) => keyPairs.run(caller, prepareKey),
    generateKey: (tx, input) => addKey(tx, input, tokenEndpoint(issuer), now()),
    listKeys: (serviceId, status) => keysOfAccount(store.read, serviceId, status),
    setKeyStatus: (tx, serviceId, keyId, status) => changeKeyStatus(tx, { serviceId, keyId, status }, now()),
    sweep,
  };
  const accounts = clientCredentials(apiTokenGrant(store.read), assertion);
  return {
    signIn,
    refreshTokens,
    accounts,
    grants: new Map([
      ['authorization_code', tidy(authorizationCode(codes))],
      ['refresh_token', tidy(refreshToken(refreshTokens))],
      ['client_credentials', accounts],
    ]),
  };
}
