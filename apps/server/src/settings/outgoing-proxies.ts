import { ConfigError } from './config-error.ts';

/** Variables with which other programs are told to use a proxy for outgoing connections; also in lower case. */
const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

/**
 * Outgoing connections are direct, because the addresses are checked here. A proxy that is configured and not used would show
 * only as nodes that cannot be reached, or as connections that were meant to be filtered.
 *
 * @throws ConfigError if a proxy is set, unless `NO_PROXY=*` says that no connection uses it; without its value, which may contain a
 * password
 */
export function refuseOutgoingProxies(environment: Readonly<Record<string, string | undefined>>): void {
  const value = (name: string) => environment[name] || environment[name.toLowerCase()];
  if (value('NO_PROXY')?.trim() === '*') return;
  const name = variables.flatMap((one) => [one, one.toLowerCase()]).find((one) => environment[one]);
  if (name === undefined) return;
  throw new ConfigError(
    `${name} is set, but this service connects to ledger nodes, webhook receivers and mail servers directly. Remove it, or set NO_PROXY=* if direct connections are intended.`,
  );
}
