import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdapterDefinition, LedgerConfig } from '@ledger-ops/adapter';
import { keyValueContract, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
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

/** One that two others sign, as the kit has it: the first of them pays. */
export const coSignedGlo = {
  ...transferGlo('5'),
  meta: {
    ledger: {
      memory: { version: '1', native_transaction_content: { payer: 'wallet:1', signers: ['wallet:2'] } },
    },
  },
};

/** A call of the key/value store at an address. */
export const storeCall = (resource: string, method_name: string, args: string[]) => ({
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: { lookup_service: { type: 'ledger', value: 'memory' }, resource },
      method_name,
      args,
    },
  },
  contractInterface: keyValueContract.interface,
});

/** The store tells what was set, as the kit has it. */
export const tellingSample = (store: string) => ({
  operation: storeCall(store, 'set', ['key', 'told']),
  contractAddress: store,
  event: { name: 'ValueSet', args: { key: 'key', value: 'told' } },
  silent: `0x${'cd'.repeat(20)}`,
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
