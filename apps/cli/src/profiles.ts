import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError } from './errors.ts';
import type { Terminal } from './terminal.ts';

const profileSchema = z.object({
  baseUrl: z.string(),
  applicationToken: z.string(),
  clientId: z.string(),
  serviceAccount: z.string(),
  apiToken: z.string(),
  allowUnencrypted: z.boolean().optional(),
});
const fileSchema = z.object({ current: z.string(), profiles: z.record(z.string(), profileSchema) });

/** An installation, and who one is there. */
export type Profile = z.output<typeof profileSchema>;
export type ProfileFile = z.output<typeof fileSchema>;

type Environment = Terminal['environment'];

/** `$XDG_CONFIG_HOME/ledger-ops/profiles.json`, by the XDG base directories. */
function profilePlace(environment: Environment): { folder: string; file: string } {
  const { XDG_CONFIG_HOME: base, HOME = homedir() } = environment;
  const folder = join(base === undefined || base === '' ? join(HOME, '.config') : base, 'ledger-ops');
  return { folder, file: join(folder, 'profiles.json') };
}

/** @throws CliError for a file that is none */
export async function readProfiles(environment: Environment): Promise<ProfileFile> {
  const { file } = profilePlace(environment);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CliError('usage', `${file} cannot be read (${error.code}).`);
  });
  if (text === undefined) return { current: 'default', profiles: {} };
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    throw new CliError('usage', `${file} is no file of profiles.`, `move it away, then ledger-ops login`);
  }
}

/** Whole or not at all, for its owner alone. */
export async function writeProfiles(environment: Environment, profiles: ProfileFile): Promise<void> {
  const { folder, file } = profilePlace(environment);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file);
}

/** Variables that are a profile of their own, for machines. */
export const profileVariables = {
  baseUrl: 'LEDGER_OPS_URL',
  applicationToken: 'LEDGER_OPS_APPLICATION_TOKEN',
  clientId: 'LEDGER_OPS_CLIENT_ID',
  serviceAccount: 'LEDGER_OPS_SERVICE_ACCOUNT',
  apiToken: 'LEDGER_OPS_API_TOKEN',
} as const;

/** The profile of the environment. @throws CliError where a part of it is missing */
export function profileOfEnvironment(environment: Environment): Profile | undefined {
  const entries = Object.entries(profileVariables).map(
    ([name, variable]) => [name, environment[variable] ?? ''] as const,
  );
  if (environment[profileVariables.baseUrl] === undefined) return undefined;
  const missing = entries.filter(([, value]) => value === '').map(([name]) => name);
  if (missing.length === 0) return profileSchema.parse(Object.fromEntries(entries));
  const variables = Object.entries(profileVariables).filter(([name]) => missing.includes(name));
  throw new CliError(
    'usage',
    `${profileVariables.baseUrl} is set, and ${variables.map(([, variable]) => variable).join(', ')} is missing.`,
  );
}
