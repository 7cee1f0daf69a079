import type { Secret } from '@ledger-ops/base';
import { isLoopback } from '../authorize/loopback.ts';

export const sessionCookieName = 'SERVICESESSIONID';

/** Writes `Set-Cookie` values of the session cookie. */
export interface SessionCookie {
  set(session: Secret): string;
  end(): string;
}

/**
 * `HttpOnly; SameSite=Lax`, and `Secure` except for a development server on plain HTTP and loopback.
 *
 * @param maxAge seconds
 */
export function createSessionCookie(baseUrl: string, maxAge: number): SessionCookie {
  const { protocol, hostname } = new URL(baseUrl);
  const plain = protocol === 'http:' && isLoopback(hostname);
  const cookie = (value: string, age: number) =>
    `${sessionCookieName}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${plain ? '' : '; Secure'}`;
  return { set: (session) => cookie(session.reveal(), maxAge), end: () => cookie('', 0) };
}
