import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { readConfig, type ServerConfig, settings } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { takeFromEnvironment } from '../secret-settings.ts';

/** What the development server is started with. */
export interface DevSettings {
  readonly config: ServerConfig;
  readonly dataDir: string;
  readonly anvilPort: number;
  /** Seconds between blocks. */
  readonly blockTime: number;
}

/** Settings that the development server decides itself, and would be ignored. */
const decided = [
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'MASTER_KEY',
  'MASTER_KEY_FILE',
  'CONFIG_FILE',
] as const;

/**
 * Reads the settings of the development server: ANVIL_PORT, ANVIL_BLOCK_TIME, and those of the server. It listens on
 * loopback only, whatever HOST says (shells set that for themselves), on SQLite, with a master key of its own in DATA_DIR.
 *
 * @throws ConfigError
 */
export function readDevSettings(environment: Record<string, string | undefined>): DevSettings {
  const { ANVIL_PORT, ANVIL_BLOCK_TIME, DATA_DIR, OUTBOUND_OPEN, LOG_LEVEL } = environment;
  const ignored = decided.find((name) => environment[name] !== undefined && environment[name] !== '');
  if (ignored !== undefined) {
    throw new ConfigError(
      `${ignored} cannot be given to npm start, which keeps SQLite and a key of its own in DATA_DIR; unset it, or start the server itself (apps/server/README.md).`,
    );
  }
  const dataDir = resolve(DATA_DIR === undefined || DATA_DIR === '' ? 'data' : DATA_DIR);
  const given = Object.fromEntries(Object.keys(settings).map((name) => [name, environment[name]]));
  const config = readConfig({
    ...given,
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    MASTER_KEY: devMasterKey(dataDir),
    OUTBOUND_OPEN: ['127.0.0.0/8', OUTBOUND_OPEN ?? ''].join(','),
    LOG_LEVEL: LOG_LEVEL === undefined || LOG_LEVEL === '' ? 'warn' : LOG_LEVEL,
  });
  // What was read of them is in the configuration: nothing started later is to inherit them.
  takeFromEnvironment(environment);
  const port = ANVIL_PORT === undefined || ANVIL_PORT === '' ? '8545' : ANVIL_PORT;
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new ConfigError('ANVIL_PORT must be a whole number from 0 to 65535.');
  }
  // The chain keeps every block: one a second is quick enough for a person, and small enough for a day.
  const blockTime = ANVIL_BLOCK_TIME === undefined || ANVIL_BLOCK_TIME === '' ? 1 : Number(ANVIL_BLOCK_TIME);
  if (!(blockTime >= 0.01 && blockTime <= 60)) {
    throw new ConfigError('ANVIL_BLOCK_TIME must be a number of seconds from 0.01 to 60.');
  }
  return { config, dataDir, anvilPort: Number(port), blockTime };
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
    probe.listen(port, '127.0.0.1', () => probe.close(() => done()));
  });
}
