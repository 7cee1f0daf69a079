import type { Dialect } from './dialect.ts';

/** Tables for authentication: passwords, sessions, authorization codes, and keys of service accounts. */
export function signInTables(d: Dialect) {
  return {
    identityPassword: d.table('identity_password', {
      serviceId: d.text('service_id').primaryKey(),
      /** Argon2id hash of the password, in base64. */
      hash: d.text('hash').notNull(),
      /** JSON of the salt and the cost parameters. */
      params: d.text('params').notNull(),
      updatedAt: d.int('updated_at').notNull(),
    }),

    /**
     * Token with which an identity sets its first password. An identity has at most one. It is deleted when it is used.
     */
    initToken: d.table(
      'init_token',
      {
        serviceId: d.text('service_id').primaryKey(),
        /** SHA-256 of the token, in hex. */
        hash: d.text('hash').notNull(),
        createdAt: d.int('created_at').notNull(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.uniqueIndex('init_token_hash').on(t.hash), d.index('init_token_expiry').on(t.expiresAt)],
    ),

    session: d.table(
      'session',
      {
        /** SHA-256 of the secret in the session's cookie, in hex. */
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

    /** Number of failed logins by key. A key is a keyed hash, so the table contains no user names or addresses. */
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
     * Identities that were locked because of failed logins. A user locked a LOCKED identity that has no row in this
     * table.
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

    /** Redirect URIs of applications. A request must match one exactly. */
    appRedirectUri: d.table(
      'app_redirect_uri',
      { appUid: d.text('app_uid').notNull(), uri: d.text('uri').notNull() },
      (t) => [d.primaryKey(t.appUid, t.uri)],
    ),

    /** An identity's consent that an application may act for it. */
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
     * Authorization codes. A used code is kept as long as its access token is valid, because a second use of the code
     * revokes this token.
     */
    authorizationCode: d.table(
      'authorization_code',
      {
        /** SHA-256 of the code, in hex. */
        hash: d.text('hash').primaryKey(),
        /** Id of the code. The access token that is issued for the code contains it. */
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
     * A family of refresh tokens: the one issued for an authorization code, and all that were issued in exchange for
     * an earlier one. The family's id is that of the code.
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
        /**
         * When the family ended, so that it cannot be refreshed. Access tokens that were issued before stay valid until
         * they expire.
         */
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
     * Refresh tokens. One token of each family is unused. Used tokens are kept until they expire, because a second use
     * revokes the family.
     */
    refreshToken: d.table(
      'refresh_token',
      {
        /** SHA-256 of the token, in hex. */
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

    /** Access tokens that were revoked by their clients before they expired. */
    revokedAccessToken: d.table(
      'revoked_access_token',
      { jti: d.text('jti').primaryKey(), expiresAt: d.int('expires_at').notNull() },
      (t) => [d.index('revoked_access_token_expiry').on(t.expiresAt)],
    ),

    /** Client assertions that were accepted. They are kept until they expire. */
    clientAssertion: d.table(
      'client_assertion',
      {
        /** SHA-256 of the account's serviceId and the `jti`, in hex. */
        key: d.text('key').primaryKey(),
        expiresAt: d.int('expires_at').notNull(),
      },
      (t) => [d.index('client_assertion_expiry').on(t.expiresAt)],
    ),

    /** Public keys of service accounts. The private key is only in the key file, which could be downloaded once. */
    serviceAccountKey: d.table(
      'service_account_key',
      {
        keyId: d.int('key_id').primaryKey(),
        /** serviceId of the service account. */
        serviceId: d.text('service_id').notNull(),
        /** SPKI in PEM. */
        publicKey: d.text('public_key').notNull(),
        publicKeyFormat: d.text('public_key_format').notNull(),
        privateKeyFormat: d.text('private_key_format').notNull(),
        /** ENABLED, DISABLED. */
        status: d.text('status').notNull(),
        /** serviceId of the person or service account that created the key. */
        generatedBy: d.text('generated_by').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.index('service_account_key_account').on(t.serviceId, t.keyId)],
    ),
  };
}
