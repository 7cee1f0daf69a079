import { randomBytes } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { type Auth, AuthorizationError, type AuthorizationRequest } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import type { Answer } from '../../http/answer.ts';
import { challenges } from '../../http/problems/problem-answer.ts';
import {
  type AnswerSpec,
  type BodySpec,
  defineRoute,
  type Route,
  type RouteRequest,
} from '../../http/route.ts';
import { formTargetOf, type SignInPages } from '../../present/sign-in-pages.ts';
import {
  type HeaderReader,
  loginCookie,
  loginCookieName,
  loginIn,
  originIn,
  sessionIn,
} from './session-cookie.ts';

const service = 'access-control';
const path = '/v1/auth/authorize';
/** Purposes of CSRF tokens. */
const loginPurpose = 'login form';
const leavePurpose = 'other user form';

const requestQuery = z.object({
  response_type: z.literal('code'),
  client_id: z.string().openapi({ description: 'The application id.' }),
  redirect_uri: z
    .string()
    .openapi({ description: 'One of the application’s redirect URIs, compared exactly.' }),
  code_challenge: z.string().openapi({ description: 'Base64url SHA-256 of the verifier.' }),
  code_challenge_method: z.literal('S256'),
  state: z.string().optional(),
});

const html = 'text/html';
const answers: Readonly<Record<number, AnswerSpec>> = {
  200: {
    description: 'A page to log in or to consent.',
    contentType: html,
    headers: ['Set-Cookie'],
  },
  303: {
    description: 'Redirects to the application, with `code`, `state` and `iss`, or with `error`.',
    headers: ['Location', 'Set-Cookie'],
  },
  400: {
    description: 'The application or redirect URI is invalid, so there is no redirect.',
    contentType: html,
  },
};

/** Body of a form on our own pages. */
function formBody(
  name: string,
  shape: Record<string, z.ZodType>,
  example: unknown,
): BodySpec<URLSearchParams> {
  return {
    type: 'application/x-www-form-urlencoded',
    schema: z.object(shape).openapi(name),
    example,
    read: (input) => new URLSearchParams(typeof input === 'string' ? input : ''),
  };
}

const requestField = z.string().openapi({ description: 'The authorization request, unchanged.' });
const csrfField = z.string().openapi({ description: 'CSRF token from the page.' });
const formExample = { request: 'response_type=code&client_id=dev-app&…', csrf: '…' };

export type AuthorizeAuth = Pick<
  Auth,
  | 'authorization'
  | 'login'
  | 'logout'
  | 'sessionOf'
  | 'sessionCookie'
  | 'endedSessionCookie'
  | 'csrfToken'
  | 'demandCsrfToken'
  | 'demandOwnOrigin'
>;

type FormRequest = RouteRequest<Record<never, never>, Record<never, never>, URLSearchParams>;

/** The authorization endpoint (RFC 6749 §3.1) and its pages, which work without scripts. */
export function authorizeRoutes(auth: AuthorizeAuth, pages: SignInPages): Route[] {
  const { authorization } = auth;
  const failure = (error: unknown) => pageOf(error, pages);

  const showLogin = (
    request: AuthorizationRequest,
    header: HeaderReader,
    more: { username?: string; error?: string; status?: number; headers?: Record<string, string> } = {},
  ): Answer => {
    const known = loginIn(header);
    const binding = known ?? new Secret(randomBytes(32).toString('base64url'));
    const headers = {
      ...(known === undefined ? { 'Set-Cookie': loginCookie(auth, binding) } : {}),
      ...more.headers,
    };
    return pages.login({
      appName: request.app.name,
      action: `${path}/login`,
      fields: { request: parametersOf(request), csrf: auth.csrfToken(binding, loginPurpose) },
      formTarget: formTargetOf(request.redirectUri),
      ...more,
      headers,
    });
  };

  const ask = async (parameters: URLSearchParams, header: HeaderReader): Promise<Answer> => {
    const request = await authorization.read(parameters);
    const secret = sessionIn(header);
    const session = await auth.sessionOf(secret);
    if (secret === undefined || session === null) return showLogin(request, header);
    const target = await authorization.resume(request, secret);
    if (target !== null) return redirect(target);
    return pages.consent({
      appName: request.app.name,
      appId: request.app.appId,
      user: session.displayName ?? session.identifier,
      action: path,
      otherUserAction: `${path}/logout`,
      fields: { request: parametersOf(request), csrf: authorization.csrfToken(request, secret) },
      otherUserFields: { request: parametersOf(request), csrf: auth.csrfToken(secret, leavePurpose) },
      formTarget: formTargetOf(request.redirectUri),
    });
  };

  /** Reads the authorization request for which a form was shown. */
  const requestOf = async (form: URLSearchParams) =>
    await authorization.read(new URLSearchParams(form.get('request') ?? ''));

  const logIn = async ({ body: form, header, source }: FormRequest): Promise<Answer> => {
    auth.demandOwnOrigin(originIn(header));
    const request = await requestOf(form);
    const binding = loginIn(header);
    if (binding === undefined) throw new Problem('not-permitted', noCookie);
    auth.demandCsrfToken(binding, loginPurpose, form.get('csrf') ?? undefined);
    const username = (form.get('username') ?? '').slice(0, 320);
    const password = form.get('password') ?? '';
    const again = (status: number, error: string, headers: Record<string, string> = {}) =>
      showLogin(request, header, { username, error, status, headers });
    if (username === '' || password === '') {
      return again(400, 'Enter your e-mail address and your password.');
    }
    const previous = sessionIn(header);
    try {
      const { session } = await auth.login({
        username,
        password: new Secret(password),
        ...(previous === undefined ? {} : { previous }),
        client: { source },
      });
      return redirect(`${path}?${parametersOf(request)}`, { 'Set-Cookie': auth.sessionCookie(session) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.problem === 'login-failed') {
        return again(401, 'The e-mail address or the password is wrong.', {
          'WWW-Authenticate': challenges['login-failed'],
        });
      }
      if (error.problem !== 'too-many-requests') throw error;
      const seconds = Math.max(1, Math.ceil(error.retryAfter ?? 1));
      return again(429, `Too many failed attempts. Try again in ${seconds} seconds.`, {
        'Retry-After': String(seconds),
      });
    }
  };

  const decide = async ({ body: form, header }: FormRequest): Promise<Answer> => {
    auth.demandOwnOrigin(originIn(header));
    const request = await requestOf(form);
    const session = sessionIn(header);
    // The session has ended while the page was open.
    if (session === undefined || (await auth.sessionOf(session)) === null) return showLogin(request, header);
    const csrf = form.get('csrf') ?? undefined;
    switch (form.get('decision')) {
      case 'approve':
        return redirect(await authorization.approve(request, session, csrf));
      case 'deny':
        return redirect(authorization.deny(request, session, csrf));
      default:
        return pages.message({
          status: 400,
          title: 'No choice was made',
          text: 'The form contains neither Allow nor Refuse.',
          next: 'Go back one page and choose one of them.',
        });
    }
  };

  const leave = async ({ body: form, header }: FormRequest): Promise<Answer> => {
    auth.demandOwnOrigin(originIn(header));
    const request = await requestOf(form);
    const session = sessionIn(header);
    if (session !== undefined) {
      auth.demandCsrfToken(session, leavePurpose, form.get('csrf') ?? undefined);
      await auth.logout(session);
    }
    return redirect(`${path}?${parametersOf(request)}`, { 'Set-Cookie': auth.endedSessionCookie() });
  };

  const formAnswers = {
    ...answers,
    401: { description: 'The login page again: the e-mail address or password is wrong.', contentType: html },
    403: { description: 'The form came from another site, or is too old.', contentType: html },
    429: { description: 'The login page again, after too many failed attempts.', contentType: html },
  };
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'authorize',
      summary: 'Start the authorization code grant with PKCE',
      description:
        'Browsers open this URL. It shows pages to log in and to consent, then redirects to the application.',
      service,
      permission: 'public',
      query: requestQuery,
      readsQuery: true,
      answers,
      failure,
      handle: async ({ search, header }) => await ask(search, header),
    }),
    defineRoute({
      method: 'post',
      path: `${path}/login`,
      operationId: 'authorizeLogin',
      summary: 'Submit the login page’s form',
      service,
      permission: 'public',
      body: formBody(
        'LoginForm',
        { request: requestField, csrf: csrfField, username: z.string(), password: z.string() },
        { ...formExample, username: 'ada@example.com', password: 'correct horse battery staple' },
      ),
      answers: formAnswers,
      failure,
      handle: logIn,
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'authorizeDecision',
      summary: 'Submit the consent page’s form',
      service,
      permission: 'public',
      body: formBody(
        'ConsentForm',
        { request: requestField, csrf: csrfField, decision: z.enum(['approve', 'deny']) },
        { ...formExample, decision: 'approve' },
      ),
      answers: formAnswers,
      failure,
      handle: decide,
    }),
    defineRoute({
      method: 'post',
      path: `${path}/logout`,
      operationId: 'authorizeLogout',
      summary: 'Switch to another user on the consent page',
      service,
      permission: 'public',
      body: formBody('OtherUserForm', { request: requestField, csrf: csrfField }, formExample),
      answers: formAnswers,
      failure,
      handle: leave,
    }),
  ];
}

const noCookie = `The login page was opened too long ago, or the browser does not accept cookies (${loginCookieName}).`;

function redirect(target: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, headers: { Location: target, ...headers } };
}

/** Serializes a parsed authorization request. */
function parametersOf({ app, redirectUri, state, challenge }: AuthorizationRequest): string {
  return new URLSearchParams({
    response_type: 'code',
    client_id: app.appId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(state === undefined ? {} : { state }),
  }).toString();
}

const brokenLink =
  'Go back to the application that sent you here, and sign in again. If this page appears again, send its text to the operator of the application.';
const startAgain = 'Go back to the application that sent you here, and sign in again.';

/** Returns the error page. Errors that concern the application are sent to it by a redirect. */
function pageOf(error: unknown, pages: SignInPages): Answer | undefined {
  if (error instanceof AuthorizationError) {
    return error.redirectTo === null
      ? pages.message({
          status: error.status,
          title: 'This link does not work',
          text: error.message,
          next: brokenLink,
        })
      : redirect(error.redirectTo);
  }
  if (!(error instanceof Problem)) return undefined;
  switch (error.status) {
    case 400:
      return pages.message({
        status: 400,
        title: 'This link does not work',
        text: error.message,
        next: brokenLink,
      });
    case 403:
      return pages.message({
        status: 403,
        title: 'Please start again',
        text: error.message,
        next: startAgain,
      });
    case 401:
      return pages.message({
        status: 401,
        title: 'Please start again',
        text: error.message,
        next: startAgain,
        headers: { 'WWW-Authenticate': challenges['login-failed'] },
      });
    default:
      return undefined;
  }
}
