import { isIP } from 'node:net';
import { type AppContext, headerOf, incomingOf } from './request-head.ts';

/**
 * The source of a request: the address of the connection or, behind proxies, the client address that the outermost
 * trusted proxy appended to X-Forwarded-For. Entries further left come from the client and are ignored.
 *
 * @param proxies number of proxies in front of the server that append their client's address
 */
export function sourceOf(context: AppContext, proxies: number): string {
  const connection = incomingOf(context)?.socket.remoteAddress ?? 'unknown';
  if (proxies === 0) return networkOf(connection);
  const seen = (headerOf(context, 'x-forwarded-for') ?? '').split(',').map((part) => part.trim());
  return networkOf(seen.at(-proxies) ?? connection);
}

/** An IPv4 address, or the first 64 bits of an IPv6 address, which usually belong to one customer. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  switch (isIP(address)) {
    case 4:
      return address;
    case 6: {
      const [bare = ''] = address.split('%');
      const [head = '', tail] = bare.split('::');
      const left = head === '' ? [] : head.split(':');
      const right = tail === undefined || tail === '' ? [] : tail.split(':');
      const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
      const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
      return `${groups
        .slice(0, 4)
        .map((group) => Number.parseInt(group, 16).toString(16))
        .join(':')}::/64`;
    }
    default:
      return 'unknown';
  }
}
