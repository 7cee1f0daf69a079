import { problemOf } from './errors.ts';
import { createLimiter } from './limiter.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import { createReader, type Reader, readable } from './reader.ts';
import { createSystemChaincode } from './system-chaincode.ts';

/** Which block 0 a channel has, by the word of each gateway itself. */
export interface FirstBlocks {
  /** Hash of block 0 as this peer has it, `0x` hex. @throws PeerFailure */
  of(peer: PeerNode, channel: string): Promise<string>;
  /**
   * Asks all gateways at once. `unsure`: which of them did not tell, and why.
   * @throws PeerFailure when none tells, or two tell different ones
   */
  ofAll(channel: string): Promise<{ genesis: string; unsure?: string }>;
}

/** @param timeout milliseconds for one question */
export function createFirstBlocks(peers: Peers, observer: Observer, timeout: number): FirstBlocks {
  // Peers are asked one question each, which is not held back.
  const { askPeer } = createReader(peers, observer, createLimiter(1));

  const of: FirstBlocks['of'] = (peer, channel) => {
    // As a gateway it might hand the question on to another peer.
    const alone: Reader = {
      askPeer,
      ask: (question, limit) => askPeer(peer, question, limit),
      askAny: async (question, limit, read) => ({
        peer,
        answer: readable(await askPeer(peer, question, limit), read),
      }),
    };
    return createSystemChaincode(alone, timeout).genesis(channel);
  };

  return {
    of,
    async ofAll(channel) {
      const told: { nodeId: string; genesis: string }[] = [];
      const failures: { nodeId: string; failure: PeerFailure }[] = [];
      const ask = async (peer: PeerNode) => {
        const { nodeId } = peer.properties;
        try {
          told.push({ nodeId, genesis: await of(peer, channel) });
        } catch (failure) {
          if (!(failure instanceof PeerFailure)) throw failure;
          failures.push({ nodeId, failure });
        }
      };
      await Promise.all(peers.order().map(ask));
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
    },
  };
}
