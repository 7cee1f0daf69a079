import { hash, randomUUID } from 'node:crypto';
import { Problem, type Secret } from '@ledger-ops/base';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { createMemo } from '../memo.ts';
import type { KeyRing } from './signing-keys.ts';

export interface AccessClaims {
  /** serviceId of the identity. */
  readonly sub: string;
  /** appId of the application that it was issued for. */
  readonly client_id: string;
  /** Uid of the application. It is needed because an appId is unique only within its project. */
  readonly app: string;
  /** Credential for which it was issued; see credentials.ts. */
  readonly cred: string;
  /** Unique id of the token (`jti`). */
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly exp: number;
}

/** Access tokens of this issuer: JWT, RS256, `typ` `at+jwt` (RFC 9068). */
export interface AccessTokens {
  /** @param active key to sign with */
  sign(claims: Omit<AccessClaims, 'exp' | 'jti'>, active: NonNullable<KeyRing['active']>): Promise<string>;
  /** @throws Problem `access-token-invalid` */
  verify(token: Secret, ring: KeyRing): Promise<AccessClaims>;
}

export interface AccessTokensOptions {
  /** Issuer and audience. */
  readonly issuer: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly now: () => number;
}

/**
 * Maximum number of characters of a token that is hashed and verified. The service's tokens have about 800.
 */
const maxLength = 8_192;
/** Maximum number of cached verified tokens, of about 300 bytes each. */
const remembered = 20_000;

const claimsOfToken = z.object({
  sub: z.string(),
  client_id: z.string(),
  app: z.string(),
  cred: z.string(),
  jti: z.string(),
  exp: z.number(),
});

/** Signs and verifies access tokens. A verified token is cached by its hash until it expires. */
export function createAccessTokens({ issuer, lifetime, now }: AccessTokensOptions): AccessTokens {
  const verified = createMemo<{ claims: AccessClaims; kid: string }>(remembered);

  const check = async (token: string, ring: KeyRing) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = kid === undefined ? undefined : ring.published(kid, now());
          if (key === undefined) throw new errors.JWKSNoMatchingKey();
          return key.publicKey;
        },
        {
          algorithms: ['RS256'],
          issuer,
          audience: issuer,
          typ: 'at+jwt',
          requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'app', 'jti', 'cred'],
          currentDate: new Date(now()),
        },
      );
      const claims = claimsOfToken.safeParse(payload);
      if (!claims.success) throw invalid();
      return { claims: claims.data, kid: protectedHeader.kid ?? '' };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw expired();
      // jose's message may quote the token's content.
      if (error instanceof errors.JOSEError) throw invalid();
      throw error;
    }
  };

  return {
    async sign({ sub, client_id, app, cred }, { key, privateKey }) {
      const issuedAt = Math.floor(now() / 1_000);
      return await new SignJWT({ client_id, app, cred })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(sub)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetime)
        .setJti(randomUUID())
        .sign(privateKey);
    },

    async verify(secret, ring) {
      const token = secret.reveal();
      if (token.length > maxLength) throw invalid();
      const known = await verified.get(hash('sha256', token, 'base64'), () => check(token, ring));
      // The key may have been removed after the token was cached.
      if (known === null || ring.published(known.kid, now()) === undefined) throw invalid();
      if (known.claims.exp <= now() / 1_000) throw expired();
      return known.claims;
    },
  };
}

function invalid(): Problem {
  return new Problem(
    'access-token-invalid',
    'The access token was changed or was not issued by this service. Request a new one at /v1/auth/token.',
  );
}

function expired(): Problem {
  return new Problem('access-token-invalid', 'The access token has expired. Request a new one.');
}
