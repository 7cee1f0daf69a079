#!/usr/bin/env node
import { requireNode } from '@ledger-ops/base/require-node';

const program = { name: 'adapter-kit', package: '@ledger-ops/adapter-kit', url: import.meta.url };
if (requireNode(program)) {
  const { checkPlugin } = await import('./check-plugin.ts');
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => over.abort(new Error(signal)));
  }
  const code = await checkPlugin(process.argv.slice(2), {
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    signal: over.signal,
  });
  if (code === 2) console.error('\nSee adapter-kit --help.');
  process.exitCode = code;
}
