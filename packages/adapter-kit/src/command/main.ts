#!/usr/bin/env node
import { checkPlugin } from './check-plugin.ts';

const over = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => over.abort(new Error(signal)));
}
process.exitCode = await checkPlugin(process.argv.slice(2), {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  signal: over.signal,
});
