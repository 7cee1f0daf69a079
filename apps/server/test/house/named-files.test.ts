import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Texts that name files and folders for contributors. */
const texts = globSync(['CONTRIBUTING.md', 'docs/architecture.md', '{apps,packages}/*/README.md'], {
  cwd: root,
});
const places = globSync(
  '{*,.changeset,docs/.vitepress/*,{apps,bench,deploy,docs,examples,packages,scripts,testing}/**/*}',
  {
    cwd: root,
    exclude: ['**/{node_modules,dist}', 'docs/{.generated,.site,reference}'],
  },
).map((path) => `/${path}`);

/** Media types, Fabric names, an npm package, settings, network addresses. */
const isOfElsewhere = /^(?:application|channel|secp256k1|[A-Z_]{3,}|[\d.]+)\//;
const isOfHere = (name: string) =>
  (name.includes('/') && !isOfElsewhere.test(name)) || /\.(?:ts|tsx|mjs|md|txt)$/.test(name);

/** Returns the names of files and folders in a text, with braces expanded. */
const named = (text: string) =>
  [...text.matchAll(/`((?:\.\.?\/)?\w[\w.@/{},*-]*|\.changeset)`/g)]
    .map(([, name = '']) => name)
    .filter(isOfHere)
    .flatMap(alternatives);

function alternatives(name: string): string[] {
  const [all, inside = ''] = /\{([^{}]*)\}/.exec(name) ?? [];
  return all === undefined
    ? [name]
    : inside.split(',').flatMap((one) => alternatives(name.replace(all, one)));
}

/** Whether the path of a file or folder in the repository ends with this name. */
function isThere(name: string): boolean {
  const path = name
    .replace(/^(?:\.\.?\/)+/, '')
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll('*', '[^/]*');
  const pattern = new RegExp(`/${path}$`);
  return places.some((place) => pattern.test(place));
}

test('the check finds file names in docs, and detects names of files that do not exist', () => {
  expect(named('`src/{a,b}.ts` and `npm test`, `/v1/things`, `application/json`, `../timing.ts`')).toEqual([
    ...['src/a.ts', 'src/b.ts', '../timing.ts'],
  ]);
  expect(isThere('apps/server/test/house')).toBe(true);
  expect(isThere('apps/server/test/hous')).toBe(false);
});

test('every file and folder named in contributor docs exists', () => {
  const found = texts.flatMap((file) =>
    named(readFileSync(`${root}/${file}`, 'utf8')).map((name) => ({ file, name })),
  );
  expect(found.length).toBeGreaterThan(200);
  expect(found.filter(({ name }) => !isThere(name)).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
