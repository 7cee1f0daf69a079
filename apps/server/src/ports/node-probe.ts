import type { ChainIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { NodeProbe } from '@ledger-ops/registry';
import type { Ledgers } from '@ledger-ops/runtime';

/** Queries a node through the plugin of its ledger, before it is recorded. */
export function createNodeProbe(ledgers: Pick<Ledgers, 'probe' | 'open'>): NodeProbe {
  /** Returns the network of the ledger's recorded nodes; undefined if none of them responds. */
  async function networkOf(ledgerUid: string, projectUid: string | null): Promise<string | undefined> {
    try {
      const open = await ledgers.open(ledgerUid, projectUid === null ? {} : { projectUid });
      return network(await open.chain());
    } catch (error) {
      const down =
        error instanceof Problem &&
        ['ledger-unavailable', 'ledger-timeout', 'address-not-opened'].includes(error.problem);
      if (down) return undefined;
      throw error;
    }
  }

  return async (ledger, { nodeId, uri, properties: nodeProperties }) => {
    // Omits the ledger's chain id, because the caller compares it with the node's.
    const { chain_id: _chainId, ...properties } = ledger.properties;
    const identity = await ledgers.probe(
      { ...ledger, properties },
      { nodeId, uri, properties: nodeProperties },
    );
    const [, chainId] = identity.id.split(':');
    if (ledger.hasChainId && chainId !== undefined && /^\d+$/.test(chainId)) return { chainId };
    const expected = ledger.uid === undefined ? undefined : await networkOf(ledger.uid, ledger.projectUid);
    return {
      chainId: null,
      network: network(identity),
      ...(expected === undefined ? {} : { expected }),
    };
  };
}

function network({ id, genesis }: ChainIdentity): string {
  return `${id} (first block ${genesis})`;
}
