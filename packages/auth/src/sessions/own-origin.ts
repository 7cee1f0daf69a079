import type { OriginHeaders } from '../login/types.ts';

/**
 * Whether a request that changes something came from a page of an allowed origin, or from no page at all. If
 * `Origin` is present, it decides; the `null` of a sandboxed page is never allowed. `Sec-Fetch-Site: none`
 * means that the user initiated the request. Clients other than browsers send neither header, and only
 * cookies that they set themselves.
 *
 * @param allowed origins, as serialized by browsers
 */
export function isOwnOrigin({ origin, secFetchSite }: OriginHeaders, allowed: readonly string[]): boolean {
  if (origin !== undefined) return allowed.includes(origin);
  return secFetchSite === undefined || secFetchSite === 'same-origin' || secFetchSite === 'none';
}
