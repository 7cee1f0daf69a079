import { Secret } from '@ledger-ops/base';
import type { AuthorizationCodes } from '../authorize/codes.ts';
import { credential } from '../credentials.ts';
import { OAuthError } from '../tokens/oauth-error.ts';
import { field, type Grant } from './grant.ts';

/** `authorization_code` with PKCE (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export function authorizationCode(codes: AuthorizationCodes): Grant {
  return {
    secretOf: 'application',
    async prove(form, clients) {
      const code = new Secret(field(form, 'code'));
      const redirectUri = field(form, 'redirect_uri');
      const verifier = new Secret(field(form, 'code_verifier'));
      // The application is checked first, so that nobody can use up a stolen code without it.
      if (!(await clients.exist())) return null;
      const isApp = async (appUid: string) => (await clients.ofUid(appUid)) !== null;
      const redeemed = await codes.redeem(code, { isApp, redirectUri, verifier });
      if (redeemed === null) {
        throw new OAuthError(
          'invalid_grant',
          'The code is unknown, expired or already used, its session has ended, or redirect_uri or code_verifier does not match.',
        );
      }
      return {
        serviceId: redeemed.serviceId,
        appUid: redeemed.appUid,
        cred: credential.of('code', redeemed.id),
        refreshToken: redeemed.refreshToken,
      };
    },
  };
}
