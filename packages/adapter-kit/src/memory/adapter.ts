import type { AdapterDefinition, Capabilities } from '@ledger-ops/adapter';
import { defineAdapter } from '@ledger-ops/adapter';
import { parseInterface } from './contract-interface.ts';
import { memoryDescription } from './description.ts';
import type { MemoryLedger } from './ledger.ts';
import { openSession } from './session.ts';

export interface MemoryAdapterOptions {
  /** Default `memory`. */
  name?: string;
  /** Default `memory`. */
  technology?: string;
  /** Default: all capabilities that the ledger's sequences allow. */
  capabilities?: Partial<Omit<Capabilities, 'sequence'>>;
}

/** Returns an adapter whose sessions all use the given ledger. */
export function memoryAdapter(ledger: MemoryLedger, options: MemoryAdapterOptions = {}): AdapterDefinition {
  const capabilities: Capabilities = {
    operations: ['transfer', 'contract_call', 'contract_deploy'],
    replacement: ledger.sequence === 'account',
    onDemandReplacement: ledger.sequence === 'account',
    emulation: true,
    lookup: true,
    balance: true,
    contractEvents: true,
    coSigners: ledger.sequence === 'none',
    listsTransactions: ledger.sequence === 'none',
    ...options.capabilities,
    sequence: ledger.sequence,
  };
  return defineAdapter({
    name: options.name ?? 'memory',
    technology: options.technology ?? 'memory',
    version: '0.1.0',
    description: memoryDescription,
    keyType: ledger.keyType,
    capabilities,
    readInterface(text) {
      const { interface: normal, methods, constructorInputs, events } = parseInterface(text);
      const eventNames = events.map(({ name }) => name);
      return { interface: normal, methods, constructorInputs, eventNames };
    },
    open: (config) => openSession(ledger, config, capabilities),
  });
}
