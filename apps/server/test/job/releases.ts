// Creates releases as folders of sources, which use the packages that are installed for this release.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { postgresStepFrom } from '../../../../packages/store/scripts/migration-text.ts';
import { statementBreak } from '../../../../packages/store/src/migrations.ts';

const here = new URL('../../../../', import.meta.url);
const cwd = fileURLToPath(here);
const migrations = 'packages/store/migrations/postgres/';

/** Output of a git command; null if it fails, for example without a history. */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/**
 * The commit of the previous release; null without a history. Before the first release, the commit before the last
 * schema change, because it has something to migrate.
 */
export function commitBefore(): string | null {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  if (tag !== null) return git('rev-parse', `${tag}^{commit}`);
  const change = git('log', '-1', '--format=%H', '--', migrations);
  return change === null ? null : git('rev-parse', '--verify', '--quiet', `${change}^`);
}

/** Returns the checked-out commit; null without a history. */
export function lastCommit(): string | null {
  return git('rev-parse', 'HEAD');
}

/** Adds one more migration to sources. */
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
 * Writes these sources into a new folder, with migrations that continue those of the previous release. Before
 * the first release, there is only one initial migration, which every change rewrites, so this function
 * creates the step between the two.
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

/** @param archive a shell command that writes the archive */
async function unpack(archive: string, folder: string): Promise<URL> {
  await mkdir(folder);
  await promisify(execFile)('sh', ['-c', `${archive} | tar --extract --directory "$0"`, folder], { cwd });
  const root = pathToFileURL(`${folder}/`);
  await symlink(new URL('node_modules', here), new URL('node_modules', root));
  await linkPackages(root);
  // Generated files are not in git. Sources without generated files get those of this version.
  for (const path of generatedFiles()) {
    await cp(new URL(path, here), new URL(path, root), { force: false });
  }
  return root;
}

/**
 * Links the dependencies of each package to packages of the same folder, or to those installed in this
 * repository.
 */
async function linkPackages(root: URL): Promise<void> {
  const packages = new Map<string, { folder: URL; dependencies: string[] }>();
  for (const group of ['packages/', 'apps/']) {
    for (const name of await readdir(new URL(group, root))) {
      const folder = new URL(`${group}${name}/`, root);
      const manifest = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
      const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
      packages.set(manifest.name, { folder, dependencies });
    }
  }
  for (const { folder, dependencies } of packages.values()) {
    for (const name of dependencies) {
      const link = new URL(`node_modules/${name}`, folder);
      const installed = new URL(`node_modules/${name}`, new URL(folder.href.replace(root.href, here.href)));
      // pnpm also links every installed package in this folder.
      const hoisted = new URL(`node_modules/.pnpm/node_modules/${name}`, here);
      await mkdir(new URL('.', link), { recursive: true });
      await symlink(packages.get(name)?.folder ?? (existsSync(installed) ? installed : hoisted), link);
    }
  }
}

function generatedFiles(): string[] {
  const places = [':(glob)packages/*/src/**', ':(glob)apps/*/src/**'];
  const listed = git('ls-files', '--others', '--ignored', '--exclude=*.generated.*', '--', ...places);
  return listed?.split('\n') ?? [];
}
