import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import {
  Compilations,
  type ContractReader,
  ContractRegistry,
  ContractTemplates,
  createCompiler,
  createLedgerNodes,
  createTimeline,
  type LedgerNodes,
  SmartContracts,
  type Technologies,
  type Timeline,
} from '@ledger-ops/registry';
import type { Log, Runtime } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { messageOf } from '../message-of.ts';
import { createContractReader } from './contract-reader.ts';
import { createNodeProbe } from './node-probe.ts';

/** The registry's services for callers, created once and shared by all routes. */
export interface RegistryServices {
  readonly contracts: ContractRegistry;
  readonly smartContracts: SmartContracts;
  readonly templates: ContractTemplates;
  readonly ledgerNodes: LedgerNodes;
  readonly timeline: Timeline;
}

export interface RegistryServicesOptions {
  readonly store: Store;
  readonly auth: Auth;
  readonly masterKey: MasterKey;
  readonly ledgers: Runtime['ledgers'];
  readonly technologies: Technologies;
  readonly log: Log;
  readonly now: () => number;
}

/** The services, and their compilation queue, which must be started and closed. */
export interface OpenRegistryServices {
  readonly services: RegistryServices;
  readonly compilations: Compilations;
  close(): Promise<void>;
}

/** Creates the services. Nothing is compiled until `compilations.start()`. */
export function createRegistryServices(options: RegistryServicesOptions): OpenRegistryServices {
  const { store, auth, masterKey, ledgers, technologies, log, now } = options;
  const reader: ContractReader = createContractReader(ledgers);
  const compiler = createCompiler();
  const compilations = new Compilations({
    store,
    compiler,
    // Any version of the plugin can do this: it only reads the form of the interface.
    readInterface: (technology, text) => reader.readInterface({ technology, projectUid: '' }, text),
    now,
    onError: (error) => log('error', 'compilation interrupted', { error: messageOf(error) }),
  });
  const context = { store, auth, now };
  const contractsContext = { ...context, reader, compilations, technologies };
  return {
    services: {
      contracts: new ContractRegistry({ ...context, reader }),
      smartContracts: new SmartContracts(contractsContext),
      templates: new ContractTemplates(contractsContext),
      ledgerNodes: createLedgerNodes({
        ...context,
        masterKey,
        technologies,
        probe: createNodeProbe(ledgers),
      }),
      timeline: createTimeline({ store, masterKey }),
    },
    compilations,
    async close() {
      await compilations.close();
      await compiler.close();
    },
  };
}
