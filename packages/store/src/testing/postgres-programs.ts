import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const programs = ['initdb', 'postgres', 'pg_basebackup', 'pg_dump', 'pg_restore', 'pg_rewind'];

/**
 * Returns the folder of an installed PostgreSQL that has the programs for backups and replication; undefined if there
 * is none. The npm package that other tests use lacks these programs, and those of one version do not work with a newer
 * server.
 */
export function findPostgresPrograms(): string | undefined {
  const installed = globSync('/usr/lib/postgresql/*/bin').toSorted(
    (one, two) => versionOf(two) - versionOf(one),
  );
  const folders = [...installed, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => programs.every((name) => existsSync(join(folder, name))));
}

const versionOf = (folder: string) => Number(/\d+/.exec(folder)?.[0] ?? 0);

/** Reason why tests that need these programs are skipped; undefined if they run. */
export const noPostgresPrograms =
  findPostgresPrograms() === undefined
    ? `No installed PostgreSQL has the programs ${programs.join(', ')}.`
    : undefined;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account that PostgreSQL runs as. PostgreSQL refuses to run as root, so root uses the account `postgres`.
 */
export async function findOwner(): Promise<Owner> {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid !== 0) return { uid, gid };
  const idOf = async (option: string) => Number((await run('id', [option, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** Runs a program of PostgreSQL. @throws Error with its output */
export async function runProgram(
  path: string,
  args: readonly string[],
  { owner, environment = {} }: { owner: Owner; environment?: Readonly<Record<string, string>> },
): Promise<void> {
  // The account may have no access to the current folder.
  await run(path, args, { ...owner, cwd: '/', env: { PATH: process.env.PATH ?? '', ...environment } });
}
