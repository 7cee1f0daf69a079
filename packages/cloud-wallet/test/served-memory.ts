import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdapterDefinition, LedgerConfig } from '@ledger-ops/adapter';
import { type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { listen, type ServeAdapterOptions, serveAdapter } from '@ledger-ops/cloud-wallet';

export const config: LedgerConfig = {
  ledgerId: 'memory',
  technology: 'memory',
  properties: {},
  nodes: [],
};

/** A transfer as the protocol has it. */
export const transferGlo = (amount: string, resource = `0x${'ab'.repeat(20)}`, technology = 'memory') => ({
  version: '0.1.0',
  type: 'transfer',
  options: { recipient: { lookup_service: { type: 'ledger', value: technology }, resource }, amount },
});

export interface ServedMemory {
  ledger: MemoryLedger;
  definition: AdapterDefinition;
  url: string;
  /** Ends it, and serves what it had stored anew, as another process would. */
  restart(): Promise<{ url: string }>;
  close(): Promise<void>;
}

/** Serves the memory adapter at a port. */
export async function serveMemory(
  options: Partial<ServeAdapterOptions> = {},
  ledger = harnessLedger({ autoMine: true }),
): Promise<ServedMemory> {
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  const definition = options.definition ?? memoryAdapter(ledger);
  const start = async () => {
    const adapter = await serveAdapter({
      definition,
      ledgers: [config],
      database: join(folder, 'plugin.db'),
      masterKey: new Uint8Array(32).fill(1),
      ...options,
      timing: { poll: { first: 10, longest: 1_000 }, ...options.timing },
    });
    return { adapter, port: await listen(adapter.handle, { port: 0 }) };
  };
  let running = await start();
  const stop = async () => {
    await running.port.close();
    await running.adapter.close();
  };
  return {
    ledger,
    definition,
    get url() {
      return running.port.url;
    },
    async restart() {
      await stop();
      running = await start();
      return { url: running.port.url };
    },
    async close() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}
