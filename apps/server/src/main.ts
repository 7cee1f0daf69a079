#!/usr/bin/env node
import { requireNode } from '@ledger-ops/base/require-node';

if (requireNode({ name: 'Ledger Operations', url: import.meta.url })) {
  const { runServerProcess } = await import('./commands/server-process.ts');
  runServerProcess();
}
