import { resolve } from 'node:path';
import { z } from '@hono/zod-openapi';
import { ConfigError } from './config-error.ts';
import { readText } from './read-text.ts';
import type { SettingsTable } from './setting.ts';

/** Parsed values of a table's settings. */
export type Values<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['schema']>;
};

/** Parsed settings and their origins. */
export interface ReadSettings<Table extends SettingsTable> {
  readonly values: Values<Table>;
  /** Sources of the given settings, by name: `environment`, `CONFIG_FILE`, `MASTER_KEY_FILE` … */
  readonly given: ReadonlyMap<string, string>;
  /** Absolute paths of the files that were read, by setting. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
}

type Environment = Record<string, string | undefined>;

const inEnvironment = 'environment';

/**
 * Reads the settings of a table from the environment, then from the JSON file named by `CONFIG_FILE`. Secrets
 * may also be in the files named by their `…_FILE` settings. Removes secrets from the given environment. An
 * empty variable counts as absent, or is refused if the setting has `refusesEmpty`.
 * @throws ConfigError that names the first invalid value
 */
export function readSettings<const Table extends SettingsTable>(
  table: Table,
  environment: Environment,
): ReadSettings<Table> {
  const raw = new Map<string, unknown>();
  const given = new Map<string, string>();
  const files: { name: string; path: string }[] = [];
  const readFile = (name: string, path: string) => {
    files.push({ name, path: resolve(path) });
    return readText(name, path);
  };
  refuseEmpty(table, environment);
  const { CONFIG_FILE: configFile } = environment;
  const file = isGiven(configFile) ? parseFile(table, readFile('CONFIG_FILE', configFile), configFile) : {};
  for (const name of namesOf(table)) {
    const value = environment[name];
    if (isGiven(value)) given.set(name, inEnvironment);
    else if (file[name] !== undefined) given.set(name, 'CONFIG_FILE');
    raw.set(name, isGiven(value) ? value : file[name]);
  }
  for (const name of secretNames(table)) delete environment[name];
  for (const name of secretNames(table)) {
    const setting = fileSetting(name);
    const path = raw.get(setting);
    if (path === undefined) continue;
    if (typeof path !== 'string' || path === '')
      throw new ConfigError(`${setting} must be the path of a file.`);
    if (raw.get(name) !== undefined)
      throw new ConfigError(`${name} and ${setting} are both set. Set only one.`);
    raw.set(name, readFile(setting, path).trim());
    given.set(name, setting);
  }
  const values = Object.entries(table).map(([name, { schema }]) => {
    const result = schema.safeParse(raw.get(name));
    if (result.success) return [name, result.data];
    const source = given.get(name) ?? inEnvironment;
    const from = source === inEnvironment ? '' : ` (from ${source})`;
    throw new ConfigError(`${name}${from} ${result.error.issues[0]?.message ?? 'is wrong'}.`);
  });
  // `Object.fromEntries` loses the types; each value is the output of its schema.
  return { values: Object.fromEntries(values) as Values<Table>, given, files };
}

/** Returns all names that the environment may contain, including `…_FILE` names of secrets. */
export function namesOf(table: SettingsTable): string[] {
  return [...Object.keys(table), ...secretNames(table).map(fileSetting)];
}

/** Settings that contain a secret or a URL with one. */
export function secretNames(table: SettingsTable): string[] {
  return Object.entries(table).flatMap(([name, { secret }]) => (secret === true ? [name] : []));
}

/** Returns the name of the setting for a secret's file. */
export function fileSetting(name: string): string {
  return `${name}_FILE`;
}

/**
 * Returns the names of secrets that were set as environment variables, which other processes of the user can
 * read in /proc.
 */
export function secretsInEnvironment(table: SettingsTable, given: ReadonlyMap<string, string>): string[] {
  return secretNames(table).filter((name) => given.get(name) === inEnvironment);
}

/** @throws ConfigError if a variable with `refusesEmpty` is empty */
function refuseEmpty(table: SettingsTable, environment: Environment): void {
  for (const [setting, { refusesEmpty, secret }] of Object.entries(table)) {
    if (refusesEmpty === undefined) continue;
    const name = [setting, ...(secret === true ? [fileSetting(setting)] : [])].find(
      (one) => environment[one] === '',
    );
    if (name === undefined) continue;
    throw new ConfigError(`${name} is set, but empty. Give it a value, or remove it ${refusesEmpty}.`);
  }
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function parseFile(table: SettingsTable, content: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new ConfigError(`CONFIG_FILE: ${path} is not valid JSON.`);
  }
  const { success, data } = z.record(z.string(), z.unknown()).safeParse(value);
  if (!success) throw new ConfigError(`CONFIG_FILE: ${path} must contain a JSON object of settings.`);
  const known = namesOf(table).filter((name) => table[name]?.environmentOnly !== true);
  const unknown = Object.keys(data).find((name) => !known.includes(name));
  if (unknown === undefined) return data;
  throw new ConfigError(
    `CONFIG_FILE: ${unknown} is not allowed in the file. Allowed settings: ${known.join(', ')}.`,
  );
}
