import type { NodeProbe } from '@ledger-ops/registry';
import type { Ledgers } from '@ledger-ops/runtime';

/** Asks a node over the plugin that serves its ledger, before it is recorded. */
export function createNodeProbe(ledgers: Pick<Ledgers, 'probe'>): NodeProbe {
  return async (ledger, { uri }) => {
    // Without the ledger's own: what the node says is held against it by whoever asks.
    const { chain_id: _chainId, ...properties } = ledger.properties;
    const { id } = await ledgers.probe({ ...ledger, properties }, { nodeId: 'new', uri });
    const [namespace, chainId] = id.split(':');
    return { chainId: namespace === 'eip155' && chainId !== undefined ? chainId : null };
  };
}
