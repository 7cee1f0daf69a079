import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isAbsolute, join, relative, resolve } from 'node:path';
import {
  ConfigError,
  configOf,
  readSettings,
  type ServerConfig,
  type SettingsTable,
  settings,
  whole,
} from '@ledger-ops/server';
import { type FileLock, lockFile, StoreError } from '@ledger-ops/store';
import { z } from 'zod';
import type { PluginTarget } from './plugin/target.ts';

const seconds = 'must be a number of seconds from 0.01 to 60';

/** Settings of the development server in addition to the server's. */
export const ownSettings = {
  ANVIL_PORT: {
    schema: whole(0, 65_535, 8545),
    about: 'Port of the Ethereum chain; 0 selects a free port.',
  },
  ANVIL_BLOCK_TIME: {
    // Anvil keeps every block in memory. With one block per second, transactions are fast, and a day of
    // blocks fits into memory.
    schema: z
      .union([z.number(), z.string().min(1).transform(Number)], seconds)
      .refine((value) => value >= 0.01 && value <= 60, seconds)
      .default(1),
    about: 'Seconds between blocks of the Ethereum chain, from 0.01 to 60.',
  },
  SOLANA_PORT: {
    schema: whole(0, 65_535, 8899),
    about: 'Port of the Solana ledger; 0 selects a free port.',
  },
} as const satisfies SettingsTable;

/** A port. If it is in use, a free one replaces it, unless the user set it. */
export interface PortSetting {
  readonly setting: 'PORT' | 'ANVIL_PORT' | 'SOLANA_PORT';
  readonly port: number;
  readonly isGiven: boolean;
}

/** The development server's configuration. */
export interface DevSettings {
  readonly config: ServerConfig;
  readonly dataDir: string;
  readonly ports: Readonly<Record<PortSetting['setting'], PortSetting>>;
  /** Seconds between blocks. */
  readonly blockTime: number;
  /** One line for each setting that is ignored, with the reason. */
  readonly ignored: readonly string[];
}

const loopback = '127.0.0.1';

/** A plugin that is allowed in addition to the plugins in the settings. */
export type AllowedPlugin = Pick<PluginTarget, 'allowed' | 'module' | 'pluginsFolder'>;

/**
 * Reads the settings of the server and of the development server. The server always listens on loopback,
 * regardless of HOST. It may connect to ledgers on loopback, logs fewer warnings, and stores a master key in
 * DATA_DIR unless one is given.
 *
 * @throws ConfigError
 */
export function readDevSettings(
  environment: Record<string, string | undefined>,
  plugin?: AllowedPlugin,
): DevSettings {
  const { values, given, files } = readSettings({ ...settings, ...ownSettings }, environment);
  const dataDir = resolve(values.DATA_DIR);
  if (plugin?.module !== undefined) demandApart(dataDir, plugin.module.folder);
  const config = configOf({
    given,
    files,
    values: {
      ...values,
      HOST: loopback,
      DATA_DIR: dataDir,
      MASTER_KEY: values.MASTER_KEY ?? devMasterKey(dataDir),
      LOG_LEVEL: given.has('LOG_LEVEL') ? values.LOG_LEVEL : 'warn',
      OUTBOUND_OPEN: ['127.0.0.0/8', ...values.OUTBOUND_OPEN],
      PLUGINS_FOLDER: plugin?.pluginsFolder ?? values.PLUGINS_FOLDER,
      PLUGINS_ALLOWED: {
        modules: [...values.PLUGINS_ALLOWED.modules, ...(plugin?.allowed.modules ?? [])],
        folders: [...values.PLUGINS_ALLOWED.folders, ...(plugin?.allowed.folders ?? [])],
        hosts: [...values.PLUGINS_ALLOWED.hosts, ...(plugin?.allowed.hosts ?? [])],
      },
    },
  });
  const ignored =
    values.HOST === loopback
      ? []
      : [
          `HOST ${values.HOST} is ignored: this server prints its credentials, so it listens only on ${loopback}.`,
        ];
  const portOf = <Name extends PortSetting['setting']>(setting: Name) => ({
    ...{ setting, port: values[setting], isGiven: given.has(setting) },
  });
  const ports = {
    PORT: portOf('PORT'),
    ANVIL_PORT: portOf('ANVIL_PORT'),
    SOLANA_PORT: portOf('SOLANA_PORT'),
  };
  return { config, dataDir, ports, blockTime: values.ANVIL_BLOCK_TIME, ignored };
}

/**
 * @throws ConfigError if the plugin's folder contains the server's data. The plugin could read the data, and
 * changes of the data would reload the plugin.
 */
function demandApart(dataDir: string, plugin: string): void {
  const way = relative(plugin, dataDir);
  if (way.startsWith('..') || isAbsolute(way)) return;
  throw new ConfigError(
    `DATA_DIR: ${dataDir} is in the plugin's folder. Start the server in the folder above it, or set DATA_DIR to another folder.`,
  );
}

/** Returns the key of the development database; created at the first start. */
function devMasterKey(dataDir: string): string {
  const path = join(dataDir, 'dev-master.key');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (existsSync(path)) return readFileSync(path, 'utf8').trim();
    const key = randomBytes(32).toString('base64');
    writeFileSync(path, `${key}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
    return key;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
    throw new ConfigError(`DATA_DIR: ${dataDir} cannot be used (${code}).`);
  }
}

/**
 * Returns the port. If another program uses it and the user did not set it, returns a free one, and `show`
 * reports the change.
 *
 * @throws ConfigError if another program uses a port that the user set
 */
export async function freePort(
  { setting, port, isGiven }: PortSetting,
  show: (line: string) => void,
): Promise<number> {
  if (await isFree(port)) return port;
  if (isGiven)
    throw new ConfigError(
      `${setting}: port ${port} is in use by another program. Set ${setting} to another port.`,
    );
  const other = await nextFree(port);
  show(`Port ${port} is in use by another program, so ${setting} is ${other}.`);
  return other;
}

/** Returns the first free port of the next hundred. If there is none, returns 0, which selects any free port. */
async function nextFree(port: number): Promise<number> {
  for (let next = port + 1; next <= Math.min(port + 100, 65_535); next += 1)
    if (await isFree(next)) return next;
  return 0;
}

async function isFree(port: number): Promise<boolean> {
  if (port === 0) return true;
  const probe = createServer();
  return await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, loopback, () => probe.close(() => resolve(true)));
  });
}

/**
 * Locks DATA_DIR, because two development servers on the same ledgers would destroy them. The operating
 * system releases the lock when the process ends.
 *
 * @throws ConfigError if another process holds it
 */
export function lockDataDir(dataDir: string): FileLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    return lockFile(join(dataDir, 'dev'));
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'locked')) throw error;
    throw new ConfigError(
      `DATA_DIR: another development server uses ${dataDir}. Use that server, stop it, or set DATA_DIR to another folder.`,
    );
  }
}
