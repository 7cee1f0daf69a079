import type { ProposalOptions } from '@hyperledger/fabric-gateway';
import { evaluate, signProposal } from './gateway-calls.ts';
import type { Limiter } from './limiter.ts';
import type { Observer } from './observer.ts';
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
  /** @param timeout milliseconds @throws PeerFailure */
  ask(question: Question, timeout: number, peer?: PeerNode): Promise<Uint8Array>;
}

export function createReader(peers: Peers, observer: Observer, limiter: Limiter): Reader {
  async function askOn(peer: PeerNode, question: Question, timeout: number): Promise<Uint8Array> {
    const gateway = await peer.gateway(observer.identity, observer.sign);
    const proposal = gateway
      .getNetwork(question.channel)
      .getContract(question.chaincode, question.contract)
      .newProposal(question.method, proposalOptions(question));
    // The observer signs messages, not digests: see peer-node.ts.
    const signature = observer.sign(proposal.getDigest());
    return evaluate(peer, signProposal(proposal.getBytes(), question.channel, signature), timeout);
  }

  return {
    ask(question, timeout, peer) {
      if (peer !== undefined) return askOn(peer, question, timeout);
      return limiter.run(() => peers.onPeer((one) => askOn(one, question, timeout)));
    },
  };
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
