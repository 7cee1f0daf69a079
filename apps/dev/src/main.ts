import { requireNode } from '@ledger-ops/base/require-node';

if (requireNode({ name: 'The development server', url: import.meta.url })) {
  await import('@ledger-ops/base/resolve-once');
  const { restartWithBoundedMemory } = await import('@ledger-ops/base/bounded-memory');
  restartWithBoundedMemory();
  const { run } = await import('./develop.ts');
  run();
}
