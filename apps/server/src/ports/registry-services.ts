import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import {
  type Compilations,
  type ContractReader,
  type ContractRegistry,
  createCompilations,
  createCompiler,
  createContractRegistry,
  createLedgerNodes,
  createSmartContracts,
  createTimeline,
  type LedgerNodes,
  type SmartContracts,
  type Technologies,
  type Timeline,
} from '@ledger-ops/registry';
import type { Ledgers, Log } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { createContractReader } from './contract-reader.ts';
import { createNodeProbe } from './node-probe.ts';

/** The registry's services for callers, made once and shared by all routes. */
export interface RegistryServices {
  readonly contracts: ContractRegistry;
  readonly smartContracts: SmartContracts;
  readonly ledgerNodes: LedgerNodes;
  readonly timeline: Timeline;
}

/** Dependencies of the services. */
export interface RegistryServicesOptions {
  readonly store: Store;
  readonly auth: Auth;
  readonly masterKey: MasterKey;
  readonly ledgers: Ledgers;
  readonly technologies: Technologies;
  readonly log: Log;
  readonly now: () => number;
}

/** The services, and the compilations behind them, which begin with `start` and are to be closed. */
export interface OpenRegistryServices {
  readonly services: RegistryServices;
  readonly compilations: Compilations;
  close(): Promise<void>;
}

/** Makes them. Nothing is compiled until `compilations.start()`. */
export function createRegistryServices(options: RegistryServicesOptions): OpenRegistryServices {
  const { store, auth, masterKey, ledgers, technologies, log, now } = options;
  const reader: ContractReader = createContractReader(ledgers);
  const compiler = createCompiler();
  const compilations = createCompilations({
    store,
    compiler,
    // Whose version it is does not matter: only the interface's form is read.
    readInterface: (technology, text) => reader.readInterface({ technology, projectUid: '' }, text),
    now,
    onError: (error) =>
      log('error', 'compilation broken off', { error: error instanceof Error ? error.message : 'unknown' }),
  });
  const context = { store, auth, now };
  return {
    services: {
      contracts: createContractRegistry({ ...context, reader }),
      smartContracts: createSmartContracts({ ...context, reader, compilations, technologies }),
      ledgerNodes: createLedgerNodes({
        ...{ ...context, masterKey, technologies },
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
