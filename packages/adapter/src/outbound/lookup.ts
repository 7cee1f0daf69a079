import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressCheck, OutboundError, withoutBrackets } from './policy.ts';

/** Queries the resolver. Tests replace it. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a `lookup` for sockets. The socket connects to the checked addresses, so the name cannot resolve to
 * other addresses in between. If one of the addresses is forbidden, the lookup fails.
 */
export function guardedLookup(allows: AddressCheck, resolve: Resolve = lookup): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        callback(error ?? notFound(host), '');
      } else if (!addresses.every(({ address }) => allows(address))) {
        callback(new OutboundError(host), '');
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/**
 * Returns the addresses of a host, for clients without a `lookup` option. They must connect to one of these
 * addresses, not to the name.
 * @throws OutboundError, or the resolver's error
 */
export function guardedAddresses(
  host: string,
  allows: AddressCheck,
  resolve: Resolve = lookup,
): Promise<string[]> {
  const literal = withoutBrackets(host);
  if (isIP(literal) !== 0) {
    return allows(literal) ? Promise.resolve([literal]) : Promise.reject(new OutboundError(host));
  }
  return new Promise((done, fail) => {
    guardedLookup(allows, resolve)(host, { all: true }, (error, addresses) => {
      if (error !== null) fail(error);
      else done(Array.isArray(addresses) ? addresses.map(({ address }) => address) : [addresses]);
    });
  });
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`The host name ${host} has no IP address.`), { code: 'ENOTFOUND' });
}
