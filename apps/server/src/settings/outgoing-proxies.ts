import { ConfigError } from './config-error.ts';

/** Variables that make most programs use a proxy for outgoing connections, in upper or lower case. */
const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'];

/**
 * Refuses to start if a proxy for outgoing connections is configured. The server connects directly, because
 * it checks the addresses itself. If it ignored the proxy silently, nodes could be unreachable, or the
 * proxy's filter would be bypassed.
 * @throws ConfigError if a proxy is set, unless `NO_PROXY=*` says that no connection uses it. The message
 * omits the proxy's value, which may contain a password.
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
