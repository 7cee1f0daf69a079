import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { childEnvironment, freePort } from '../../../../testing/children.ts';
import { isFaultsRun } from '../../../../testing/faults.ts';
import {
  filesOf,
  installPacked,
  type PackedFolder,
  publishedPackages,
  runNode,
} from '../../../../testing/packed.ts';

const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
/** Packages whose version users do not choose, with the minimum that their code and dependencies need. */
const nodes: Readonly<Record<string, string>> = { 'glo-core': '>=20', client: '>=22.12' };
const authors = ['glo-core', 'adapter', 'adapter-kit', 'cloud-wallet', 'client'];

describe('packages, as they are published', { timeout: 300_000 }, () => {
  let packed: PackedFolder;
  const folderOf = (name: string) => packed.packages.get(name) ?? '';
  beforeAll(() => {
    packed = installPacked(publishedPackages(), inject('runFolder'));
  }, 300_000);
  afterAll(() => packed.remove());

  test.each(publishedPackages())('the tarball of %s can be installed by anyone', async (name) => {
    const folder = folderOf(name);
    const manifest = read(folder);
    expect(JSON.stringify(manifest)).not.toContain('workspace:');
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      engines: { node: nodes[name] ?? '>=24' },
      publishConfig: { access: 'public', provenance: true },
    });
    const files = filesOf(folder);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']));
    const leftovers = files.filter((file) => /\.test\.|node_modules|__pycache__|test-results/.test(file));
    // A template's tests belong to the packages created from it.
    expect(leftovers.filter((file) => !/^templates\/\w+\/test\//.test(file))).toEqual([]);
    // Published packages have no links between them.
    const links = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#]+)/g);
    expect([...links].map(([, target]) => target).filter((target) => !target?.startsWith('https:'))).toEqual(
      [],
    );
    for (const target of Object.values(manifest.exports ?? {}).flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.values(entry) : [entry],
    )) {
      // The folder of a pattern.
      const [path = ''] = String(target).split('*');
      expect(existsSync(join(folder, path)), String(target)).toBe(true);
    }
    const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
    // A template is not imported: it becomes a package when it is copied.
    const isOfTemplate = (message: (typeof messages)[number]) =>
      message.code === 'NESTED_PACKAGE_JSON_FIELD_IGNORED' &&
      message.args.filePath.startsWith('./templates/');
    const meant = messages.filter((message) => !isOfTemplate(message));
    expect(meant.map((message) => formatMessage(message, manifest, { color: false }))).toEqual([]);
  });

  test.runIf(isFaultsRun)('compilers find the types of every entry point, as ES modules', () => {
    const tarballs = globSync('*.tgz', { cwd: packed.tarballs }).map((name) => join(packed.tarballs, name));
    const program = fileURLToPath(new URL('../../../../testing/check-types.mjs', import.meta.url));
    const found = Object.entries(JSON.parse(runNode(packed.folder, [program, ...tarballs])));
    // Covers all packages except the two commands and the page.
    expect(found).toHaveLength(publishedPackages().length - 3);
    for (const [tarball, problems] of found) expect([tarball, problems]).toEqual([tarball, []]);
  });

  test('commands in READMEs name published packages and programs', () => {
    const manifests = publishedPackages().map((name) => read(folderOf(name)));
    const known = new Set(manifests.map(({ name }) => name));
    const others = new Set(['vitest']);
    const programs = new Set(manifests.flatMap(({ bin = {} }) => Object.keys(bin)));
    const hasProgram = (name: string) =>
      manifests.some((one) => one.name === name && Object.keys(one.bin ?? {}).length > 0);
    let commands = 0;
    // READMEs of applications also describe work in the repository.
    for (const name of [...readdirSync(new URL('../../../../packages', import.meta.url)), 'cli']) {
      const readme = readFileSync(join(folderOf(name), 'README.md'), 'utf8');
      for (const [, block = ''] of readme.matchAll(/```sh\n(.*?)```/gs)) {
        for (const line of block.trim().split('\n')) {
          commands += 1;
          const [, verb, rest = ''] = /^(npm install|npm create|npx) (.*)$/.exec(line) ?? [];
          const names = rest.split(' ').filter((word) => !word.startsWith('-'));
          const isOurs = programs.has(line.split(' ')[0] ?? '');
          const isRight =
            isOurs ||
            (verb === 'npm install'
              ? names.every((one) => known.has(one) || others.has(one))
              : hasProgram(verb === 'npm create' ? `create-${names[0]}` : (names[0] ?? '')));
          expect([name, line, isRight]).toEqual([name, line, true]);
        }
      }
    }
    expect(commands).toBeGreaterThan(5);
  });

  test.runIf(isFaultsRun)('the installed CLI creates a deployment, serves it and signs in', async () => {
    const programs = publishedPackages().flatMap((name) => Object.keys(read(folderOf(name)).bin ?? {}));
    expect(programs.toSorted()).toEqual([...new Set(programs)].toSorted());
    const program = join(packed.folder, 'node_modules/.bin/ledger-ops');
    const home = { ...childEnvironment(), HOME: packed.folder };
    const ask = (...args: string[]) =>
      execFileSync(process.execPath, [program, ...args], { cwd: packed.folder, encoding: 'utf8', env: home });
    const port = String(await freePort());
    ask('init', 'till', '--port', port);
    const cwd = join(packed.folder, 'till');
    const server = spawn(process.execPath, [program, 'serve'], { cwd, env: home, stdio: 'ignore' });
    const ended = once(server, 'exit');
    try {
      const administrator = join(cwd, 'data/administrator.json');
      const isUp = async () => expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
      await vi.waitFor(isUp, { timeout: 120_000 });
      ask('login', '--file', administrator);
      expect(JSON.parse(ask('ledger', 'list', '--json'))).toEqual([]);
      const { baseUrl } = JSON.parse(readFileSync(administrator, 'utf8'));
      for (const page of ['/console', '/docs']) expect((await fetch(baseUrl + page)).status, page).toBe(200);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
    // The command `dev` starts this file. No other command loads it.
    expect(existsSync(join(folderOf('dev'), 'dist/main.js'))).toBe(true);
  });

  test('changesets name packages of the workspace', () => {
    const root = fileURLToPath(new URL('../../../../', import.meta.url));
    const known = new Set(
      globSync('{apps,packages}/*/package.json', { cwd: root }).map(
        (file) => read(join(root, dirname(file))).name,
      ),
    );
    const folder = new URL('../../../../.changeset/', import.meta.url);
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.md'))) {
      const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(readFileSync(new URL(file, folder), 'utf8')) ?? [];
      const named = [...head.matchAll(/^['"](.+)['"]: (?:patch|minor|major)$/gm)].map(([, one = '']) => one);
      expect([file, named.length > 0, named.filter((one) => !known.has(one))]).toEqual([file, true, []]);
    }
  });

  test.each(authors)('every entry point of %s can be imported', (name) => {
    const { exports } = read(folderOf(name));
    const entries = Object.keys(exports).map((path) => `@ledger-ops/${name}${path.slice(1)}`);
    writeFileSync(
      join(packed.folder, 'entries.mjs'),
      `for (const entry of ${JSON.stringify(entries)}) {
        const type = entry.endsWith('.json') ? { with: { type: 'json' } } : {};
        console.log(entry, Object.keys(await import(entry, type)).length > 0);
      }`,
    );
    expect(runNode(packed.folder, ['entries.mjs'])).toBe(entries.map((entry) => `${entry} true\n`).join(''));
  });

  test('the adapter in the README’s worked example passes the adapter kit’s checks', () => {
    const example = join(packed.folder, 'example');
    mkdirSync(example);
    writeFileSync(join(example, 'package.json'), '{ "type": "module" }');
    for (const [name, file, as] of [
      ['adapter', 'notebook.ts', 'notebook.ts'],
      ['adapter-kit', 'notebook.conformance.ts', 'notebook.test.ts'],
    ] as const) {
      const readme = readFileSync(join(folderOf(name), 'README.md'), 'utf8');
      const [, code] = readme.split(`\`\`\`ts\n// ${file}\n`);
      writeFileSync(join(example, as), code?.split('```')[0] ?? '');
    }
    const vitest = join(packed.folder, 'node_modules/vitest/vitest.mjs');
    runNode(example, [vitest, 'run', '--reporter=json', '--outputFile=report.json']);
    const report = JSON.parse(readFileSync(join(example, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.numPassedTests).toBeGreaterThan(25);
  });
});
