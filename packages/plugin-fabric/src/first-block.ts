import { problemOf } from './errors.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/**
 * Block 0 of a channel as all gateways have it, each by its own word; they are asked at once. `unsure`: which of them
 * did not tell, and why.
 * @throws PeerFailure when none tells, or two tell different ones
 */
export async function firstBlockOfAll(
  channel: string,
  peers: Pick<Peers, 'order'>,
  system: Pick<SystemChaincode, 'genesis'>,
): Promise<{ genesis: string; unsure?: string }> {
  const ask = async (peer: PeerNode) => {
    const { nodeId } = peer.properties;
    try {
      return { nodeId, genesis: await system.genesis(channel, peer) };
    } catch (failure) {
      if (!(failure instanceof PeerFailure)) throw failure;
      return { nodeId, failure };
    }
  };
  const answers = await Promise.all(peers.order().map(ask));
  const told = answers.flatMap((one) => (one.failure === undefined ? [one] : []));
  const failures = answers.flatMap((one) => (one.failure === undefined ? [] : [one]));
  const [first] = told;
  if (first === undefined)
    throw failures[0]?.failure ?? new PeerFailure(grpcCode.unavailable, 'The ledger has no gateway.');
  const { genesis } = first;
  const other = told.find((one) => one.genesis !== genesis);
  if (other !== undefined) {
    const detail = `the nodes ${first.nodeId} and ${other.nodeId} have different first blocks of the channel ${channel} (${genesis} and ${other.genesis}). Remove the wrong one from the ledger`;
    throw new PeerFailure(grpcCode.unavailable, detail);
  }
  if (failures.length === 0) return { genesis };
  const unsure = failures.map(
    ({ nodeId, failure }) => `Node ${nodeId}: ${problemOf(failure, 'open').detail}`,
  );
  return { genesis, unsure: unsure.join(' ') };
}
