import { hash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@ledger-ops/base';
import { type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { newToken, tokenHash } from '../credentials.ts';
import { revokeFamily } from '../grants/refresh-families.ts';
import type { RefreshTokens } from '../grants/refresh-tokens.ts';
import { usableIdentity } from '../login/identity-lock.ts';
import type { Timing } from '../timing.ts';
import type { AuthorizationRequest } from './types.ts';

/** Proof that a token request presents with the code. */
export interface CodeProof {
  /** Whether the request comes from this application. */
  readonly isApp: (appUid: string) => Promise<boolean>;
  readonly redirectUri: string;
  readonly verifier: Secret;
}

/** The access that a code was exchanged for. */
export interface RedeemedCode {
  readonly id: string;
  readonly serviceId: string;
  readonly appUid: string;
  readonly refreshToken: Secret;
}

export interface AuthorizationCodes {
  /** Must be called in the transaction that stores the consent. */
  issue(
    tx: Tx,
    request: AuthorizationRequest,
    owner: { serviceId: string; sessionId: string },
  ): Promise<Secret>;
  /**
   * Uses up a code, even if the proof is wrong. A second use revokes the tokens that the first use produced.
   *
   * @returns null if the code is unknown, expired, used, or belongs to another application
   */
  redeem(code: Secret, proof: CodeProof): Promise<RedeemedCode | null>;
  sweep(tx: Tx): Promise<void>;
}

export interface AuthorizationCodesOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly refreshTokens: Pick<RefreshTokens, 'begin'>;
  /** Lifetime of access tokens, and time for which used codes are kept, in milliseconds. */
  readonly tokenLifetime: number;
  readonly timing: Timing;
}

/**
 * Codes of the authorization code grant: 32 random bytes, stored hashed, valid for 60 seconds and one use.
 */
export function createAuthorizationCodes({
  store,
  now,
  refreshTokens,
  tokenLifetime,
  timing,
}: AuthorizationCodesOptions): AuthorizationCodes {
  return {
    async issue(tx, request, { serviceId, sessionId }) {
      const code = newToken('code');
      await tx.db.insert(tx.t.authorizationCode).values({
        hash: tokenHash(code),
        id: uuidv7(),
        appUid: request.app.appUid,
        serviceId,
        sessionId,
        redirectUri: request.redirectUri,
        challenge: request.challenge,
        expiresAt: now() + timing.code,
      });
      return code;
    },

    async redeem(code, proof) {
      const codeHash = tokenHash(code);
      // The code is read before the transaction, so that a guessed code does not cause a write.
      const [known] = await store.read.all<{ id: string; app_uid: string }>(
        'select id, app_uid from authorization_code where hash = $1',
        [codeHash],
      );
      if (known === undefined) return null;
      const isTheirs = await proof.isApp(known.app_uid);
      return await store.transaction(async (tx) => {
        const [row] = await tx.all<{
          id: string;
          app_uid: string;
          service_id: string;
          session_id: string;
          redirect_uri: string;
          challenge: string;
          expires_at: number;
        }>(
          `update authorization_code set used_at = $2 where hash = $1 and used_at is null
           returning id, app_uid, service_id, session_id, redirect_uri, challenge, expires_at`,
          [codeHash, now()],
        );
        if (row === undefined) {
          await revokeFamily(tx, known.id, now());
          return null;
        }
        const right =
          row.expires_at > now() &&
          isTheirs &&
          row.redirect_uri === proof.redirectUri &&
          isChallengeOf(row.challenge, proof.verifier);
        if (!right) return null;
        const live = await tx.all(
          `select s.id from session s join identity i on i.service_id = s.service_id
            where s.id = $1 and s.service_id = $2 and ${usableIdentity('i')}`,
          [row.session_id, row.service_id],
        );
        if (live.length === 0) return null;
        const redeemed = { id: row.id, serviceId: row.service_id, appUid: row.app_uid };
        const refreshToken = await refreshTokens.begin(tx, { ...redeemed, sessionId: row.session_id });
        return { ...redeemed, refreshToken };
      });
    },

    async sweep(tx) {
      const oldest = now() - tokenLifetime - timing.clocks;
      await tx.run('delete from authorization_code where expires_at <= $1', [oldest]);
    },
  };
}

/** RFC 7636 §4.1 and §4.6. */
function isChallengeOf(challenge: string, verifier: Secret): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier.reveal())) return false;
  const expected = Buffer.from(challenge);
  const given = Buffer.from(hash('sha256', verifier.reveal(), 'base64url'));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
