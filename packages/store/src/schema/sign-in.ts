import type { Dialect } from './dialect.ts';

/** Authentication: passwords, sessions, authorization codes, keys of service accounts. */
export function signInTables(d: Dialect) {
  return {
    identityPassword: d.table('identity_password', {
      serviceId: d.text('service_id').primaryKey(),
      /** Argon2id, base64. */
      hash: d.text('hash').notNull(),
      /** JSON: salt and cost parameters. */
      params: d.text('params').notNull(),
      updatedAt: d.int('updated_at').notNull(),
    }),

    /** Token with which an identity sets its first password; one per identity, deleted once used. */
    initToken: d.table(
      'init_token',
      {
        serviceId: d.text('service_id').primaryKey(),
        /** SHA-256 of the token, hex. */
        hash: d.text('hash').notNull(),
        createdAt: d.int('created_at').notNull(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.uniqueIndex('init_token_hash').on(t.hash), d.index('init_token_expiry').on(t.expiresAt)],
    ),

    session: d.table(
      'session',
      {
        /** SHA-256 of the cookie's secret, hex. */
        hash: d.text('hash').primaryKey(),
        id: d.text('id').notNull(),
        serviceId: d.text('service_id').notNull(),
        createdAt: d.int('created_at').notNull(),
        lastUsedAt: d.int('last_used_at').notNull(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [
        d.uniqueIndex('session_id').on(t.id),
        d.index('session_identity').on(t.serviceId),
        d.index('session_expiry').on(t.expiresAt),
      ],
    ),

    /**
     * Number of failed logins per throttled key. Keys are keyed hashes, so the table contains no user names or
     * addresses.
     */
    loginThrottle: d.table(
      'login_throttle',
      {
        key: d.text('key').primaryKey(),
        failures: d.int('failures').notNull(),
        updatedAt: d.int('updated_at').notNull(),
        blockedUntil: d.int('blocked_until'),
      },
      (t) => [d.index('login_throttle_age').on(t.updatedAt)],
    ),

    /**
     * Identities locked because of failed logins. A LOCKED identity without a row in this table was locked by
     * a user.
     */
    identityLock: d.table(
      'identity_lock',
      {
        serviceId: d.text('service_id').primaryKey(),
        until: d.int('until').notNull(),
        /** Key of the identity's row in `login_throttle`. */
        countedAs: d.text('counted_as').notNull(),
      },
      (t) => [d.index('identity_lock_end').on(t.until)],
    ),

    /** Redirect URIs of apps; they must match exactly. */
    appRedirectUri: d.table(
      'app_redirect_uri',
      { appUid: d.text('app_uid').notNull(), uri: d.text('uri').notNull() },
      (t) => [d.primaryKey(t.appUid, t.uri)],
    ),

    /** An identity's consent that an app may act for it. */
    consent: d.table(
      'consent',
      {
        serviceId: d.text('service_id').notNull(),
        appUid: d.text('app_uid').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.primaryKey(t.serviceId, t.appUid)],
    ),

    /**
     * A used code is kept as long as its access token is valid, because a second use of the code revokes that
     * token.
     */
    authorizationCode: d.table(
      'authorization_code',
      {
        /** SHA-256 of the code, hex. */
        hash: d.text('hash').primaryKey(),
        /** Id of the code, stored in the access token issued for it. */
        id: d.text('id').notNull(),
        appUid: d.text('app_uid').notNull(),
        serviceId: d.text('service_id').notNull(),
        sessionId: d.text('session_id').notNull(),
        redirectUri: d.text('redirect_uri').notNull(),
        /** BASE64URL(SHA-256(code_verifier)), RFC 7636. */
        challenge: d.text('challenge').notNull(),
        expiresAt: d.int('expires_at').notNull(),
        usedAt: d.int('used_at'),
        revokedAt: d.int('revoked_at'),
      },
      (t) => [
        d.uniqueIndex('authorization_code_id').on(t.id),
        d.index('authorization_code_session').on(t.sessionId),
        d.index('authorization_code_expiry').on(t.expiresAt),
      ],
    ),

    /**
     * A family of refresh tokens: all tokens that descend from one authorization code. The family has the
     * code's id.
     */
    refreshFamily: d.table(
      'refresh_family',
      {
        id: d.text('id').primaryKey(),
        appUid: d.text('app_uid').notNull(),
        serviceId: d.text('service_id').notNull(),
        /** Session in which the code was issued. */
        sessionId: d.text('session_id').notNull(),
        createdAt: d.int('created_at').notNull(),
        expiresAt: d.int('expires_at').notNull(),
        /** When refreshing ended; access tokens already issued stay valid until they expire. */
        endedAt: d.int('ended_at'),
        /** When all tokens of the family became invalid. */
        revokedAt: d.int('revoked_at'),
      },
      (t) => [
        d.index('refresh_family_identity').on(t.serviceId),
        d.index('refresh_family_session').on(t.sessionId),
        d.index('refresh_family_expiry').on(t.expiresAt),
      ],
    ),

    /**
     * One token of each family is unused. Used tokens are kept until they expire, because a second use revokes the
     * family.
     */
    refreshToken: d.table(
      'refresh_token',
      {
        /** SHA-256 of the token, hex. */
        hash: d.text('hash').primaryKey(),
        familyId: d.text('family_id').notNull(),
        expiresAt: d.int('expires_at').notNull(),
        usedAt: d.int('used_at'),
      },
      (t) => [
        d.index('refresh_token_family').on(t.familyId),
        d.index('refresh_token_expiry').on(t.expiresAt),
      ],
    ),

    /** Access tokens that their clients revoked before they expired. */
    revokedAccessToken: d.table(
      'revoked_access_token',
      { jti: d.text('jti').primaryKey(), expiresAt: d.int('expires_at').notNull() },
      (t) => [d.index('revoked_access_token_expiry').on(t.expiresAt)],
    ),

    /** Accepted client assertions, until they expire. */
    clientAssertion: d.table(
      'client_assertion',
      {
        /** SHA-256 over the account's serviceId and the `jti`, hex. */
        key: d.text('key').primaryKey(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.index('client_assertion_expiry').on(t.expiresAt)],
    ),

    /** Public keys of service accounts. The private key is in the key file, which its owner could download once. */
    serviceAccountKey: d.table(
      'service_account_key',
      {
        keyId: d.int('key_id').primaryKey(),
        /** The service account. */
        serviceId: d.text('service_id').notNull(),
        /** SPKI, PEM. */
        publicKey: d.text('public_key').notNull(),
        publicKeyFormat: d.text('public_key_format').notNull(),
        privateKeyFormat: d.text('private_key_format').notNull(),
        /** ENABLED, DISABLED. */
        status: d.text('status').notNull(),
        /** serviceId of the identity that created the key. */
        generatedBy: d.text('generated_by').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.index('service_account_key_account').on(t.serviceId, t.keyId)],
    ),
  };
}
