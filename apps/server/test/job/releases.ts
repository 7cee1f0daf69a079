// Releases as folders of sources, beside which the packages of this one are linked.
import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { postgresStepFrom } from '../../../../packages/store/scripts/migration-text.ts';
import { statementBreak } from '../../../../packages/store/src/migrations.ts';

const here = new URL('../../../../', import.meta.url);
const cwd = fileURLToPath(here);
const migrations = 'packages/store/migrations/postgres/';

/** Text of a command of git; null where it fails, as without a history. */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/**
 * The commit of the release before; null: there is no history. As long as nothing was released, the one before the schema changed
 * last, so that there is something to migrate.
 */
export function commitBefore(): string | null {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  if (tag !== null) return git('rev-parse', `${tag}^{commit}`);
  const change = git('log', '-1', '--format=%H', '--', migrations);
  return change === null ? null : git('rev-parse', '--verify', '--quiet', `${change}^`);
}

/** The commit that is checked out; null: there is no history. */
export function lastCommit(): string | null {
  return git('rev-parse', 'HEAD');
}

/** Gives sources one more migration. */
export async function addStep(root: URL, statements: readonly string[]): Promise<void> {
  const number = String((await readTexts(root)).size).padStart(4, '0');
  const text = statements.join(`\n${statementBreak}\n`);
  await writeFile(new URL(`${migrations}${number}_addition.sql`, root), text);
}

/** Writes the sources of a commit into a new folder. */
export async function writeCommit(commit: string, folder: string): Promise<URL> {
  return await unpack(`git archive ${commit}`, folder);
}

/** Statements of a release's migrations. */
export async function readSteps(root: URL): Promise<{ number: number; statements: string[] }[]> {
  return [...(await readTexts(root)).values()].map((text, number) => ({
    number,
    statements: text.split(statementBreak).map((statement) => statement.trim()),
  }));
}

/**
 * Writes these sources into a new folder, with migrations that go on from those of the release before. Until the first
 * release there is one initial migration, which is always written anew: then the step between the two is made here.
 */
export async function writeSuccessor(before: URL, folder: string): Promise<URL> {
  const root = await unpack('git ls-files -z | tar --create --null --files-from=-', folder);
  const [old, now] = await Promise.all([readTexts(before), readTexts(root)]);
  if ([...old].every(([name, text]) => now.get(name) === text)) return root;
  await rm(new URL(migrations, root), { recursive: true });
  await cp(new URL(migrations, before), new URL(migrations, root), { recursive: true });
  const name = `${String(old.size).padStart(4, '0')}_step.sql`;
  const step = await postgresStepFrom(new URL('packages/store/', before));
  await writeFile(new URL(migrations + name, root), step);
  return root;
}

async function readTexts(root: URL): Promise<Map<string, string>> {
  const folder = new URL(migrations, root);
  const names = (await readdir(folder)).toSorted();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')] as const),
    ),
  );
}

/** @param archive a command of a shell, which writes it */
async function unpack(archive: string, folder: string): Promise<URL> {
  await mkdir(folder);
  await promisify(execFile)('sh', ['-c', `${archive} | tar --extract --directory "$0"`, folder], { cwd });
  const root = pathToFileURL(`${folder}/`);
  await symlink(new URL('node_modules', here), new URL('node_modules', root));
  for (const group of ['packages/', 'apps/']) {
    for (const name of await readdir(new URL(group, root))) {
      const linked = `${group}${name}/node_modules`;
      // A package that is not here any more has nothing installed.
      await cp(new URL(linked, here), new URL(linked, root), {
        recursive: true,
        verbatimSymlinks: true,
      }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }
  return root;
}
