import { fileURLToPath } from 'node:url';
import { startOwnProcess } from '@ledger-ops/devnet';
import { call } from './call.ts';
import type { SolanaOptions } from './options.ts';
import type { SolanaLedger } from './start.ts';
import { noRuntime, UnsupportedPlatformError } from './unsupported-platform.ts';

/** A ledger in its own process. */
export interface SolanaProcess extends SolanaLedger {
  pid: number;
  /** Kills the process, as a crash would. If it has a state file, all blocks can be restored from it. */
  kill(): Promise<void>;
}

/** Timeouts in milliseconds: for the start, and for a clean stop before a kill. */
const times = { start: 30_000, end: 10_000 };

/**
 * Starts a ledger on 127.0.0.1 in its own process, which exits when this process exits.
 *
 * @throws UnsupportedPlatformError if litesvm has no binary
 * @throws DevnetError with its output if it does not start
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
