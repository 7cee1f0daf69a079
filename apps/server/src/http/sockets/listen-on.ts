import type { Server } from 'node:http';
import { ConfigError } from '../../settings/config-error.ts';

/**
 * Has a server listen. Answers the port that it took.
 *
 * @param settings names by which whoever configures it knows the two
 * @throws ConfigError when the port is taken or the address is not one of this machine
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
            `${settings.port} ${port} on ${host} is taken by another program; choose another one.`,
          ),
        );
      } else if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        reject(new ConfigError(`${settings.host} ${host} is not an address of this machine.`));
      } else if (code === 'EACCES') {
        reject(
          new ConfigError(`${settings.port} ${port} may not be used by this user; choose one above 1023.`),
        );
      } else {
        reject(error);
      }
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
