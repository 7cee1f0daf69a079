import { problemOf } from '../gateway/errors.ts';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';

/**
 * Reads block 0 of a channel from all gateways concurrently. `unsure` lists the gateways that did not
 * respond, with the reasons.
 *
 * @throws PeerError if no gateway answers, or two of them return different blocks
 */
export async function genesisOfAll(
  channel: string,
  peers: Pick<Peers, 'order'>,
  qscc: Pick<Qscc, 'genesis'>,
): Promise<{ genesis: string; unsure?: string }> {
  const ask = async (peer: Peer) => {
    const { nodeId } = peer.properties;
    try {
      return { nodeId, genesis: await qscc.genesis(channel, peer) };
    } catch (failure) {
      if (!(failure instanceof PeerError)) throw failure;
      return { nodeId, failure };
    }
  };
  const answers = await Promise.all(peers.order().map(ask));
  const told = answers.flatMap((one) => (one.failure === undefined ? [one] : []));
  const failures = answers.flatMap((one) => (one.failure === undefined ? [] : [one]));
  const [first] = told;
  if (first === undefined)
    throw failures[0]?.failure ?? new PeerError(grpcCode.unavailable, 'The ledger has no gateway.');
  const { genesis } = first;
  const other = told.find((one) => one.genesis !== genesis);
  if (other !== undefined) {
    const detail = `the nodes ${first.nodeId} and ${other.nodeId} have different first blocks of the channel ${channel} (${genesis} and ${other.genesis}). Remove the wrong one from the ledger`;
    throw new PeerError(grpcCode.unavailable, detail);
  }
  if (failures.length === 0) return { genesis };
  const unsure = failures.map(
    ({ nodeId, failure }) => `Node ${nodeId}: ${problemOf(failure, 'open').detail}`,
  );
  return { genesis, unsure: unsure.join(' ') };
}
