/**
 * A ledger in a process of its own: `node main.ts '<options as JSON>'`. Prints one line of JSON, `{"port": <number>}`, when
 * it is ready, and ends on SIGTERM, SIGINT, or when its standard input ends, as it does with its parent. Where litesvm does not
 * load it ends with `noRuntime`.
 */
import type { SolanaOptions } from './options.ts';
import { startSolana } from './start.ts';
import { noRuntime, UnsupportedPlatformError } from './unsupported-platform.ts';

// Only startSolanaProcess, or a person, writes this; a wrong word shows in the first thing that uses it.
const options = JSON.parse(process.argv[2] ?? '{}') as SolanaOptions;

const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort());
process.stdin.resume().once('end', () => ending.abort());
process.stdin.once('error', () => ending.abort());

const ledger = await startSolana(options).catch((error: unknown) => {
  if (error instanceof UnsupportedPlatformError) process.exit(noRuntime);
  throw error;
});
process.stdout.write(`${JSON.stringify({ port: ledger.port })}\n`);
if (!ending.signal.aborted)
  await new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
await ledger.stop();
process.exit(0);
