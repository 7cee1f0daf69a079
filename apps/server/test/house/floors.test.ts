import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Packages that each may import; docs/architecture.md says why. */
const floors: Record<string, readonly string[]> = {
  'glo-core': [],
  base: [],
  backoff: [],
  client: [],
  devnet: [],
  'devnet-fabric': ['devnet'],
  'devnet-solana': ['devnet'],
  adapter: ['glo-core'],
  'adapter-kit': ['adapter', 'glo-core'],
  'create-plugin': [],
  outbound: ['adapter'],
  'plugin-host': ['adapter', 'backoff', 'outbound'],
  'cloud-wallet': ['adapter', 'backoff', 'glo-core'],
  'plugin-ethereum': ['adapter', 'backoff', 'glo-core', 'outbound'],
  'plugin-fabric': ['adapter', 'backoff', 'glo-core', 'outbound'],
  'plugin-solana': ['adapter', 'backoff', 'glo-core', 'outbound'],
  store: ['backoff', 'base'],
  auth: ['backoff', 'base', 'store'],
  registry: ['auth', 'base', 'glo-core', 'store'],
  runtime: [
    'adapter',
    'auth',
    'backoff',
    'base',
    'cloud-wallet',
    'glo-core',
    'outbound',
    'plugin-host',
    'registry',
    'store',
  ],
};

const packages = fileURLToPath(new URL('../../../../packages', import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing'))
    .map((name) => `${folder}/${name}`);
}

test('the server that is deployed holds nothing of development', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const development = Object.keys(dependencies).filter((name) => /devnet|anvil|shim|[/]dev$/.test(name));
  expect(development).toEqual([]);
  const imported = sources(fileURLToPath(new URL('../../src', import.meta.url))).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '(@ledger-ops[^']+)'/g)].map(([, name]) => name ?? ''),
  );
  const packagesOf = (name: string) => name.split('/').slice(0, 2).join('/');
  expect([...new Set(imported.map(packagesOf))].filter((name) => !(name in dependencies))).toEqual([]);
});

test('statements of the runtime know nothing of the engine that runs them', () => {
  const rows = sources(`${packages}/runtime/src/rows`);
  const climbing = rows.filter((file) => /from '[^']*\/engine\//.test(readFileSync(file, 'utf8')));
  expect(rows.length).toBeGreaterThan(0);
  expect(climbing).toEqual([]);
});

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
