import { Problem } from '@ledger-ops/base';
import type { NodeProbe } from './types.ts';

/**
 * Asks a node for its chain, and holds it against the ledger's. Answers the chain; null where there is none.
 *
 * @throws Problem `conflict` for a node on another chain, and what the probe throws
 */
export async function chainOf(
  probe: NodeProbe,
  ledger: Parameters<NodeProbe>[0],
  node: Parameters<NodeProbe>[1],
  pointer: string,
): Promise<string | null> {
  const { chainId } = await probe(ledger, node);
  const wanted = ledger.properties.chain_id;
  if (chainId !== null && wanted !== undefined && !sameChain(chainId, wanted)) {
    const detail = `the node is on chain ${chainId}, the ledger on chain ${String(wanted)}`;
    throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }
  return chainId;
}

function sameChain(reported: string, wanted: unknown): boolean {
  if (reported === String(wanted)) return true;
  try {
    return BigInt(reported) === BigInt(String(wanted));
  } catch {
    return false;
  }
}
