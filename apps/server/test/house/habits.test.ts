import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const files = globSync(['*.ts', '{apps,bench,examples,packages,scripts,testing}/**/*.{js,mjs,ts,tsx}'], {
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

/** Statements that take every column of a table, whichever it has. */
const allColumns = (source: string) =>
  source.match(/\b(?:SELECT (?:\w+\.)?\* FROM (?=\w)|RETURNING \*).*/gi) ?? [];

/** Waits for a condition that do not say how long: they end after a second, which a busy machine outlasts. */
const hurriedWaits = (source: string) =>
  [...source.matchAll(/\bvi\.waitFor(?:<[^(]*>)?\(/g)].flatMap(({ index }) => {
    const call = callAt(source, index);
    return /,\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[\w.]+),?\s*\)$/.test(call)
      ? []
      : [call.split('\n')[0] ?? ''];
  });

/** A call's text, from its name to the parenthesis that ends it; one in a string counts as well. */
function callAt(source: string, index: number): string {
  let open = 0;
  for (let at = source.indexOf('(', index); at < source.length; at += 1) {
    if (source[at] === '(') open += 1;
    if (source[at] === ')') open -= 1;
    if (open === 0) return source.slice(index, at + 1);
  }
  return source.slice(index);
}

/** Secrets among the arguments of a command, which every user of a machine sees. */
const shownSecrets = (source: string) =>
  source.match(
    /\b(?:curl|api)\b(?:[^\n]|\\\n)*?(?:-H|--header|-d|--data\S*) ?(?:'[^']*|"[^"\n]*|[^'"@\s]*)(?:Authorization: Bearer \$|ApplicationToken: \$|client_secret=|assword": ).*/g,
  ) ?? [];

const found = (search: (source: string) => string[]) =>
  sources.flatMap(([file, source]) => search(source).map((text) => `${file}: ${text}`)).sort();

test('the habits are seen where they are', () => {
  const [slashes, unknown] = ['//', 'unknown'];
  expect(paraphrases(`/** ${'What'} it is. */`)).toHaveLength(1);
  expect(paraphrases(`/**\n * ${'What'} it is.\n */`)).toHaveLength(1);
  expect(paraphrases(`  ${slashes} What it is.\n  ${slashes} What else.\n`)).toHaveLength(1);
  expect(paraphrases(`call(); ${slashes} What it does.`)).toHaveLength(1);
  expect(paraphrases(`/** It is.\n * What else. */ ${slashes} Whatever.`)).toEqual([]);
  expect(doubleCasts(`one as ${unknown} as Other; [one as unknown]`)).toHaveLength(1);
  expect(hurriedWaits(`await vi.${'waitFor'}(() => expect(one(two, 3)).toBe(4));`)).toHaveLength(1);
  expect(hurriedWaits('vi.waitFor(() => one(), { timeout: 9 }); vi.waitFor<One>(one, soon);')).toEqual([]);
  expect(sources.length).toBeGreaterThan(1_000);
});

test('no command of a text or a script has a secret among its arguments', () => {
  const [fetches, calls] = ['curl', 'api'];
  const seen = (command: string) => shownSecrets(command).length;
  expect(seen(`${fetches} -s $BASE -H "ApplicationToken: $APP"`)).toBe(1);
  expect(seen(`${fetches} -s \\\n -H 'A: b' -H "Authorization: Bearer $TOKEN" "$@"`)).toBe(1);
  expect(seen(`${calls} $BASE -d '{"walletPassword": "x"}'; ${fetches} -d client_secret=x`)).toBe(1);
  expect(
    seen(`printf 'client_secret=%s' x | ${fetches} -d @-; ${calls} -d @- <<EOF\n{"walletPassword": "x"}`),
  ).toBe(0);
  const texts = globSync('{*,{apps,bench,deploy,docs,examples,packages}/**/*}.md', {
    cwd: root,
    exclude: ['**/{node_modules,dist}', 'docs/.site'],
  }).map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')] as const);
  const shown = [...texts, ...sources].flatMap(([file, source]) =>
    shownSecrets(source).map((text) => `${file}: ${text}`),
  );
  expect(shown).toEqual([]);
});

test('statements on the shared database name their columns, so that one more changes no prepared statement', () => {
  expect(
    allColumns(`'${'SELECT'} * FROM wallet'; '${'returning'} *'; \`SELECT * FROM (\${parts})\``),
  ).toHaveLength(1);
  const shared = /^(?:packages\/(?:auth|registry|runtime)|apps\/server)\/src\/(?![^:]*\.test\.ts:)/;
  expect(found(allColumns).filter((line) => shared.test(line))).toEqual([]);
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

test('a wait for a condition says how long: without, a busy machine outlasts it', () => {
  const known = 'apps/cli/test/first-transfer.test.ts: ';
  expect(found(hurriedWaits).filter((line) => !line.startsWith(known))).toEqual([]);
});
