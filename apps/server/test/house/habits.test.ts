import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const files = globSync(['*.ts', '{apps,bench,examples,packages,scripts,testing}/**/*.{js,mjs,ts,tsx}'], {
  cwd: root,
  exclude: ['**/{node_modules,dist}/**', '**/*.generated.*'],
});
const sources = files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')] as const);

const doubleCasts = (source: string) => source.match(/\bas\s+unknown\s+as\b/g) ?? [];

/** Statements that select every column of a table. */
const allColumns = (source: string) =>
  source.match(/\b(?:SELECT (?:\w+\.)?\* FROM (?=\w)|RETURNING \*).*/gi) ?? [];

/** Waits without an explicit time limit. The default of one second is too short on a busy machine. */
const hurriedWaits = (source: string) =>
  [...source.matchAll(/\bvi\.waitFor(?:<[^(]*>)?\(/g)].flatMap(({ index }) => {
    const call = callAt(source, index);
    return /,\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[\w.]+),?\s*\)$/.test(call)
      ? []
      : [call.split('\n')[0] ?? ''];
  });

/** Returns a call's text, from its name to the closing parenthesis, including those in strings. */
function callAt(source: string, index: number): string {
  let open = 0;
  for (let at = source.indexOf('(', index); at < source.length; at += 1) {
    if (source[at] === '(') open += 1;
    if (source[at] === ')') open -= 1;
    if (open === 0) return source.slice(index, at + 1);
  }
  return source.slice(index);
}

/** Secrets in command arguments, which every user of a machine can see. */
const shownSecrets = (source: string) =>
  source.match(
    /\b(?:curl|api)\b(?:[^\n]|\\\n)*?(?:-H|--header|-d|--data\S*) ?(?:'[^']*|"[^"\n]*|[^'"@\s]*)(?:Authorization: Bearer \$|ApplicationToken: \$|client_secret=|assword": ).*/g,
  ) ?? [];

const found = (search: (source: string) => string[]) =>
  sources.flatMap(([file, source]) => search(source).map((text) => `${file}: ${text}`)).sort();

test('the habit rules find code that violates them', () => {
  const unknown = 'unknown';
  expect(doubleCasts(`one as ${unknown} as Other; [one as unknown]`)).toHaveLength(1);
  expect(hurriedWaits(`await vi.${'waitFor'}(() => expect(one(two, 3)).toBe(4));`)).toHaveLength(1);
  expect(hurriedWaits('vi.waitFor(() => one(), { timeout: 9 }); vi.waitFor<One>(one, soon);')).toEqual([]);
  expect(sources.length).toBeGreaterThan(1_000);
});

test('no command in docs or scripts has a secret argument', () => {
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

test('statements on the shared database name their columns, so a new column does not change prepared statements', () => {
  expect(
    allColumns(`'${'SELECT'} * FROM wallet'; '${'returning'} *'; \`SELECT * FROM (\${parts})\``),
  ).toHaveLength(1);
  const shared = /^(?:packages\/(?:auth|registry|runtime)|apps\/server)\/src\/(?![^:]*\.test\.ts:)/;
  expect(found(allColumns).filter((line) => shared.test(line))).toEqual([]);
});

/** Files in which a comment next to each cast states the reason. */
const reasoned = [
  'packages/plugin-fabric/test/stand-in.ts',
  'packages/store/src/schema/dialect.ts',
  'packages/store/src/sqlite/queries.ts',
];

test('code casts through `unknown` only where the type system leaves no other way', () => {
  expect(found(doubleCasts)).toEqual(reasoned.map((file) => `${file}: as ${'unknown'} as`));
});

test('every wait for a condition in tests has a time limit that suffices on a busy machine', () => {
  const known = 'apps/cli/test/first-transfer.test.ts: ';
  expect(found(hurriedWaits).filter((line) => !line.startsWith(known))).toEqual([]);
});
