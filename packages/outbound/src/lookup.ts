import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressCheck, OutboundError, withoutBrackets } from './policy.ts';

/** Asks the resolver; replaced in tests. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets: what was checked is what the socket connects to, so that a name cannot answer otherwise in
 * between. One answer that may not be reached refuses them all.
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
 * The addresses of a host, for clients that take no `lookup`: they are to connect to one of these, not to the name.
 * @throws OutboundError, or what the resolver says
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
  return Object.assign(new Error(`${host} has no address.`), { code: 'ENOTFOUND' });
}
