import type { Server } from 'node:http';
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
        reject(
          new ConfigError(
            `${settings.port} ${port} on ${host} is used by another program. Set ${settings.port} to another port, or stop that program.`,
          ),
        );
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
