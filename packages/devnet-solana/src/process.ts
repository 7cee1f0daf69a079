import { fileURLToPath } from 'node:url';
import { startOwnProcess } from '@ledger-ops/devnet';
import { call } from './call.ts';
import type { SolanaOptions } from './options.ts';
import type { SolanaLedger } from './start.ts';
import { noRuntime, UnsupportedPlatformError } from './unsupported-platform.ts';

/** A ledger in a process of its own. */
export interface SolanaProcess extends SolanaLedger {
  pid: number;
  /** Ends it as a crash would. With a state file, what is in blocks comes back. */
  kill(): Promise<void>;
}

/** Milliseconds within which it must be ready, and those that a clean end may take before it is killed. */
const times = { start: 30_000, end: 10_000 };

/**
 * Starts a ledger in a process of its own, on 127.0.0.1. It ends with this process.
 * @throws UnsupportedPlatformError where litesvm has no binary
 * @throws DevnetError with what it printed, when it does not come up
 */
export async function startSolanaProcess(options: SolanaOptions = {}): Promise<SolanaProcess> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const ledger = await startOwnProcess({
    name: 'The Solana ledger',
    main: fileURLToPath(new URL(`./main.${extension}`, import.meta.url)),
    options,
    times,
    readReady(line) {
      const port = /^\{"port":(\d+)\}$/.exec(line)?.[1];
      return port === undefined ? undefined : Number(port);
    },
    errorOf: (exitCode) => (exitCode === noRuntime ? new UnsupportedPlatformError() : undefined),
  });
  const { pid, ready: port, stop, kill } = ledger;
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ pid, url, wsUrl: `ws://127.0.0.1:${port}`, port, stop, kill },
    rpc: (method, params = []) => call(url, method, params),
  };
}
