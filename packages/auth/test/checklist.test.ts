import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
/** File paths are relative to the root or to packages/auth. */
const placeOf = (file: string) => (/^(packages|apps)\//.test(file) ? file : `packages/auth/${file}`);

/** Rows of docs/security-checklist.md: rule, source, and the tests that prove the rule. */
const rows = read('docs/security-checklist.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Rule '))
  .map((line) => {
    const [rule = '', source = '', tests = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { rule, source, tests: tests.split('<br>') };
  });

it('the security checklist has a source and a test for each rule', () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const { rule, source, tests } of rows) {
    expect(source, rule).not.toBe('');
    for (const test of tests)
      expect(test, rule).toMatch(/^(src|test|(packages|apps)\/[\w-]+\/(src|test))\/\S+\.test\.ts: .+$/);
  }
});

it('every test named by the security checklist exists and runs', () => {
  for (const { tests } of rows) {
    for (const test of tests) {
      const [file = '', name = ''] = test.split(/: (.*)/s);
      expect(existsSync(new URL(placeOf(file), root)), file).toBe(true);
      const text = read(placeOf(file));
      const quoted = [`'${name}'`, `"${name}"`].find((literal) => text.includes(literal));
      expect(quoted, `${file} has no test of the name ${name}`).toBeDefined();
      const before = text.slice(0, text.indexOf(quoted ?? ''));
      expect(before.trimEnd(), name).toMatch(/\b(it|test)\($/);
    }
  }
});
