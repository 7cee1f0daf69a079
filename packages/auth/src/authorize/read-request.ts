import type { Queries } from '@ledger-ops/store';
import { usableApp } from '../access/archived.ts';
import { AuthorizationError, type AuthorizationErrorCode } from './authorization-error.ts';
import { withoutLoopbackPort, withParameters } from './redirect-uri.ts';
import type { AuthorizationRequest } from './types.ts';

const maxState = 2_000;

/**
 * Reads an authorization request. Until the client and the redirect URI are known to belong together, errors
 * are not redirected (RFC 6749 §4.1.2.1). Later errors are reported to the application.
 *
 * @param issuer `iss` of responses (RFC 9207)
 */
export function createRequestReader(queries: Queries, issuer: string) {
  return async (parameters: URLSearchParams): Promise<AuthorizationRequest> => {
    const { app, redirectUri } = await readClient(queries, parameters);
    const [state, ...otherStates] = parameters.getAll('state').filter((value) => value !== '');
    const echoed = otherStates.length === 0 && (state?.length ?? 0) <= maxState ? state : undefined;
    const refuse = (code: AuthorizationErrorCode, description: string) =>
      new AuthorizationError(
        code,
        description,
        withParameters(redirectUri, {
          error: code,
          error_description: description,
          state: echoed,
          iss: issuer,
        }),
      );

    if (state !== echoed) {
      throw refuse('invalid_request', `state may be given only once, with at most ${maxState} characters.`);
    }
    for (const name of [
      'response_type',
      'response_mode',
      'code_challenge',
      'code_challenge_method',
      'scope',
    ]) {
      if (parameters.getAll(name).length > 1) {
        throw refuse('invalid_request', `The parameter ${name} is given more than once.`);
      }
    }
    const responseType = parameters.get('response_type') ?? '';
    if (responseType === '') throw refuse('invalid_request', 'response_type is missing.');
    if (responseType !== 'code') throw refuse('unsupported_response_type', 'response_type must be code.');
    if (!['', 'query'].includes(parameters.get('response_mode') ?? '')) {
      throw refuse('invalid_request', 'response_mode must be query.');
    }
    // The default method would be `plain` (RFC 7636 §4.3).
    if (parameters.get('code_challenge_method') !== 'S256') {
      throw refuse('invalid_request', 'PKCE is required: code_challenge_method must be S256.');
    }
    const challenge = parameters.get('code_challenge') ?? '';
    if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
      throw refuse('invalid_request', 'code_challenge must be the base64url SHA-256 of the verifier.');
    }
    return { app, redirectUri, state: echoed, challenge };
  };
}

async function readClient(
  queries: Queries,
  parameters: URLSearchParams,
): Promise<Pick<AuthorizationRequest, 'app' | 'redirectUri'>> {
  const [clientId, ...otherClients] = parameters.getAll('client_id');
  const [redirectUri, ...otherUris] = parameters.getAll('redirect_uri');
  if (clientId === undefined || clientId === '' || otherClients.length > 0) {
    throw new AuthorizationError('invalid_request', 'client_id is missing or given more than once.');
  }
  if (redirectUri === undefined || redirectUri === '' || otherUris.length > 0) {
    throw new AuthorizationError('invalid_request', 'redirect_uri is missing or given more than once.');
  }
  // PostgreSQL strings cannot contain NUL.
  if (clientId.includes('\0') || redirectUri.includes('\0')) {
    throw new AuthorizationError(
      'invalid_request',
      'client_id and redirect_uri must not contain NUL characters.',
    );
  }
  const [row] = await queries.all<{ uid: string; app_id: string; name: string; usable: number }>(
    `select a.uid, a.app_id, a.name, case when ${usableApp('a')} then 1 else 0 end as usable
       from app a join app_redirect_uri u on u.app_uid = a.uid and u.uri in ($2, $3)
      where (a.app_id = $1 or a.uid = $1)
      order by case when a.uid = $1 then 0 else 1 end, a.id limit 1`,
    [clientId, redirectUri, withoutLoopbackPort(redirectUri)],
  );
  // One message for all cases, so that nobody can find out which applications exist. A disabled or archived
  // application is not replaced by another with the same id.
  if (row?.usable !== 1) {
    throw new AuthorizationError(
      'invalid_request',
      'The application is unknown, disabled or archived, or redirect_uri is not exactly one of its registered URIs.',
    );
  }
  return { app: { appUid: row.uid, appId: row.app_id, name: row.name }, redirectUri };
}
