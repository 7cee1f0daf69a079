import { isIP } from 'node:net';
import type { OutboundPolicy } from '@ledger-ops/adapter';
import ipaddr from 'ipaddr.js';

/** An address is not public, and the deployer has not opened it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code = 'EOUTBOUND';

  constructor(host: string) {
    super(
      `${host} is at an address that is not public and that the deployer of this server has not opened to it.`,
    );
  }
}

/** Whether a connection failed for the policy, in this process or in the one that makes a module's connections. */
export function isNotOpened(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EOUTBOUND';
}

/** Tells whether a connection may go to an address (RFC 6890: globally reachable, or opened). */
export type AddressCheck = (address: string) => boolean;

type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number];

/** IPv4 in the last four bytes, out of use since RFC 4291; stacks may still route it. */
const ipv4Compatible: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('::'), 96];

/** @throws TypeError naming the entry that is no address and no network */
export function createAddressCheck({ open }: OutboundPolicy): AddressCheck {
  const networks = open.map(readNetwork);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4 address in IPv6 clothes is judged as what it is.
    const address = ipaddr.process(text);
    if (networks.some((network) => isWithin(address, network))) return true;
    if (address instanceof ipaddr.IPv6 && address.match(ipv4Compatible)) return false;
    return address.range() === 'unicast';
  };
}

/** Whether a host, as it stands in an address, is this machine: what is sent there crosses no network. */
export function isLoopback(host: string): boolean {
  const literal = withoutBrackets(host);
  // Not its short and octal forms: not everybody reads them alike.
  if (isIP(literal) === 0) return literal.toLowerCase() === 'localhost';
  return ipaddr.process(literal).range() === 'loopback';
}

/** `[::1]` in URLs is `::1` to a socket. */
export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function readNetwork(text: string): Network {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw new TypeError(`"${text}" is no address and no network; write 127.0.0.1, 10.0.0.0/8 or fd00::/8.`);
  }
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, prefix]: Network): boolean {
  if (address instanceof ipaddr.IPv4 && network instanceof ipaddr.IPv4) return address.match(network, prefix);
  if (address instanceof ipaddr.IPv6 && network instanceof ipaddr.IPv6) return address.match(network, prefix);
  return false;
}
