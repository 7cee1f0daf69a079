import { type AdapterDefinition, defineAdapter } from '@ledger-ops/adapter';
import { solanaDescription } from './description.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** Creates the adapter for Solana, with given session timings. */
export function createSolanaAdapter(timing: Timing): AdapterDefinition {
  return defineAdapter({
    name: 'solana',
    technology: 'solana',
    description: solanaDescription,
    version: '0.1.0',
    keyType: 'ed25519',
    capabilities: {
      operations: ['transfer', 'contract_call', 'contract_deploy'],
      emulation: true,
      lookup: true,
      balance: true,
      coSigners: true,
      raisesExpired: true,
      contractEvents: true,
      listsTransactions: true,
    },
    // The client library is large, so it is loaded only for Solana ledgers.
    readInterface: async (text) => (await import('./idl/interface.ts')).readInterface(text),
    open: async (ledger, host) => (await import('./session.ts')).openSession(ledger, host, timing),
  });
}

/** The adapter for Solana. The README lists the ledger properties. */
export const solanaAdapter: AdapterDefinition = createSolanaAdapter(defaultTiming);
