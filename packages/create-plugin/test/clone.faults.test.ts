import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloned-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const create = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/create-plugin.mjs'), ...args], { encoding: 'utf8' });

/** Returns the dependencies on packages of this repository in the package.json of a tarball. */
function needsOf(tarball: string): [name: string, version: string][] {
  const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(text);
  return Object.entries(dependencies).filter(([name]) => name.startsWith('@ledger-ops/'));
}

test.each(['typescript', 'python'])(
  '%s: a plugin created from a clone contains a tarball of each package that it requires from this repository',
  (language) => {
    const target = join(folder, "my repo's");
    const { status, stdout, stderr } = create(target, '--language', language, '--name', 'pebble');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`cd '${target.replace("'", "'\\''")}'\n`);
    expect(stdout).toContain(
      language === 'python' ? '-- --plugin http://127.0.0.1:8080\n' : "-- --plugin '/",
    );
    const readme = readFileSync(join(target, 'README.md'), 'utf8');
    for (const text of [stdout, readme]) {
      expect(text).not.toContain('@ledger-ops/cli');
      expect(text).toMatch(/^ *npm start -- --plugin (?:http|'[/])/m);
    }
    const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    const wanted: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
    const ours = Object.entries(wanted).filter(([name]) => name.startsWith('@ledger-ops/'));
    expect(ours.map(([name]) => name).sort()).toEqual([
      ...['@ledger-ops/adapter', '@ledger-ops/adapter-kit', '@ledger-ops/base', '@ledger-ops/glo-core'],
    ]);
    for (const [, place] of ours) {
      expect(place).toMatch(/^file:tarballs\/ledger-ops-[a-z-]+-\d+\.\d+\.\d+\.tgz$/);
      for (const [name, version] of needsOf(join(target, place.slice('file:'.length))))
        expect(wanted[name]).toMatch(new RegExp(`-${version}\\.tgz$`));
    }
  },
);

test('in a clone, create:plugin reports invalid arguments, and --help shows the command for a clone', () => {
  expect(create(join(folder, 'x'), '--language', 'cobol')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('cobol is not a supported language'),
  });
  expect(create('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^npm run create:plugin -- \[folder\] /),
  });
});

test('the command for a clone in docs/plugins.md exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const page = readFileSync(join(root, 'docs/plugins.md'), 'utf8');
  expect(page).toMatch(/^npm run create:plugin -- \.\.\/my-ledger /m);
  expect(scripts['create:plugin']).toBe('node scripts/run.mjs create:plugin:all');
  expect(scripts['create:plugin:all']).toContain('node scripts/create-plugin.mjs');
});
