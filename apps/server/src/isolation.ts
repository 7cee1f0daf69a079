import { findIsolation } from '@ledger-ops/plugin-host';
import type { Log } from '@ledger-ops/runtime';
import type { ServerConfig } from './settings/config.ts';
import { ConfigError } from './settings/config-error.ts';

/**
 * Says in the log what shuts off the modules that run in processes of their own, where the configuration allows any;
 * returns the warnings of it for readiness.
 *
 * @throws ConfigError when namespaces are required and cannot be had
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
      'Modules in processes of their own have users, processes, network and files of their own; their connections are made here.';
    log('info', 'plugins isolated', { detail });
    return [];
  }
  const { why } = isolation;
  if (pluginIsolation === 'required') {
    throw new ConfigError(
      `PLUGIN_ISOLATION is required, and this machine offers no namespaces to this user: ${why}. The kernel must allow them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), in a container its seccomp and AppArmor profiles too, and util-linux must be installed.`,
    );
  }
  const detail =
    'Modules in processes of their own are held by Node’s permission model alone. One that gets around it can do what this server’s user can: end processes, connect anywhere, read files. PLUGIN_ISOLATION=required refuses to start like this.';
  log('warn', 'plugins restricted', { why, detail });
  return ['Plugins in processes of their own are held by Node’s permission model alone, without namespaces.'];
}
