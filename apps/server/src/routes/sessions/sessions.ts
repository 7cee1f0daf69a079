import { z } from '@hono/zod-openapi';
import type { Admin, Auth, UserIdentity } from '@ledger-ops/auth';
import { Secret } from '@ledger-ops/base';
import { noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { originIn, sessionIn } from './session-cookie.ts';

const service = 'access-control';

/** A password in a request; only its length is limited. */
const password = z.string().min(1, 'must not be empty').max(1_024);
const username = text(320).openapi({ description: 'The user’s e-mail address.', example: 'ada@example.com' });

const identitySchema = z
  .object({
    dateCreated: z.int().openapi({ description: 'Milliseconds since the epoch.' }),
    dateUpdated: z.int(),
    id: z.int(),
    identifier: z.string(),
    identityProfile: z.object({ displayName: z.string().nullable() }),
    serviceId: z.string(),
    status: z.enum(['ENABLED', 'DISABLED', 'LOCKED', 'PENDING']),
    type: z.enum(['USER', 'SERVICE', 'SAML']),
  })
  .openapi('AuthenticatedUser');

const loginSchema = z.strictObject({ username, password }).openapi('Login');
const initSchema = z
  .strictObject({
    acceptTnC: z.boolean(),
    additional: z.strictObject({ name: text(200), password }),
    initToken: text(200).openapi({
      description:
        'Single-use secret from the mail for a new identity, or from an invitation. With the secret of an invitation, the request also accepts the invitation.',
    }),
  })
  .openapi('InitUser');
const credential = z.string().min(1).max(1_024);
const bounded = z.union([credential, z.object({ value: credential })], 'must have 1 to 1024 characters');
const authenticateSchema = z
  .object({
    credentials: z.string().max(64).openapi({ description: 'Kind of credentials: `password`.' }),
    username: bounded,
    password: bounded,
  })
  .openapi('AuthenticateUser');

/** Prefix of the secrets in invitation mails. */
const invitationPrefix = 'ivs_';

export interface SessionDeps {
  readonly invitations: Pick<Admin['invitations'], 'redeem'>;
  readonly auth: Pick<
    Auth,
    | 'login'
    | 'logout'
    | 'sessionCookie'
    | 'endedSessionCookie'
    | 'initUser'
    | 'authenticateUser'
    | 'demandOwnOrigin'
    | 'metadata'
  >;
  /** Additional origins whose pages may log users in and out. */
  readonly corsOrigins: readonly string[];
}

/** Login, logout and initial passwords (specification, section 4.2), and the current user (section 4.6). */
export function sessionRoutes({ auth, invitations, corsOrigins }: SessionDeps): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/auth/login',
      operationId: 'login',
      summary: 'Log a user in',
      description:
        'Starts a session, sets the HTTP-only cookie SERVICESESSIONID, and ends the browser’s former session.',
      service,
      permission: 'public',
      body: jsonBody(loginSchema, { username: 'ada@example.com', password: 'correct horse battery staple' }),
      answers: {
        200: {
          description: 'The user. The response sets the session cookie.',
          schema: identitySchema,
          headers: ['Set-Cookie'],
        },
      },
      problems: ['login-failed', 'not-permitted', 'too-many-requests'],
      async handle({ body, header, source }) {
        auth.demandOwnOrigin(originIn(header), corsOrigins);
        const previous = sessionIn(header);
        const { identity, session } = await auth.login({
          username: body.username,
          password: new Secret(body.password),
          ...(previous === undefined ? {} : { previous }),
          client: { source },
        });
        return ok(userBody(identity), { 'Set-Cookie': auth.sessionCookie(session) });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/auth/logout',
      operationId: 'logout',
      summary: 'Log the user out',
      description:
        'Ends the session on the server, revokes its unused authorization codes, and deletes the cookie.',
      service,
      permission: 'public',
      answers: { 204: { description: 'There is no session.', headers: ['Set-Cookie'] } },
      problems: ['not-permitted'],
      async handle({ header }) {
        auth.demandOwnOrigin(originIn(header), corsOrigins);
        const session = sessionIn(header);
        if (session !== undefined) await auth.logout(session);
        return { ...noContent, headers: { 'Set-Cookie': auth.endedSessionCookie() } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/auth/init-user',
      operationId: 'initUser',
      summary: 'Set a new user’s name and first password',
      description:
        'With the secret from an invitation, this also creates the account and accepts that invitation. Other invitations to the same address stay open until the user responds.',
      service,
      permission: 'public',
      body: jsonBody(initSchema, {
        acceptTnC: true,
        additional: { name: 'Ada Lovelace', password: 'correct horse battery staple' },
        initToken: 'ini_…',
      }),
      answers: {
        200: {
          description: 'The user can log in.',
          schema: z.object({ email: z.string() }).openapi('InitializedUser'),
        },
      },
      problems: ['not-permitted', 'too-many-requests', 'conflict'],
      async handle({ body, header, source }) {
        auth.demandOwnOrigin(originIn(header), corsOrigins);
        const { acceptTnC, additional } = body;
        const initToken = new Secret(body.initToken);
        const input = {
          acceptTnC,
          additional: { name: additional.name, password: new Secret(additional.password) },
          client: { source },
        };
        return ok(
          body.initToken.startsWith(invitationPrefix)
            ? await invitations.redeem(initToken, input)
            : await auth.initUser({ initToken, ...input }),
        );
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/identities/authenticate',
      operationId: 'authenticateUser',
      successor: '/v1/auth/login',
      summary: 'Check a user name and password',
      description: 'Does not start a session. `username` and `password` are text, or objects with `value`.',
      service: 'identities',
      permission: 'application-token',
      deprecated: true,
      body: jsonBody(authenticateSchema, {
        credentials: 'password',
        username: { value: 'ada@example.com' },
        password: { value: 'correct horse battery staple' },
      }),
      answers: { 200: { description: 'The user.', schema: identitySchema } },
      problems: ['login-failed', 'too-many-requests'],
      async handle({ body, source }) {
        const { credentials, username, password } = body;
        const secret =
          typeof password === 'string' ? new Secret(password) : { value: new Secret(password.value) };
        return ok(
          userBody(
            await auth.authenticateUser({ credentials, username, password: secret, client: { source } }),
          ),
        );
      },
    }),
    defineRoute({
      method: 'get',
      path: '/.well-known/oauth-authorization-server',
      operationId: 'authorizationServerMetadata',
      summary: 'Get endpoints and capabilities for standard clients (RFC 8414)',
      service,
      permission: 'public',
      answers: {
        200: { description: 'The metadata.', schema: z.looseObject({ issuer: z.string() }) },
      },
      handle: async () => ok(auth.metadata(), { 'Cache-Control': 'public, max-age=300' }),
    }),
  ];
}

/** Returns the identity (specification, section 2.9). */
function userBody(user: UserIdentity) {
  return {
    dateCreated: user.createdAt,
    dateUpdated: user.updatedAt,
    id: user.id,
    identifier: user.identifier,
    identityProfile: { displayName: user.displayName },
    serviceId: user.serviceId,
    status: user.status,
    type: user.type,
  };
}
