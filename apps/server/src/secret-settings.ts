import { z } from '@hono/zod-openapi';
import { ConfigError } from './config-error.ts';
import { readText } from './config-text.ts';

/** One setting: its schema, and what the documentation says. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly default: string;
  readonly about: string;
}

/** Settings that hold a secret, or a URL with one. */
const secrets = [
  'MASTER_KEY',
  'DATABASE_URL',
  'ADMINISTRATOR_APPLICATION_TOKEN',
  'ADMINISTRATOR_API_TOKEN',
  'SMTP_URL',
] as const;

const inFile = (what: string): Setting => ({
  schema: z.string().min(1, 'must not be empty').optional(),
  default: 'none',
  about: `File that holds ${what} instead.`,
});

/** Each of them may stand in a file: of systemd's credentials, or of secrets that are mounted into a container. */
export const secretFileSettings = {
  MASTER_KEY_FILE: inFile('`MASTER_KEY`, outside of `DATA_DIR`,'),
  DATABASE_URL_FILE: inFile('`DATABASE_URL`'),
  ADMINISTRATOR_APPLICATION_TOKEN_FILE: inFile('`ADMINISTRATOR_APPLICATION_TOKEN`'),
  ADMINISTRATOR_API_TOKEN_FILE: inFile('`ADMINISTRATOR_API_TOKEN`'),
  SMTP_URL_FILE: inFile('`SMTP_URL`'),
} satisfies Record<`${(typeof secrets)[number]}_FILE`, Setting>;

/** Name of a setting that names a secret's file. */
export type SecretFileName = keyof typeof secretFileSettings;

export const secretFileNames = secrets.map((name): SecretFileName => `${name}_FILE`);

/** Schema of the master key as text. */
export const masterKeyForm = z
  .string()
  .refine(
    (value) => decodeKey(value) !== undefined,
    'must be 32 bytes, as 64 hexadecimal digits or base64 (make one with: openssl rand -base64 32)',
  );

/** The key of a text of that form. @throws ConfigError when there is none */
export function masterKeyOf(text: string | undefined): Uint8Array {
  const key = text === undefined ? undefined : decodeKey(text);
  if (key !== undefined) return key;
  throw new ConfigError(
    'MASTER_KEY is required, best as MASTER_KEY_FILE (make a key with: openssl rand -base64 32).',
  );
}

function decodeKey(text: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.from(Buffer.from(text, 'hex'));
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return bytes.length === 32 ? bytes : undefined;
}

/** Removes the secrets, so that nothing started later inherits them. Returns which there were. */
export function takeFromEnvironment(environment: Record<string, string | undefined>): string[] {
  const given = secrets.filter((name) => environment[name] !== undefined && environment[name] !== '');
  for (const name of secrets) delete environment[name];
  return given;
}

/** The settings with what stands in the files of secrets. @throws ConfigError */
export function readSecretFiles(given: Readonly<Record<string, unknown>>): {
  values: Record<string, unknown>;
  /** Secrets that came from files. */
  fromFiles: ReadonlySet<string>;
} {
  const values = { ...given };
  const fromFiles = new Set<string>();
  for (const name of secrets) {
    const setting = `${name}_FILE` as const;
    const path = secretFileSettings[setting].schema.safeParse(
      given[setting] === '' ? undefined : given[setting],
    );
    if (!path.success) throw new ConfigError(`${setting} must be the path of a file.`);
    if (typeof path.data !== 'string') continue;
    if (values[name] !== undefined) {
      throw new ConfigError(`${name} and ${setting} are both given; give one.`);
    }
    values[name] = readText(setting, path.data).trim();
    fromFiles.add(name);
  }
  return { values, fromFiles };
}
