import { type Auth, type OriginHeaders, sessionCookieName } from '@ledger-ops/auth';
import { Secret } from '@ledger-ops/base';
import { cookieOf } from '../../http/request/cookies.ts';

/** Reads a header of the request; `name` in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** Returns the value of the session cookie; undefined if absent. */
export function sessionIn(header: HeaderReader): Secret | undefined {
  const value = cookieOf(header('cookie'), sessionCookieName);
  return value === undefined ? undefined : new Secret(value);
}

/** Returns the headers in which a browser sends the origin of the page that makes the request. */
export function originIn(header: HeaderReader): OriginHeaders {
  return { origin: header('origin'), secFetchSite: header('sec-fetch-site') };
}

/** Name of the cookie that binds the login form to its browser. */
export const loginCookieName = 'SERVICELOGINID';

/** `Set-Cookie` value for the login cookie; secure if the session cookie is. */
export function loginCookie(auth: Pick<Auth, 'endedSessionCookie'>, value: Secret): string {
  const secure = auth.endedSessionCookie().includes('; Secure') ? '; Secure' : '';
  return `${loginCookieName}=${value.reveal()}; Path=/v1/auth; Max-Age=7200; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the value of the login cookie. */
export function loginIn(header: HeaderReader): Secret | undefined {
  const value = cookieOf(header('cookie'), loginCookieName);
  return value === undefined ? undefined : new Secret(value);
}
