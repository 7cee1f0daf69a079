import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** What each package may import of the others; docs/architecture.md says why. */
const floors: Record<string, readonly string[]> = {
  'glo-core': [],
  base: [],
  devnet: [],
  adapter: ['glo-core'],
  'plugin-ethereum': ['adapter', 'glo-core'],
  'plugin-fabric': ['adapter', 'glo-core'],
  store: ['base'],
  auth: ['base', 'store'],
  registry: ['auth', 'base', 'glo-core', 'store'],
  runtime: ['adapter', 'auth', 'base', 'glo-core', 'registry', 'store'],
};

const packages = fileURLToPath(new URL('../../../packages', import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing'))
    .map((name) => `${folder}/${name}`);
}

test('every package has its floor', () => {
  expect(readdirSync(packages).sort()).toEqual(Object.keys(floors).sort());
});

test.each(Object.entries(floors))('%s imports only from the floors below it', (name, below) => {
  const climbing = sources(`${packages}/${name}/src`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '@ledger-ops\/([a-z-]+)/g)]
      .map(([, imported]) => imported ?? '')
      .filter((imported) => !below.includes(imported))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(climbing).toEqual([]);
});
