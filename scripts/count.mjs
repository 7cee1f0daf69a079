// Prints the size of the code: lines of source and tests in packages and apps, and every function with more
// than 120 lines.
// `--json` prints the same data as JSON.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

const longest = 120;
/** Minimum lines of a data table. A literal that contains a function with statements is not a data table. */
const shortestTable = 10;

const root = fileURLToPath(new URL('..', import.meta.url));
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages', 'apps'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
const isCode = (path) => /\.(?:[cm]?js|tsx?)$/.test(path);
const isLeftOut = (path) => /\.generated\.|\/(?:templates|vectors|dist)\//.test(path);
const isTest = (path) => /\.test\.tsx?$|\/(?:test|testing)\//.test(path);
const files = listed
  .split('\n')
  .filter((path) => isCode(path) && !isLeftOut(path))
  .map((path) => ({ path, text: read(path) }))
  .filter(({ text }) => text !== undefined);

/** Returns a file's text; undefined for a deleted file that git still lists. */
function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}

const linesOf = (some) => some.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);

/** Functions with more than `longest` lines, not counting lines of JSX and of data tables. */
function longFunctions({ path, text }) {
  const starts = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineOf = (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
  const functions = [];
  const literals = [];
  const markup = [];
  const names = new Map();
  const note = (list) => (node) => {
    list.push(node);
  };
  const name = (value, key) => {
    if (value && key) names.set(value, text.slice(key.start, key.end));
  };
  new Visitor({
    FunctionDeclaration: note(functions),
    FunctionExpression: note(functions),
    ArrowFunctionExpression: note(functions),
    ObjectExpression: note(literals),
    ArrayExpression: note(literals),
    JSXElement: note(markup),
    JSXFragment: note(markup),
    VariableDeclarator: ({ id, init }) => name(init, id),
    Property: ({ key, value }) => name(value, key),
    MethodDefinition: ({ key, value }) => name(value, key),
    PropertyDefinition: ({ key, value }) => name(value, key),
  }).visit(parseSync(path, text).program);

  const contains = (outer, inner) => outer !== inner && outer.start <= inner.start && inner.end <= outer.end;
  const height = ({ start, end }) => lineOf(end) - lineOf(start) + 1;
  const candidates = functions.filter((one) => height(one) > longest);
  if (candidates.length === 0) return [];
  const statements = functions.filter(({ body }) => body?.type === 'BlockStatement');
  const tables = literals.filter(
    (one) => height(one) >= shortestTable && !statements.some((inner) => contains(one, inner)),
  );
  const aside = [...markup, ...tables].filter((one) => height(one) > 1);
  const outermost = aside.filter((one) => !aside.some((other) => contains(other, one)));
  return candidates.flatMap((one) => {
    const lines = outermost
      .filter((inner) => contains(one, inner))
      .reduce((rest, inner) => rest - height(inner) + 1, height(one));
    if (lines <= longest) return [];
    const label = one.id?.name ?? names.get(one) ?? '(anonymous)';
    return [{ lines, path, line: lineOf(one.start), name: label }];
  });
}

const source = files.filter(({ path }) => !isTest(path));
const tests = files.filter(({ path }) => isTest(path));
const networks = source.filter(({ path }) => /^packages\/devnet/.test(path));
const counts = {
  sourceLines: linesOf(source),
  developmentNetworkLines: linesOf(networks),
  testLines: linesOf(tests),
  packages: new Set(
    files.filter(({ path }) => path.startsWith('packages/')).map(({ path }) => path.split('/')[1]),
  ).size,
  longFunctions: source.flatMap(longFunctions).sort((a, b) => b.lines - a.lines),
};
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(counts, undefined, 2));
} else {
  const number = (value) => value.toLocaleString('en-US').padStart(9);
  console.log(`${number(counts.sourceLines)} lines of source in packages and apps
${number(counts.developmentNetworkLines)} of these in development networks
${number(counts.testLines)} lines of tests
${number(counts.packages)} packages
${number(counts.longFunctions.length)} functions over ${longest} lines, without JSX and data tables${counts.longFunctions.length > 0 ? ':\n' : ''}`);
  for (const { lines, path, line, name } of counts.longFunctions) {
    console.log(`${number(lines)}  ${name}  ${path}:${line}`);
  }
}
