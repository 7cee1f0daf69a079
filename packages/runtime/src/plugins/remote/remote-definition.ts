import type { LedgerSession } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { RemoteAdapterDefinition } from '@ledger-ops/cloud-wallet';
import type { LedgerDefinition } from '../../ledger-definition.ts';
import { createRemoteSession, type RemoteOptions } from './remote-session.ts';

/** Maximum length of a ledger id, in characters. */
const longestId = 64;

/**
 * Returns a definition with which the engine can use a remote plugin. Instead of signed transactions, the engine stores
 * and sends requests to the plugin, which signs by itself.
 */
export function remoteDefinition(remote: RemoteAdapterDefinition, options: RemoteOptions): LedgerDefinition {
  const { name, technology, version, interfaceVersion, capabilities, description, ledgers } = remote;
  return Object.freeze({
    name,
    technology,
    ...(description === undefined ? {} : { description }),
    ...(ledgers === undefined ? {} : { ledgers: ledgers.map((ledgerId) => plainWords(ledgerId, longestId)) }),
    version,
    interfaceVersion,
    keyType: null,
    capabilities: {
      operations: capabilities.operations,
      sequence: 'none',
      replacement: false,
      emulation: capabilities.emulations,
      lookup: false,
      balance: false,
      coSigners: capabilities.coSigners === true,
      contractEvents: capabilities.contractEvents === true,
    },
    readInterface: options.readInterface ?? (async (text: string) => ({ interface: text, methods: [] })),
    async open(ledger, host): Promise<LedgerSession> {
      if (ledgers !== undefined && !ledgers.includes(ledger.ledgerId)) {
        const detail = `The plugin ${name} serves the ledgers ${plainWords(ledgers.join(', '), 500)}, but not ${ledger.ledgerId}.`;
        throw adapterError('unsupported-operation', detail, { phase: 'open' });
      }
      // Another plugin may have served the ledger before. Then the property was allowed.
      if (ledger.properties.confirmations !== undefined) {
        const detail = `The ledger ${ledger.ledgerId} has the property confirmations, which the remote plugin ${name} does not receive: it decides itself when an outcome is final. Remove the property, or select another plugin.`;
        throw adapterError('unsupported-operation', detail, { phase: 'open' });
      }
      return createRemoteSession({ ...options, remote, ledger, host });
    },
  } satisfies LedgerDefinition);
}
