import { isIP } from 'node:net';
import { type AppContext, headerOf, incomingOf } from './request-head.ts';

/**
 * Where a request came from: the address of the connection or, behind proxies, the one that the outermost trusted
 * proxy saw. What a client writes into X-Forwarded-For itself stands further left and is not believed.
 *
 * @param proxies how many proxies in front add their client's address
 */
export function sourceOf(context: AppContext, proxies: number): string {
  const connection = incomingOf(context)?.socket.remoteAddress ?? 'unknown';
  if (proxies === 0) return networkOf(connection);
  const seen = (headerOf(context, 'x-forwarded-for') ?? '').split(',').map((part) => part.trim());
  return networkOf(seen.at(-proxies) ?? connection);
}

/** An IPv4 address as it is; of IPv6 the first 64 bits, which one customer has to itself. */
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
