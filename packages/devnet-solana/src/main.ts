/**
 * Runs a ledger in its own process: `node main.ts '<options as JSON>'`. Prints one line of JSON, `{"port": <number>}`,
 * when it is ready. Exits on SIGTERM, on SIGINT, or when its standard input closes, which happens when its
 * parent exits. Exits with `noRuntime` if litesvm does not load.
 */
import type { SolanaOptions } from './options.ts';
import { startSolana } from './start.ts';
import { noRuntime, UnsupportedPlatformError } from './unsupported-platform.ts';

// The options come from startSolanaProcess or from a developer. Invalid options fail when they are first
// used.
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
