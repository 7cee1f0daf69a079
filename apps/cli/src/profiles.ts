import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CliError, whyNot } from './errors.ts';
import type { Terminal } from './terminal.ts';

const place = {
  ...{ baseUrl: z.string(), applicationToken: z.string(), clientId: z.string() },
  allowUnencrypted: z.boolean().optional(),
  /** The application's project, in which commands create records. Unknown if the account may not read it. */
  project: z.string().optional(),
};
const accountSchema = z.object({ ...place, serviceAccount: z.string(), apiToken: z.string() });
const personSchema = z.object({
  ...place,
  person: z.object({ accessToken: z.string(), accessUntil: z.number(), refreshToken: z.string() }),
});
const profileSchema = z.union([accountSchema, personSchema]);
const fileSchema = z.object({ current: z.string(), profiles: z.record(z.string(), profileSchema) });

/** The URL of an installation, and credentials of an account or a person. */
export type Profile = z.output<typeof profileSchema>;
export type AccountProfile = z.output<typeof accountSchema>;
export type PersonProfile = z.output<typeof personSchema>;
export type ProfileFile = z.output<typeof fileSchema>;

type Environment = Terminal['environment'];

/** `$XDG_CONFIG_HOME/ledger-ops/profiles.json` (XDG Base Directory Specification). */
function profilePlace(environment: Environment): { folder: string; file: string } {
  const { XDG_CONFIG_HOME: base, HOME = homedir() } = environment;
  const folder = join(base === undefined || base === '' ? join(HOME, '.config') : base, 'ledger-ops');
  return { folder, file: join(folder, 'profiles.json') };
}

/** @throws CliError if the file is invalid */
export async function readProfiles(environment: Environment): Promise<ProfileFile> {
  const { file } = profilePlace(environment);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CliError('usage', `${file} cannot be read: ${whyNot(error)}.`);
  });
  if (text === undefined) return { current: 'default', profiles: {} };
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      'usage',
      `${file} is not a valid profiles file.`,
      'move it away, then ledger-ops login',
    );
  }
}

export function profileOf({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/**
 * Changes the file atomically; only its owner can read it. A lock ensures that only one process at a time
 * changes it, because a refresh token can be used only once.
 * @throws CliError
 */
export async function changeProfiles(
  environment: Environment,
  change: (profiles: ProfileFile) => ProfileFile | Promise<ProfileFile>,
): Promise<void> {
  const { folder, file } = profilePlace(environment);
  const notWritten = (error: NodeJS.ErrnoException) => {
    throw new CliError(
      'usage',
      `${file} cannot be written: ${whyNot(error)}.`,
      'set XDG_CONFIG_HOME to a folder that you can write to',
    );
  };
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(notWritten);
  const release = await lock(`${file}.lock`).catch(notWritten);
  try {
    const changed = await change(await readProfiles(environment));
    await write(file, changed).catch(notWritten);
  } finally {
    await release();
  }
}

/** Age of a lock file in milliseconds above which the lock is abandoned: no running process holds it that long. */
const lockIsOld = 60_000;

async function lock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return async () => await rm(path, { force: true });
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isTaken) throw error;
    }
    const since = await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now);
    if (Date.now() - since > lockIsOld) await rm(path, { force: true });
    await sleep(50);
  }
}

async function write(file: string, profiles: ProfileFile): Promise<void> {
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600, flush: true });
  await chmod(next, 0o600);
  await rename(next, file);
}

/** Environment variables that replace a profile, for CI and servers. */
export const profileVariables = {
  baseUrl: 'LEDGER_OPS_URL',
  applicationToken: 'LEDGER_OPS_APPLICATION_TOKEN',
  clientId: 'LEDGER_OPS_CLIENT_ID',
  serviceAccount: 'LEDGER_OPS_SERVICE_ACCOUNT',
  apiToken: 'LEDGER_OPS_API_TOKEN',
} as const;

/** Returns the profile of the environment. @throws CliError if a part is missing */
export function profileOfEnvironment(environment: Environment): Profile | undefined {
  const entries = Object.entries(profileVariables).map(
    ([name, variable]) => [name, environment[variable] ?? ''] as const,
  );
  if (environment[profileVariables.baseUrl] === undefined) return undefined;
  const missing = entries.filter(([, value]) => value === '').map(([name]) => name);
  if (missing.length === 0) return accountSchema.parse(Object.fromEntries(entries));
  const variables = Object.entries(profileVariables).filter(([name]) => missing.includes(name));
  throw new CliError(
    'usage',
    `${profileVariables.baseUrl} is set, but not ${variables.map(([, variable]) => variable).join(', ')}.`,
    'set all of them, or unset them to use a stored profile',
  );
}
