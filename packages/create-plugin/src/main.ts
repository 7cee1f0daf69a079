#!/usr/bin/env node
import { requireNode } from '@ledger-ops/base/require-node';

const name = 'create-ledger-ops-plugin';
if (requireNode({ name, package: name, url: import.meta.url })) {
  await import('./create.ts');
}
