import { createMemoryLedger, type MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { type HarnessOptions, startEngine } from '../engine-harness.ts';
import { type LedgerServer, type PluginFolder, pluginFolder, serveLedger } from './plugin-folder.ts';

export interface World {
  store: Store;
  ledger: MemoryLedger;
  server: LedgerServer;
  folder: PluginFolder;
  /** Starts a server on the store. */
  start(options?: Partial<HarnessOptions>): ReturnType<typeof startEngine>;
}

const soon = { first: 50, longest: 500 };
/** Short retry delays, but long timeouts, so that a plugin does not count as failed on a slow machine. */
const quick = {
  prepare: 60_000,
  estimate: 60_000,
  tick: 100,
  renewLedgers: 100,
  reopen: soon,
  signAgain: soon,
  confirmAgain: soon,
  resend: 300,
};

export async function world(store: Store, ledger = createMemoryLedger()): Promise<World> {
  const server = await serveLedger(ledger);
  const folder = pluginFolder();
  const start: World['start'] = ({ timing, ...options } = {}) =>
    startEngine({
      store,
      ledger,
      records: folder.records,
      nodeUri: server.url,
      grace: 300,
      timing: { ...quick, ...timing },
      ...options,
    });
  return { store, ledger, server, folder, start };
}

/** Returns the number of executed transfers to an address. */
export function executed(ledger: MemoryLedger, to: string): number {
  return ledger.executions({ to });
}
