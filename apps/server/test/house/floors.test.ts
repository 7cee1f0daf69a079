import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Allowed imports of each package; docs/architecture.md gives the reasons. */
const floors: Record<string, readonly string[]> = {
  'glo-core': [],
  base: [],
  client: [],
  devnet: [],
  'devnet-fabric': ['devnet'],
  'devnet-solana': ['devnet'],
  adapter: ['glo-core'],
  'adapter-kit': ['adapter', 'base', 'glo-core'],
  'create-plugin': ['base'],
  'plugin-host': ['adapter', 'base'],
  'cloud-wallet': ['adapter', 'glo-core'],
  'plugin-ethereum': ['adapter', 'base', 'glo-core'],
  'plugin-fabric': ['adapter', 'base', 'glo-core'],
  'plugin-solana': ['adapter', 'base', 'glo-core'],
  store: ['base'],
  auth: ['base', 'store'],
  registry: ['adapter', 'auth', 'base', 'glo-core', 'store'],
  runtime: ['adapter', 'auth', 'base', 'cloud-wallet', 'glo-core', 'plugin-host', 'registry', 'store'],
};

const packages = fileURLToPath(new URL('../../../../packages', import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing'))
    .map((name) => `${folder}/${name}`);
}

test('the deployed server contains no development code', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const development = Object.keys(dependencies).filter((name) => /devnet|anvil|shim|[/]dev$/.test(name));
  expect(development).toEqual([]);
  const imported = sources(fileURLToPath(new URL('../../src', import.meta.url))).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '(@ledger-ops[^']+)'/g)].map(([, name]) => name ?? ''),
  );
  const packagesOf = (name: string) => name.split('/').slice(0, 2).join('/');
  expect([...new Set(imported.map(packagesOf))].filter((name) => !(name in dependencies))).toEqual([]);
});

test('the runtime’s modules with SQL statements do not import the engine', () => {
  const rows = sources(`${packages}/runtime/src/rows`);
  const climbing = rows.filter((file) => /from '[^']*\/engine\//.test(readFileSync(file, 'utf8')));
  expect(rows.length).toBeGreaterThan(0);
  expect(climbing).toEqual([]);
});

test('every package has a layer', () => {
  expect(readdirSync(packages).sort()).toEqual(Object.keys(floors).sort());
});

test.each(Object.entries(floors))('%s imports only from lower layers', (name, below) => {
  const climbing = sources(`${packages}/${name}/src`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '@ledger-ops\/([a-z-]+)/g)]
      .map(([, imported]) => imported ?? '')
      .filter((imported) => !below.includes(imported))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(climbing).toEqual([]);
});
