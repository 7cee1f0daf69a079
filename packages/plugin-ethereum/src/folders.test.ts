import { readdirSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Layers, the lowest first. A folder imports only folders that precede it. */
const folders = ['transactions', 'abi', 'rpc', 'blocks', 'gas', 'nonces'];
/** Files of the root folder that every folder may import, and that import no folder. */
const shared = ['invalid.ts', 'lru.ts', 'properties.ts', 'timing.ts'];

const root = fileURLToPath(new URL('.', import.meta.url));
const imports = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => ({
      file,
      imported: normalize(`${dirname(file)}/${path}`),
    })),
  );
const folderOf = (file: string) => (file.includes('/') ? dirname(file) : 'root');

test('every source folder is assigned to a layer', () => {
  expect(new Set(imports.map(({ file }) => folderOf(file)))).toEqual(new Set(['root', ...folders]));
});

test('a folder imports only lower folders, and shared files of the root folder', () => {
  const climbing = imports.filter(({ file, imported }) => {
    const [own, other] = [folderOf(file), folderOf(imported)];
    if (own === 'root') return shared.includes(file) && other !== 'root';
    if (other === 'root') return !shared.includes(imported);
    return folders.indexOf(other) > folders.indexOf(own);
  });
  expect(climbing).toEqual([]);
});

test('no files import each other in a cycle', () => {
  const importsOf = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    expect(path, `${[...path, file].join(' → ')}`).not.toContain(file);
    if (done.has(file)) return;
    for (const { imported } of importsOf.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of importsOf.keys()) visit(file, []);
  expect(done.size).toBeGreaterThan(folders.length);
});
