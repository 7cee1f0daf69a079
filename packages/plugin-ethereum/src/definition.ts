import { type AdapterDefinition, defineAdapter } from '@ledger-ops/adapter';
import { describeInterface, parseAbi } from './abi/interface.ts';
import { ethereumDescription } from './description.ts';
import { openSession } from './session.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** Creates the adapter for Ethereum and compatible chains, with given session timings. */
export function createEthereumAdapter(timing: Timing): AdapterDefinition {
  return defineAdapter({
    name: 'ethereum',
    technology: 'ethereum',
    description: ethereumDescription,
    version: '0.1.0',
    keyType: 'secp256k1',
    capabilities: {
      operations: ['transfer', 'contract_call', 'contract_deploy'],
      sequence: 'account',
      replacement: true,
      onDemandReplacement: true,
      emulation: true,
      lookup: true,
      balance: true,
      contractEvents: true,
    },
    readInterface: async (text) => describeInterface(parseAbi(text, 'interface')),
    open: (ledger, host) => openSession(ledger, host, timing),
  });
}

/** The adapter for Ethereum and compatible chains. The README lists the ledger properties. */
export const ethereumAdapter: AdapterDefinition = createEthereumAdapter(defaultTiming);
