import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { elementFromRight, forwardedFor } from './forwarded.ts';
import { type AppContext, headerOf, incomingOf } from './request-head.ts';

/** Headers in which proxies report the address of their client. */
export const proxyHeaders = ['X-Forwarded-For', 'Forwarded'] as const;

/** The proxies in front of the server. */
export interface TrustedProxies {
  /** Number of proxies, each of which appends its client's address to the header. */
  readonly count: number;
  /** The only header that is read. If the proxies do not set this header, clients can forge it. */
  readonly header: (typeof proxyHeaders)[number];
}

export const noProxies: TrustedProxies = { count: 0, header: 'X-Forwarded-For' };

/** Maximum number of characters of a header that a warning shows. */
const shown = 100;

/**
 * Sources of requests: the address of the connection or, behind proxies, the client address that the outermost trusted proxy
 * appended to the header. Entries further left come from the client and are ignored.
 *
 * Remembers whether an entry without an address was reported, so that it warns only once.
 */
export class RequestSources {
  readonly #proxies: TrustedProxies;
  readonly #warn: (detail: string) => void;
  #hasWarned = false;

  /**
   * @param warn called once, for the first entry that is not an address; all such clients are then counted as
   * one
   */
  constructor(proxies: TrustedProxies, warn: (detail: string) => void) {
    this.#proxies = proxies;
    this.#warn = warn;
  }

  of(context: AppContext): string {
    const connection = networkOf(incomingOf(context)?.socket.remoteAddress ?? '');
    const { count, header } = this.#proxies;
    if (count === 0) return connection;
    const entry = elementFromRight(headerOf(context, header.toLowerCase()) ?? '', count);
    // The request did not pass through all proxies, so none of its entries can be trusted.
    if (entry === undefined) return connection;
    const source = networkOf(addressOf(header === 'Forwarded' ? forwardedFor(entry) : entry));
    if (source === unknown) this.#report(entry);
    return source;
  }

  #report(entry: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { count, header } = this.#proxies;
    this.#warn(
      `The entry for the client in the header ${header}, number ${count} from the right, is not an address: ${JSON.stringify(entry.slice(0, shown))}. All such clients are counted as one for failed logins. Check TRUSTED_PROXIES, TRUSTED_PROXY_HEADER and the settings of the proxy.`,
    );
  }
}

/** Removes the port and the brackets that proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`, `[2001:db8::1]:_hidden`. */
function addressOf(entry: string): string {
  const [, bracketed, bare] =
    /^(?:\[([^[\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(entry) ?? [];
  return bracketed ?? bare ?? entry;
}

const unknown = 'unknown';

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address, which usually belong to one customer. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return unknown;
  // Canonical form: lower case, no leading zeros, and always compressed in the same way.
  const canonical = new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1];
  if (mapped !== undefined) return mapped;
  // An IPv4 address behind a translator (RFC 6052).
  const [, high = '0', low] = /^64:ff9b::(?:([\da-f]+):)?([\da-f]+)$/.exec(canonical) ?? [];
  if (low !== undefined) return ipv4Of(Number.parseInt(high, 16), Number.parseInt(low, 16));
  const [head = '', tail] = canonical.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
