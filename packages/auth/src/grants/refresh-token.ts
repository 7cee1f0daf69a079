import { Secret } from '@ledger-ops/base';
import { credential } from '../credentials.ts';
import { OAuthError } from '../tokens/oauth-error.ts';
import { field, type Grant } from './grant.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

/** `refresh_token` (RFC 6749 §6) with rotation (RFC 9700 §4.14.2). */
export function refreshToken(tokens: RefreshTokens): Grant {
  return {
    secretOf: 'application',
    async prove(form, clients) {
      const token = new Secret(field(form, 'refresh_token'));
      if (!(await clients.exist())) return null;
      const rotated = await tokens.rotate(token, async (appUid) => (await clients.ofUid(appUid)) !== null);
      if (rotated === null) {
        throw new OAuthError(
          'invalid_grant',
          'The refresh token is unknown, expired, already used or revoked, or belongs to another application. Send the user to log in again.',
        );
      }
      const { id, serviceId, appUid, next } = rotated;
      return { serviceId, appUid, cred: credential.of('refresh', id), refreshToken: next };
    },
  };
}
