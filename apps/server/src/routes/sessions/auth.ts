import { z } from '@hono/zod-openapi';
import { type Auth, OAuthError } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import { type Answer, ok } from '../../http/answer.ts';
import { type BodySpec, defineRoute, type Route } from '../../http/route.ts';

const service = 'access-control';

const keySetSchema = z
  .object({
    keys: z.array(
      z.object({
        e: z.string(),
        kid: z.string(),
        kty: z.literal('RSA'),
        n: z.string(),
        use: z.literal('sig'),
        alg: z.literal('RS256'),
      }),
    ),
  })
  .openapi('PublicKeySet');
const tokenSchema = z
  .object({
    access_token: z.string().openapi({ description: 'A JWT (RFC 9068).' }),
    expires_in: z.int().openapi({ description: 'Seconds.' }),
    token_type: z.literal('Bearer'),
    refresh_token: z
      .string()
      .optional()
      .openapi({ description: 'Only for grants of users’ applications. Can be used once, within 7 days.' }),
  })
  .openapi('TokenResponse');
const oauthErrorSchema = z
  .object({
    error: z.string(),
    error_description: z.string().optional(),
    reason: z.enum(['application', 'account', 'role']).optional().openapi({
      description:
        'Why the login failed: the application or its token is wrong, the account or its credential is wrong, or the account has no role. Present only if the request has an ApplicationToken.',
    }),
  })
  .openapi('OAuthError');

/** Members of a token request, for the API reference; the grant type determines which are required. */
const tokenRequestSchema = z
  .object({
    grant_type: z.enum(['client_credentials', 'authorization_code', 'refresh_token']),
    client_id: z
      .string()
      .optional()
      .openapi({ description: 'The application id. Required, unless it is the user name of HTTP Basic.' }),
    client_secret: z.string().optional().openapi({
      description:
        'API token of the service account. For grants of user applications: the application’s token, optional. HTTP Basic can be used instead.',
    }),
    service_account: z.string().optional().openapi({
      description: 'Id of the service account. With HTTP Basic, the secret identifies the account.',
    }),
    client_assertion: z.string().optional(),
    client_assertion_type: z.literal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer').optional(),
    code: z.string().optional(),
    code_verifier: z.string().optional(),
    redirect_uri: z.string().optional(),
    refresh_token: z.string().optional(),
  })
  .openapi('TokenBody');

const revocationRequestSchema = z
  .object({
    token: z.string().openapi({ description: 'A refresh token or an access token.' }),
    token_type_hint: z.string().optional().openapi({ description: 'Ignored.' }),
    client_id: z
      .string()
      .optional()
      .openapi({ description: 'The application id. Required, unless it is the user name of HTTP Basic.' }),
    client_secret: z.string().optional(),
    client_assertion: z.string().optional(),
    client_assertion_type: z.literal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer').optional(),
  })
  .openapi('RevocationRequest');

/** The endpoint parses the body itself, because OAuth defines the format of its errors. */
function formBody(schema: z.ZodType, example: Record<string, string>): BodySpec<string> {
  const read = (input: unknown) => (typeof input === 'string' ? input : '');
  return { type: 'application/x-www-form-urlencoded', schema, example, read };
}

/** Tokens and public keys: the part of section 4.2 of the specification that programs use. */
export function authRoutes(auth: Pick<Auth, 'issueToken' | 'revokeToken' | 'keySet'>): Route[] {
  const optionalSecret = (text: string | undefined) =>
    text === undefined || text === '' ? undefined : new Secret(text);
  const keys = async (): Promise<Answer> => ok(await auth.keySet());
  const keySetAnswer = {
    200: {
      description: 'The key set. Fetch it again if a token has an unknown key id: keys rotate.',
      schema: keySetSchema,
    },
  };
  return [
    defineRoute({
      method: 'post',
      path: '/v1/auth/token',
      operationId: 'issueToken',
      summary: 'Get an access token',
      description:
        'ApplicationToken is optional for this operation; if sent, it must belong to the client. Clients authenticate by fields of the body or by HTTP Basic. A refresh token can be used once, within 7 days and at most 30 days after the login; a second use revokes it and all tokens of the same login.',
      service,
      permission: 'public',
      body: formBody(tokenRequestSchema, {
        grant_type: 'client_credentials',
        client_id: 'dev-app',
        service_account: 'dev-account',
        client_secret: 'sak_…',
      }),
      answers: {
        200: { description: 'The token.', schema: tokenSchema },
        401: { description: 'Refused (RFC 6749 §5.2).', schema: oauthErrorSchema },
      },
      failure: oauthFailure,
      async handle({ body, header }) {
        const shown = [
          optionalSecret(header('applicationtoken')),
          optionalSecret(header('authorization')),
        ] as const;
        return ok(await auth.issueToken(readForm(body), ...shown), { Pragma: 'no-cache' });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/auth/revoke',
      operationId: 'revokeToken',
      summary: 'Revoke a token (RFC 7009)',
      description:
        'Revoking a refresh token revokes every token of the same login; revoking an access token revokes only that token. The revocation takes effect immediately, on every server. The response for an unknown, expired or revoked token is also 200. Clients authenticate as at the token endpoint.',
      service,
      permission: 'public',
      body: formBody(revocationRequestSchema, { token: 'rft_…', client_id: 'web-app' }),
      answers: {
        200: { description: 'The token is no longer valid.' },
        400: {
          description: 'The request is malformed, or the token belongs to another application.',
          schema: oauthErrorSchema,
        },
        401: { description: 'The client is unknown or its secret is wrong.', schema: oauthErrorSchema },
      },
      failure(error) {
        const answer = oauthFailure(error);
        const isClients = error instanceof OAuthError && error.code === 'invalid_client';
        return answer === undefined || isClients ? answer : { ...answer, status: 400 };
      },
      async handle({ body, header }) {
        await auth.revokeToken(
          readForm(body),
          optionalSecret(header('applicationtoken')),
          optionalSecret(header('authorization')),
        );
        return { status: 200, headers: { Pragma: 'no-cache' } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/auth/certs',
      operationId: 'authCerts',
      summary: 'Get the public keys of access tokens',
      service,
      permission: 'application-token',
      answers: keySetAnswer,
      handle: keys,
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/certificates',
      operationId: 'certificates',
      summary: 'Get the public keys of access tokens',
      service: 'ledger-operations',
      permission: 'application-token',
      answers: keySetAnswer,
      handle: keys,
    }),
    defineRoute({
      method: 'get',
      path: '/.well-known/jwks.json',
      operationId: 'jwks',
      summary: 'Get the public keys of access tokens, for standard clients',
      service,
      permission: 'public',
      answers: keySetAnswer,
      handle: async () => ok(await auth.keySet(), { 'Cache-Control': 'public, max-age=300' }),
    }),
  ];
}

function readForm(text: string): ReadonlyMap<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter is present more than once.');
    form.set(name, value);
  }
  return form;
}

const basicChallenge = 'Basic realm="ledger-ops", charset="UTF-8"';

/** Error responses with OAuth's body and status 400 or 401; undefined for transport errors. */
function oauthFailure(error: unknown): Answer | undefined {
  if (error instanceof OAuthError) return refusal(error);
  if (!(error instanceof Problem)) return undefined;
  if (error.problem === 'unsupported-media-type') {
    return refusal(
      new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded in UTF-8.'),
    );
  }
  if (error.problem === 'invalid-json' || error.problem === 'invalid-request') {
    return refusal(new OAuthError('invalid_request', 'The request is malformed.'));
  }
  if (error.problem === 'application-token-invalid' || error.problem === 'application-mismatch') {
    return refusal(
      new OAuthError('invalid_client', "The ApplicationToken is not the client's.", 'application'),
    );
  }
  return undefined;
}

function refusal(error: OAuthError): Answer {
  // Only `invalid_client` gets a challenge, because standard clients do not read the body of a response with one.
  const challenge = error.code === 'invalid_client' ? { 'WWW-Authenticate': basicChallenge } : {};
  return { status: error.status, body: error.toBody(), headers: { Pragma: 'no-cache', ...challenge } };
}
