import type { ProposalOptions } from '@hyperledger/fabric-gateway';
import { evaluate, processProposal, type SignedProposal, signProposal } from './gateway-calls.ts';
import type { Limiter } from './limiter.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';

/** What is to be evaluated. */
export interface Question {
  channel: string;
  chaincode: string;
  /** Contract inside the chaincode. */
  contract?: string | undefined;
  method: string;
  args: readonly (string | Uint8Array)[];
  transientData?: Record<string, Uint8Array> | undefined;
  endorsingOrganizations?: readonly string[] | undefined;
}

/** Evaluates chaincode as the ledger's observer. */
export interface Reader {
  /** By way of the first gateway that works. @param timeout milliseconds @throws PeerFailure */
  ask(question: Question, timeout: number): Promise<Uint8Array>;
  /**
   * What the first of them that works answers itself, and which it was. An answer that `read` throws at is none.
   * @throws PeerFailure
   */
  askAny<Answer>(
    question: Question,
    timeout: number,
    read: (bytes: Uint8Array) => Answer,
  ): Promise<{ peer: PeerNode; answer: Answer }>;
  /** What this peer itself answers: as a gateway it might hand the question on. @throws PeerFailure */
  askPeer(peer: PeerNode, question: Question, timeout: number): Promise<Uint8Array>;
}

export function createReader(peers: Peers, observer: Observer, limiter: Limiter): Reader {
  async function propose(peer: PeerNode, question: Question): Promise<SignedProposal> {
    const gateway = await peer.gateway(observer.identity, observer.sign);
    const proposal = gateway
      .getNetwork(question.channel)
      .getContract(question.chaincode, question.contract)
      .newProposal(question.method, proposalOptions(question));
    // The observer signs messages, not digests: see peer-node.ts.
    return signProposal(proposal.getBytes(), question.channel, observer.sign(proposal.getDigest()));
  }

  const askPeer: Reader['askPeer'] = async (peer, question, timeout) => {
    const { signed } = await propose(peer, question);
    const { status, message, payload, ran } = await processProposal(peer, signed.serializeBinary(), timeout);
    if (status >= 200 && status < 400) return payload;
    // In the words of a gateway (Fabric: internal/pkg/gateway, responseStatus).
    throw new PeerFailure(grpcCode.aborted, ran ? `chaincode response ${status}, ${message}` : message);
  };

  return {
    ask: (question, timeout) =>
      limiter.run(() => peers.onPeer(async (peer) => evaluate(peer, await propose(peer, question), timeout))),
    askAny: (question, timeout, read) =>
      limiter.run(() =>
        peers.onPeer(async (peer) => ({
          peer,
          answer: readable(await askPeer(peer, question, timeout), read),
        })),
      ),
    askPeer,
  };
}

/** @throws PeerFailure as of a peer that cannot be reached: another one may do better */
export function readable<Answer>(bytes: Uint8Array, read: (bytes: Uint8Array) => Answer): Answer {
  try {
    return read(bytes);
  } catch (error) {
    throw new PeerFailure(grpcCode.unavailable, 'The peer answered what cannot be read.', [], error);
  }
}

/** Options as the gateway's library takes them; members without a value are left out. */
export function proposalOptions(question: Question): ProposalOptions {
  const { args, transientData, endorsingOrganizations } = question;
  return {
    arguments: [...args],
    ...(transientData === undefined ? {} : { transientData }),
    ...(endorsingOrganizations === undefined ? {} : { endorsingOrganizations: [...endorsingOrganizations] }),
  };
}
