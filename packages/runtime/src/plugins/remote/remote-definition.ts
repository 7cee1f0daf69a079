import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import type { RemoteAdapterDefinition } from '@ledger-ops/adapter/cloud-wallet';
import { plainWords } from '@ledger-ops/adapter/process';
import type { MasterKey } from '@ledger-ops/base';
import type { LedgerDefinition } from '../../types.ts';
import { createRemoteSession } from './remote-session.ts';

export interface RemoteOptions {
  masterKey: MasterKey;
  /** Where the plugin is; wallets' secrets that were made for another place do not go there. */
  url: string;
  /** Reads contracts of the plugin's technology, where a plugin here can: the protocol itself has no such call. */
  readInterface?: AdapterDefinition['readInterface'];
}

/** A remote plugin as the engine drives it: nothing is signed here, and what is durable before it is sent is the request. */
export function remoteDefinition(remote: RemoteAdapterDefinition, options: RemoteOptions): LedgerDefinition {
  const { name, technology, version, interfaceVersion, capabilities } = remote;
  return Object.freeze({
    name,
    technology,
    version,
    interfaceVersion,
    keyType: 'remote',
    capabilities: {
      operations: capabilities.operations,
      sequence: 'none',
      replacement: false,
      emulation: capabilities.emulations,
      lookup: false,
      balance: false,
    },
    readInterface: options.readInterface ?? (async (text: string) => ({ interface: text, methods: [] })),
    async open(ledger, host): Promise<LedgerSession> {
      if (remote.ledgers !== undefined && !remote.ledgers.includes(ledger.ledgerId)) {
        const detail = `The plugin ${name} serves ${plainWords(remote.ledgers.join(', '), 500)}, not the ledger ${ledger.ledgerId}.`;
        throw adapterError('unsupported-operation', 'open', detail);
      }
      return createRemoteSession({ ...options, remote, ledger, host });
    },
  } satisfies LedgerDefinition);
}
