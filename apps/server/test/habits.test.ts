import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = globSync(['*.ts', '{apps,bench,examples,packages,scripts,testing}/**/*.{js,mjs,ts}'], {
  cwd: root,
  exclude: ['**/{node_modules,dist}/**', '**/*.generated.*'],
});
const sources = files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')] as const);

/** Their first line each. Lines of `//` that follow each other are one comment. */
function paraphrases(source: string): string[] {
  const begun = /\/\*\*?[\s*]*What\b.*|(?<!^[ \t]*\/\/.*\n[ \t]*)\/\/ *What\b.*/gm;
  return [...source.matchAll(begun)].map(([comment]) => comment);
}

const doubleCasts = (source: string) => source.match(/\bas\s+unknown\s+as\b/g) ?? [];

const found = (search: (source: string) => string[]) =>
  sources.flatMap(([file, source]) => search(source).map((text) => `${file}: ${text}`)).sort();

test('both habits are seen where they are', () => {
  const [slashes, unknown] = ['//', 'unknown'];
  expect(paraphrases(`/** ${'What'} it is. */`)).toHaveLength(1);
  expect(paraphrases(`/**\n * ${'What'} it is.\n */`)).toHaveLength(1);
  expect(paraphrases(`  ${slashes} What it is.\n  ${slashes} What else.\n`)).toHaveLength(1);
  expect(paraphrases(`call(); ${slashes} What it does.`)).toHaveLength(1);
  expect(paraphrases(`/** It is.\n * What else. */ ${slashes} Whatever.`)).toEqual([]);
  expect(doubleCasts(`one as ${unknown} as Other; [one as unknown]`)).toHaveLength(1);
  expect(sources.length).toBeGreaterThan(1_000);
});

test('no comment paraphrases its name with "What"', () => {
  expect(found(paraphrases)).toEqual([]);
});

/** Each has its reason beside it. */
const reasoned = [
  'packages/plugin-fabric/test/stand-in.ts',
  'packages/store/src/schema/dialect.ts',
  'packages/store/src/sqlite/queries.ts',
];

test('types are cast past `unknown` only where nothing else can say it', () => {
  expect(found(doubleCasts)).toEqual(reasoned.map((file) => `${file}: as ${'unknown'} as`));
});
