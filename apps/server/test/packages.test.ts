import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  filesOf,
  installPacked,
  type PackedFolder,
  publishedPackages,
  runNode,
} from '../../../testing/packed.ts';

const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const authors = ['glo-core', 'adapter', 'adapter-kit', 'cloud-wallet', 'client'];

describe('packages, as they are published', { timeout: 120_000 }, () => {
  let packed: PackedFolder;
  const folderOf = (name: string) => packed.packages.get(name) ?? '';
  beforeAll(() => {
    packed = installPacked(publishedPackages());
  }, 120_000);
  afterAll(() => packed.remove());

  test.each(publishedPackages())('the tarball of %s can be installed by anybody', async (name) => {
    const folder = folderOf(name);
    const manifest = read(folder);
    expect(JSON.stringify(manifest)).not.toContain('workspace:');
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      engines: { node: name === 'glo-core' ? '>=20' : '>=24' },
      publishConfig: { access: 'public', provenance: true },
    });
    const files = filesOf(folder);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']));
    const leftovers = files.filter((file) => /\.test\.|node_modules|__pycache__|test-results/.test(file));
    // A template's tests belong to what it is a template of.
    expect(leftovers.filter((file) => !/^templates\/\w+\/test\//.test(file))).toEqual([]);
    for (const target of Object.values(manifest.exports ?? {}).flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.values(entry) : [entry],
    )) {
      // Of a pattern, the folder.
      const [path = ''] = String(target).split('*');
      expect(existsSync(join(folder, path)), String(target)).toBe(true);
    }
    const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, manifest, { color: false }))).toEqual([]);
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

  test('the worked example of the README keeps the contract', () => {
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

    const harness = readFileSync(join(folderOf('adapter-kit'), 'README.md'), 'utf8')
      .split('```ts\n// notebook.harness.ts\n')[1]
      ?.split('```')[0];
    writeFileSync(join(example, 'notebook.harness.ts'), harness ?? '');
    const command = join(packed.folder, 'node_modules/.bin/adapter-kit');
    expect(runNode(example, [command, './notebook.harness.ts'])).toMatch(
      /\n\d{2} passed, 0 failed, \d+ skipped\n$/,
    );
  });
});
