import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { OutboundPolicy } from '../contract/definition.ts';

/** An address is not public, and the deployer has not allowed it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code = 'EOUTBOUND';

  constructor(host: string) {
    super(`${host} has a private address that the deployer of this server has not allowed.`);
  }
}

/**
 * Whether the outbound policy refused a connection, in this process or in the process that opens connections
 * for a module.
 */
export function isNotOpened(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EOUTBOUND';
}

/** Whether connections to an address are allowed (RFC 6890: globally reachable, or in the policy). */
export type AddressCheck = (address: string) => boolean;

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number];

/** Prefix of IPv4-compatible addresses, deprecated by RFC 4291, which some stacks still route. */
const ipv4Compatible: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('::'), 96];

/** @throws TypeError that names an entry that is neither an address nor a network */
export function createAddressCheck({ open }: OutboundPolicy): AddressCheck {
  const networks = open.map(readNetwork);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4-mapped IPv6 address is checked as IPv4.
    const address = ipaddr.process(text);
    if (networks.some((network) => isWithin(address, network))) return true;
    if (address instanceof ipaddr.IPv6 && address.match(ipv4Compatible)) return false;
    return address.range() === 'unicast';
  };
}

/** Whether a host is this machine, so that data sent there crosses no network. */
export function isLoopback(host: string): boolean {
  const literal = withoutBrackets(host);
  // Rejects short and octal forms, because programs interpret them differently.
  if (isIP(literal) === 0) return literal.toLowerCase() === 'localhost';
  return ipaddr.process(literal).range() === 'loopback';
}

/** `[::1]` in URLs is `::1` for a socket. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function readNetwork(text: string): Network {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw new TypeError(
      `"${text}" is neither an IP address nor a network. Use the form 127.0.0.1, 10.0.0.0/8 or fd00::/8.`,
    );
  }
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, prefix]: Network): boolean {
  if (address instanceof ipaddr.IPv4 && network instanceof ipaddr.IPv4) return address.match(network, prefix);
  if (address instanceof ipaddr.IPv6 && network instanceof ipaddr.IPv6) return address.match(network, prefix);
  return false;
}
