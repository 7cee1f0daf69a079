#!/usr/bin/env node
import { requireNode } from '@ledger-ops/base/require-node';

if (requireNode({ name: 'ledger-ops', package: '@ledger-ops/cli', url: import.meta.url })) {
  await import('./program.ts');
}
