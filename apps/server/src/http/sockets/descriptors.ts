import { readFileSync } from 'node:fs';
import { ConfigError } from '../../settings/config-error.ts';
import type { TrustedProxies } from '../request/source.ts';
import type { ConnectionBounds } from './connections.ts';

/** File descriptors reserved for ledger nodes, databases, plugins, webhooks and files. */
const mostReserved = 1_024;
const defaults = { total: 4_096, perAddress: 512 };

export interface ConnectionSettings {
  readonly maxConnections: number | undefined;
  readonly maxConnectionsPerAddress: number | undefined;
  readonly trustedProxies: Pick<TrustedProxies, 'count'>;
}

/**
 * Limits inbound connections so that file descriptors remain for outbound ones. Behind proxies, all
 * connections come from the proxies' addresses, so there is no limit per address unless one is configured.
 * @param limit maximum number of file descriptors that this process may open
 * @throws ConfigError if `MAX_CONNECTIONS` leaves too few descriptors
 */
export function connectionBounds(
  { maxConnections, maxConnectionsPerAddress, trustedProxies }: ConnectionSettings,
  limit: number,
): ConnectionBounds {
  const most = limit - Math.min(mostReserved, Math.floor(limit / 2));
  if (maxConnections !== undefined && maxConnections > most) {
    throw new ConfigError(
      `MAX_CONNECTIONS ${maxConnections} leaves too few file descriptors for ledger nodes and databases. This process may open ${limit}, so at most ${most} connections are possible. Raise the limit (ulimit -n), or lower MAX_CONNECTIONS.`,
    );
  }
  return {
    total: maxConnections ?? Math.min(defaults.total, most),
    perAddress: maxConnectionsPerAddress ?? (trustedProxies.count > 0 ? undefined : defaults.perAddress),
  };
}

/**
 * Returns the maximum number of file descriptors that this process may open. Node raises the soft limit to the hard
 * limit at startup.
 */
export function descriptorLimit(): number {
  const line = /^Max open files +(\d+|unlimited)/m.exec(readLimits());
  // Systems without /proc, such as macOS, allow at least this many file descriptors.
  if (line === null) return 10_240;
  return line[1] === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(line[1]);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
