import type { OriginHeaders } from '../login/types.ts';

/**
 * Whether a request that changes something came from a page of an allowed origin, or from no page at all.
 * `Origin` decides where it is sent; a sandboxed page's `null` is nobody's. `Sec-Fetch-Site: none` is the user
 * itself. Clients that are no browsers send neither, and carry no cookie that they do not know of.
 *
 * @param allowed origins, as browsers write them
 */
export function isOwnOrigin({ origin, secFetchSite }: OriginHeaders, allowed: readonly string[]): boolean {
  if (origin !== undefined) return allowed.includes(origin);
  return secFetchSite === undefined || secFetchSite === 'same-origin' || secFetchSite === 'none';
}
