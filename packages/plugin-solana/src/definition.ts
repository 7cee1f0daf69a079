import { type AdapterDefinition, defineAdapter } from '@ledger-ops/adapter';
import { loadInTurns } from '@ledger-ops/base/load-in-turns';
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
    open: async (ledger, host) => (await loadSession()).openSession(ledger, host, timing),
  });
}

/**
 * Loads the modules in steps of a few milliseconds of processor time, so that the first ledger delays no other request.
 */
function loadSession() {
  return loadInTurns(
    [
      () => import('@solana/codecs'),
      () => import('@solana/transaction-messages'),
      () => import('@solana/transactions'),
      () => import('./idl/interface.ts'),
      () => import('./rpc/nodes.ts'),
      () => import('./prepare.ts'),
      () => import('./events.ts'),
    ],
    () => import('./session.ts'),
  );
}

/** The adapter for Solana. The README lists the ledger properties. */
export const solanaAdapter: AdapterDefinition = createSolanaAdapter(defaultTiming);
