import { defineConfig } from 'vitest/config';
import { sourceArguments } from './testing/children.ts';

/** One configuration for every package: sources are resolved directly, so tests need no build. */
export const shared = defineConfig({
  resolve: { conditions: ['@ledger-ops/source', 'module', 'node', 'development|production'] },
  ssr: { resolve: { conditions: ['@ledger-ops/source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    execArgv: [...sourceArguments],
    // Node runs the sources itself, as it does in servers: nothing is transformed, and compiled once for all processes.
    experimental: { viteModuleRunner: false },
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // A condition may take as long as a busy machine needs: it is the condition that is tested.
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
    passWithNoTests: true,
  },
});
