import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('every program in the README is a type-checked file', async () => {
  const folder = new URL('readme/', import.meta.url);
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => await readFile(new URL(name, folder), 'utf8')),
  );
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, program = '']) => program);
  expect(programs.toSorted()).toEqual(files.toSorted());
});
