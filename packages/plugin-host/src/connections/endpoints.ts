import { isIP } from 'node:net';
import type { Json, LedgerConfig } from '@ledger-ops/adapter';
import { type AddressCheck, createAddressCheck, withoutBrackets } from '@ledger-ops/adapter/outbound';

/** A destination that a ledger's configuration names. */
export interface Endpoint {
  /** Lower-case name, or address without brackets. */
  host: string;
  port: number;
}

/** Default ports by scheme. gRPC libraries use 443, with and without TLS. */
const ports: Readonly<Record<string, number>> = {
  ...{ 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 },
  ...{ 'grpc:': 443, 'grpcs:': 443 },
};

/** Destinations that a ledger's adapter may need: its nodes, and every property that is a URL. */
export function endpointsOf({ nodes, properties }: LedgerConfig): Endpoint[] {
  const texts = [properties, ...nodes.map((node) => node.properties ?? {})].flatMap(textsOf);
  return [...nodes.map(({ uri }) => uri), ...texts].flatMap(endpointOf);
}

function textsOf(value: Json | Readonly<Record<string, Json>>): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function endpointOf(text: string): Endpoint[] {
  if (text.length > 2_048) return [];
  const bare = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i.test(text);
  const url = bare ? URL.parse(`tcp://${text}`) : URL.parse(text);
  if (url === null || url.hostname === '') return [];
  const port = url.port === '' ? ports[url.protocol] : Number(url.port);
  return port === undefined ? [] : [{ host: plainHost(url.hostname), port }];
}

/** Returns the normalized form in which hosts are compared. */
export function plainHost(host: string): string {
  const bare = withoutBrackets(host).toLowerCase();
  if (isIP(bare) !== 6) return bare.replace(/\.$/, '');
  return withoutBrackets(URL.parse(`http://[${bare}]`)?.hostname ?? bare);
}

/** The endpoints of the ledgers that are open in a child, with the address check of each ledger's policy. */
export interface Endpoints {
  /** @throws TypeError for a policy with invalid entries */
  add(session: number, ledger: LedgerConfig): void;
  remove(session: number): void;
  /** Returns which addresses of a destination are allowed; undefined if no ledger names it. */
  check(host: string, port: number): AddressCheck | undefined;
  knows(host: string): boolean;
  /** Records that a known host resolved to an address. */
  learn(host: string, address: string): void;
}

export function createEndpoints(): Endpoints {
  const sessions = new Map<number, { endpoints: Endpoint[]; allows: AddressCheck }>();
  /** Hosts by the addresses they resolved to. */
  const answered = new Map<string, Set<string>>();
  const all = () => [...sessions.values()];
  const knows = (host: string) =>
    all().some(({ endpoints }) => endpoints.some((endpoint) => endpoint.host === host));

  return {
    add(session, ledger) {
      const allows = ledger.outbound === undefined ? () => true : createAddressCheck(ledger.outbound);
      sessions.set(session, { endpoints: endpointsOf(ledger), allows });
    },
    remove(session) {
      sessions.delete(session);
      for (const [address, hosts] of answered) {
        for (const host of hosts) if (!knows(host)) hosts.delete(host);
        if (hosts.size === 0) answered.delete(address);
      }
    },
    check(wanted, port) {
      const host = plainHost(wanted);
      const names = new Set([host, ...(answered.get(host) ?? [])]);
      const checks = all().flatMap(({ endpoints, allows }) =>
        endpoints.some((endpoint) => endpoint.port === port && names.has(endpoint.host)) ? [allows] : [],
      );
      return checks.length === 0 ? undefined : (address) => checks.some((allows) => allows(address));
    },
    knows: (host) => knows(plainHost(host)),
    learn(host, address) {
      const hosts = answered.get(plainHost(address)) ?? new Set();
      answered.set(plainHost(address), hosts.add(plainHost(host)));
    },
  };
}
