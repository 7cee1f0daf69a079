import { z } from '@hono/zod-openapi';
import { type Auth, OAuthError } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import { type Answer, ok } from '../http/answer.ts';
import { type BodySpec, defineRoute, type Route } from '../http/route.ts';

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
  })
  .openapi('TokenResponse');
const oauthErrorSchema = z
  .object({ error: z.string(), error_description: z.string().optional() })
  .openapi('OAuthError');

/** Members of a token request, for the reference; which of them are needed depends on the grant. */
const tokenRequestSchema = z
  .object({
    grant_type: z.enum(['client_credentials', 'authorization_code']),
    client_id: z.string().openapi({ description: 'The application id.' }),
    client_secret: z.string().optional().openapi({ description: 'API token of the service account.' }),
    service_account: z.string().optional().openapi({ description: 'Account id.' }),
    client_assertion: z.string().optional(),
    client_assertion_type: z.literal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer').optional(),
    code: z.string().optional(),
    code_verifier: z.string().optional(),
    redirect_uri: z.string().optional(),
  })
  .openapi('TokenRequest');

/** A token request is refused by the endpoint itself, in OAuth's words: so its body is read there. */
const formBody: BodySpec<string> = {
  type: 'application/x-www-form-urlencoded',
  schema: tokenRequestSchema,
  example: {
    grant_type: 'client_credentials',
    client_id: 'dev-app',
    service_account: 'dev-account',
    client_secret: 'sak_…',
  },
  read: (input) => (typeof input === 'string' ? input : ''),
};

/** Tokens and public keys (section 4.2, as far as it concerns machines). */
export function authRoutes(auth: Pick<Auth, 'issueToken' | 'keySet'>): Route[] {
  const keys = async (): Promise<Answer> => ok(await auth.keySet());
  const keySetAnswer = {
    200: { description: 'The key set. Key ids change on rotation: fetch it anew.', schema: keySetSchema },
  };
  return [
    defineRoute({
      method: 'post',
      path: '/v1/auth/token',
      operationId: 'issueToken',
      summary: 'Get an access token',
      description: 'ApplicationToken is optional here; when given it must be the client’s.',
      service,
      permission: 'public',
      body: formBody,
      answers: {
        200: { description: 'The token.', schema: tokenSchema },
        401: { description: 'Refused (RFC 6749 §5.2).', schema: oauthErrorSchema },
      },
      failure: oauthFailure,
      async handle({ body, header }) {
        const token = header('applicationtoken');
        const applicationToken = token === undefined || token === '' ? undefined : new Secret(token);
        return ok(await auth.issueToken(readForm(body), applicationToken), { Pragma: 'no-cache' });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/auth/certs',
      operationId: 'authCerts',
      summary: 'Public keys of access tokens',
      service,
      permission: 'application-token',
      answers: keySetAnswer,
      handle: keys,
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/certificates',
      operationId: 'certificates',
      summary: 'Public keys of access tokens',
      service: 'ledger-operations',
      permission: 'application-token',
      answers: keySetAnswer,
      handle: keys,
    }),
    defineRoute({
      method: 'get',
      path: '/.well-known/jwks.json',
      operationId: 'jwks',
      summary: 'Public keys of access tokens, for standard clients',
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
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter is given more than once.');
    form.set(name, value);
  }
  return form;
}

/** How this endpoint refuses: 401 with OAuth's body, save for what is wrong with the transport. */
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
    return refusal(new OAuthError('invalid_client', "The ApplicationToken is not the client's."));
  }
  return undefined;
}

function refusal(error: OAuthError): Answer {
  return { status: error.status, body: error.toBody(), headers: { Pragma: 'no-cache' } };
}
