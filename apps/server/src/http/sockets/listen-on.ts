import type { Server } from 'node:http';
import { connect } from 'node:net';
import { ConfigError } from '../../settings/config-error.ts';

/**
 * Starts listening and returns the port.
 *
 * @param settings names of the settings for host and port, for error messages
 * @throws ConfigError if the port is in use or the address is not one of this machine
 */
export async function listenOn(
  server: Server,
  settings: { readonly host: string; readonly port: string },
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const code = 'code' in error ? error.code : undefined;
      if (code === 'EADDRINUSE') {
        reject(portInUse(settings.port, port, host));
      } else if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        reject(
          new ConfigError(
            `${settings.host} ${host} is not an address of this machine. Use one of its addresses, or 0.0.0.0 for all.`,
          ),
        );
      } else if (code === 'EACCES') {
        reject(new ConfigError(`This user may not use ${settings.port} ${port}. Choose a port above 1023.`));
      } else {
        reject(error);
      }
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** How long to wait for a response on a port that another program may use, in milliseconds. */
const probePatience = 1_000;

/**
 * Checks that nothing listens on a port. Does not listen on it, because a proxy would immediately send requests.
 *
 * @throws ConfigError if another program does. Other faults are found by `listenOn`.
 */
export async function demandUnusedPort(setting: string, host: string, port: number): Promise<void> {
  const isUsed = await new Promise<boolean>((resolve) => {
    const probe = connect({ host: anyAddress.get(host) ?? host, port, timeout: probePatience });
    const answer = (isTaken: boolean) => () => {
      probe.destroy();
      resolve(isTaken);
    };
    probe.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false));
  });
  if (isUsed) throw portInUse(setting, port, host);
}

/** Addresses that mean all addresses of this machine, each with a loopback address to connect to. */
const anyAddress: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

function portInUse(setting: string, port: number, host: string): ConfigError {
  return new ConfigError(
    `${setting} ${port} on ${host} is used by another program. Set ${setting} to another port, or stop that program.`,
  );
}
