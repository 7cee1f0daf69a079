import { randomUUID } from 'node:crypto';

const sane = /^[A-Za-z0-9._~:@/+=-]{1,128}$/;

/** Returns the caller's `X-Request-Id` if it is short and plain, else a new one. */
export function requestIdFrom(given: string | undefined): string {
  return given !== undefined && sane.test(given) ? given : randomUUID();
}
