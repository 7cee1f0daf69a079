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
import { z } from 'zod';
import type { PluginTarget } from './plugin/target.ts';

const seconds = 'must be a number of seconds from 0.01 to 60';

/** Settings of the development server beside those of the server. */
export const ownSettings = {
  ANVIL_PORT: {
    schema: whole(0, 65_535, 8545),
    about: 'Port of the Ethereum chain; 0 takes a free one.',
  },
  ANVIL_BLOCK_TIME: {
    // The chain keeps every block: one a second is quick enough for a person, and small enough for a day.
    schema: z
      .union([z.number(), z.string().min(1).transform(Number)], seconds)
      .refine((value) => value >= 0.01 && value <= 60, seconds)
      .default(1),
    about: 'Seconds between blocks of the Ethereum chain, from 0.01 to 60.',
  },
  SOLANA_PORT: {
    schema: whole(0, 65_535, 8899),
    about: 'Port of the Solana ledger; 0 takes a free one.',
  },
} as const satisfies SettingsTable;

/** The development server's configuration. */
export interface DevSettings {
  readonly config: ServerConfig;
  readonly dataDir: string;
  readonly anvilPort: number;
  /** Seconds between blocks. */
  readonly blockTime: number;
  readonly solanaPort: number;
  /** Lines about settings that were given and do not hold, each with the reason. */
  readonly ignored: readonly string[];
}

const loopback = '127.0.0.1';

/** A plugin that is allowed beside what the settings allow. */
export type AllowedPlugin = Pick<PluginTarget, 'allowed' | 'module' | 'pluginsFolder'>;

/**
 * Reads the settings of the server and of the development server. It listens on loopback whatever HOST says, reaches
 * ledgers on loopback, warns less, and has a master key of its own in DATA_DIR unless one is given.
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
          `HOST ${values.HOST} is ignored: this server prints its credentials, so it listens on ${loopback} alone.`,
        ];
  const { ANVIL_PORT: anvilPort, ANVIL_BLOCK_TIME: blockTime, SOLANA_PORT: solanaPort } = values;
  return { config, dataDir, anvilPort, blockTime, solanaPort, ignored };
}

/** @throws ConfigError where the plugin could read what the server keeps, and would be loaded anew by each change of it */
function demandApart(dataDir: string, plugin: string): void {
  const way = relative(plugin, dataDir);
  if (way.startsWith('..') || isAbsolute(way)) return;
  throw new ConfigError(
    `DATA_DIR: ${dataDir} lies in the plugin's folder. Start the server in the folder above it, or set DATA_DIR to another place.`,
  );
}

/** The key of the development database; made at the first start. */
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

/** @throws ConfigError when another program has the port. */
export async function demandFreePort(setting: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((done, reject) => {
    probe.once('error', () => {
      reject(
        new ConfigError(`${setting} ${port} is taken by another program; set ${setting} to another one.`),
      );
    });
    probe.listen(port, loopback, () => probe.close(() => done()));
  });
}
