import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { Auth } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { createEmulator } from './actions/emulate.ts';
import { createResolver } from './actions/resolve.ts';
import { createSearch } from './actions/search.ts';
import { createSender } from './actions/send.ts';
import type { Catalogue } from './catalogue.ts';
import { createEngine } from './engine/engine.ts';
import type { Faults } from './engine/faults.ts';
import { createLedgers } from './ledgers.ts';
import type { Ledgers, Log, Runtime, Vault, Wallets } from './types.ts';

export interface RuntimeOptions {
  store: Store;
  auth: Auth;
  catalogue: Catalogue;
  vault: Vault;
  /** Makes the wallet service, which needs the open ledgers. */
  wallets: (ledgers: Ledgers) => Wallets;
  /** In order of preference. */
  adapters: readonly AdapterDefinition[];
  log: Log;
  now?: () => number;
  /** Milliseconds that a silent server keeps its lanes; default 15,000. */
  leaseDuration?: number;
  /** For tests that end the process at the worst moments. */
  faults?: Faults;
}

/** Puts the runtime together. Nothing runs until `start`. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, auth, catalogue, vault, log, adapters } = options;
  const now = options.now ?? Date.now;
  const ledgers = createLedgers({ catalogue, adapters, log, now });
  const wallets = options.wallets(ledgers);
  const engine = createEngine({
    store,
    vault,
    ledgers,
    log,
    now,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...(options.leaseDuration === undefined ? {} : { leaseDuration: options.leaseDuration }),
  });
  const resolver = createResolver({ auth, catalogue, wallets });
  const send = createSender({ store, auth, ledgers, vault, wallets, resolver, engine, now });
  const emulate = createEmulator({ catalogue, ledgers, wallets, resolver, engine });
  return {
    ledgers,
    wallets,
    actions: { ...createSearch({ store, auth, wallets, engine }), send, emulate, onChange: engine.onChange },
    start: () => engine.start(),
    async stop() {
      await engine.stop();
      await ledgers.close();
    },
    health: () => engine.health(),
  };
}
