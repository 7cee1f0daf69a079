import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { sourceArguments } from './testing/children.ts';
import { alone } from './testing/slow-files.ts';

/** Configuration of every package: sources are resolved directly, so tests need no build. */
export const shared = defineConfig({
  resolve: { conditions: ['@ledger-ops/source', 'module', 'node', 'development|production'] },
  ssr: { resolve: { conditions: ['@ledger-ops/source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    execArgv: [...sourceArguments],
    // Node runs the sources directly, as in servers. Vite does not transform them, and Node compiles them once for all
    // processes.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // Timeout of `expect.poll`. It is long, because the machine may be busy.
    expect: { poll: { timeout: 30_000 } },
    passWithNoTests: true,
  },
});

export const root = fileURLToPath(new URL('.', import.meta.url));
const folders = '{packages,apps}/*/';

/** Every test file of the repository. */
export const allTests: readonly string[] = [
  `${folders}src/**/*.test.ts`,
  `${folders}test/**/*.test.ts`,
  'packages/create-plugin/templates/*/test/*.test.{js,ts}',
  'examples/*/test/*.test.js',
];

/** Test files that run only in `npm run test:faults`. */
export const faultTests = '**/*.faults.test.ts';

interface Selection {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Setup files in addition to those of every run. */
  readonly setup?: readonly string[];
  readonly test: NonNullable<TestProjectInlineConfiguration['test']>;
}

/**
 * Projects of a run over all packages. Files share processes and imported modules, because importing takes
 * longer than most files do. The few files that must not share have their own project.
 */
export function projects({
  include,
  exclude = [],
  setup = [],
  test,
}: Selection): TestProjectInlineConfiguration[] {
  const setupFiles = [
    'in-package',
    'processor-time',
    'ends-what-it-started',
    'puts-back-what-it-changed',
    'witness',
    ...setup,
  ].map((name) => `${root}testing/${name}.ts`);
  const project = (more: NonNullable<TestProjectInlineConfiguration['test']>) => ({
    ...shared,
    extends: false as const,
    root,
    test: {
      ...shared.test,
      setupFiles,
      // Setup files run in sequence, because `witness.ts` reads the working folder that `in-package.ts` sets.
      sequence: { setupFiles: 'list' as const },
      ...test,
      ...more,
    },
  });
  const left = [...configDefaults.exclude, ...exclude];
  const isolated = alone.filter((file) => include.some((pattern) => matchesGlob(file, pattern)));
  return [
    project({ name: 'shared', isolate: false, include: [...include], exclude: [...left, ...alone] }),
    ...(isolated.length === 0
      ? []
      : [project({ name: 'alone', isolate: true, include: isolated, exclude: left })]),
  ];
}
