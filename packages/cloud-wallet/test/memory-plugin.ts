import type { LedgerConfig } from '@ledger-ops/adapter';
import { counterContract, keyValueContract, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { TestPlugin } from './test-plugin.ts';

export const config: LedgerConfig = {
  ledgerId: 'memory',
  technology: 'memory',
  properties: {},
  nodes: [],
};

export const transferRecipient = `0x${'ab'.repeat(20)}`;

/** A transfer in the protocol's form. */
export const transferGlo = (amount: string, resource = transferRecipient, technology = 'memory') => ({
  version: '0.1.0',
  type: 'transfer',
  options: { recipient: { lookup_service: { type: 'ledger', value: technology }, resource }, amount },
});

/** A transfer that two other wallets also sign, like the kit's sample. The first of them pays the fee. */
export const coSignedGlo = {
  ...transferGlo('5'),
  meta: {
    ledger: {
      memory: { version: '1', native_transaction_content: { payer: 'wallet:1', signers: ['wallet:2'] } },
    },
  },
};

/** A call of the key/value store at the address `resource`. */
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

/** A deployment of the counter. */
export const deployment = {
  glo: {
    ...{ version: '0.1.0', type: 'contract_deploy' },
    options: {
      contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'data:0' },
      args: ['3'],
    },
  },
  contractSource: { interface: counterContract.interface, code: counterContract.code },
};

/** A call that sets a value, and the event that the store then emits, like the kit's sample. */
export const emittingSample = (store: string) => ({
  operation: storeCall(store, 'set', ['key', 'told']),
  contractAddress: store,
  event: { name: 'ValueSet', args: { key: 'key', value: 'told' } },
  silentAddress: `0x${'cd'.repeat(20)}`,
});

/** Starts a remote plugin of an in-memory ledger. */
export async function startMemoryPlugin(
  ledger = harnessLedger({ autoMine: true }),
  bearer?: string,
): Promise<TestPlugin> {
  const plugin = new TestPlugin(memoryAdapter(ledger), config, bearer);
  await plugin.start();
  return plugin;
}
