import { findIsolation } from '@ledger-ops/plugin-host';
import type { Log } from '@ledger-ops/runtime';
import type { ServerConfig } from './settings/config.ts';
import { ConfigError } from './settings/config-error.ts';

/**
 * Logs how module processes are isolated, if the configuration allows any; returns warnings for readiness.
 * @throws ConfigError if namespaces are required but unavailable
 */
export async function checkIsolation(
  { plugins: { allowed, trusted }, pluginIsolation }: Pick<ServerConfig, 'plugins' | 'pluginIsolation'>,
  log: Log,
  find: typeof findIsolation = findIsolation,
): Promise<string[]> {
  const ownProcess =
    allowed.modules.length > trusted.packages.length || allowed.folders.length > trusted.folders.length;
  if (!ownProcess && pluginIsolation === 'best') return [];
  const isolation = await find();
  if (isolation.level === 'isolated') {
    const detail =
      'Plugin modules run in separate processes with their own users, process tree, network and files; the server makes their connections.';
    log('info', 'plugins isolated', { detail });
    return [];
  }
  const { why } = isolation;
  if (pluginIsolation === 'required') {
    throw new ConfigError(
      `PLUGIN_ISOLATION is required, but this machine does not allow this user to create namespaces: ${why}. Allow namespaces in the kernel (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns) and, in a container, in its seccomp and AppArmor profiles. Install util-linux.`,
    );
  }
  const detail =
    'Plugin modules in separate processes are restricted only by Node’s permission model. A module that bypasses it can do whatever this server’s user can: end processes, connect anywhere and read files. To prevent the server from starting without namespaces, set PLUGIN_ISOLATION=required.';
  log('warn', 'plugins restricted', { why, detail });
  return [
    'Plugin modules in separate processes are restricted only by Node’s permission model, without namespaces.',
  ];
}
