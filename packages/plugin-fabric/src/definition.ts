import { type AdapterDefinition, defineAdapter } from '@ledger-ops/adapter';
import { loadInTurns } from '@ledger-ops/base/load-in-turns';
import { describeInterface, parseMetadata } from './chaincode/interface.ts';
import { fabricDescription } from './description.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** Creates the adapter for Hyperledger Fabric 2.5, with the given session timings. */
export function createFabricAdapter(timing: Timing): AdapterDefinition {
  return defineAdapter({
    name: 'hyperledger-fabric',
    technology: 'hyperledger-fabric',
    description: fabricDescription,
    version: '0.1.0',
    keyType: 'p256',
    capabilities: {
      operations: ['transfer', 'contract_call', 'contract_deploy'],
      emulation: true,
      signedEmulation: true,
      lookup: true,
      describesContracts: true,
      contractEvents: true,
    },
    readInterface: async (text) => describeInterface(parseMetadata(text, 'interface')),
    // gRPC and Fabric's messages are large, so they are loaded only for Fabric ledgers.
    open: async (ledger, host) => (await loadSession()).openSession(ledger, host, timing),
  });
}

/** Loads the modules in several turns of the event loop, so that the first ledger delays other requests less. */
function loadSession() {
  return loadInTurns(
    [
      () => import('@grpc/grpc-js'),
      () => import('@hyperledger/fabric-protos/lib/common/index.js'),
      () => import('@hyperledger/fabric-protos/lib/peer/index.js'),
      () => import('@hyperledger/fabric-protos'),
      () => import('@hyperledger/fabric-gateway'),
      () => import('./gateway/peers.ts'),
      () => import('./confirm.ts'),
    ],
    () => import('./session.ts'),
  );
}

/** The adapter for Hyperledger Fabric 2.5. The README lists the ledger properties. */
export const fabricAdapter: AdapterDefinition = createFabricAdapter(defaultTiming);
