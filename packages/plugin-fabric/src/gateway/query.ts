import type { ProposalOptions } from '@hyperledger/fabric-gateway';
import { evaluate, processProposal, type SignedProposal, signProposal } from './gateway-client.ts';
import type { Peer } from './peer.ts';
import { grpcCode, ObserverError, PeerError } from './peer-error.ts';
import type { Peers } from './peers.ts';
import type { QueryIdentity } from './query-identity.ts';
import type { Semaphore } from './semaphore.ts';

/** A function of a chaincode to evaluate. */
export interface Query {
  channel: string;
  chaincode: string;
  /** Contract inside the chaincode. */
  contract?: string | undefined;
  method: string;
  args: readonly (string | Uint8Array)[];
  transientData?: Record<string, Uint8Array> | undefined;
  endorsingOrganizations?: readonly string[] | undefined;
}

/** Evaluates chaincode as the ledger's query identity. Failures of peers are thrown as ObserverError. */
export interface Queries {
  /**
   * Evaluates a query through the first working gateway, which may forward it to another peer.
   * @param timeout milliseconds
   * @throws PeerError
   */
  evaluate(query: Query, timeout: number): Promise<Uint8Array>;
  /**
   * Returns the first working peer and its direct answer. If `read` throws for an answer, the peer counts as failed.
   * @throws PeerError
   */
  queryAnyPeer<Answer>(
    query: Query,
    timeout: number,
    read: (bytes: Uint8Array) => Answer,
  ): Promise<{ peer: Peer; answer: Answer }>;
  /** Returns each gateway's direct answer or failure. */
  queryEachPeer<Answer>(
    query: Query,
    timeout: number,
    read: (bytes: Uint8Array) => Answer,
  ): Promise<(Answer | PeerError)[]>;
  /**
   * Returns the direct answer of this peer. A gateway call could be forwarded to another peer.
   *
   * @throws PeerError
   */
  queryPeer(peer: Peer, query: Query, timeout: number): Promise<Uint8Array>;
}

export function createQueries(peers: Peers, identity: QueryIdentity, semaphore: Semaphore): Queries {
  async function propose(peer: Peer, query: Query): Promise<SignedProposal> {
    const gateway = await peer.gateway(identity.identity, identity.sign);
    const proposal = gateway
      .getNetwork(query.channel)
      .getContract(query.chaincode, query.contract)
      .newProposal(query.method, proposalOptions(query));
    // Signs messages, not digests: see `Peer.gateway`.
    return signProposal(proposal.getBytes(), query.channel, identity.sign(proposal.getDigest()));
  }

  const queryPeer: Queries['queryPeer'] = async (peer, query, timeout) => {
    const { signed } = await propose(peer, query);
    const { status, message, payload, ran } = await asObserver(() =>
      processProposal(peer, signed.serializeBinary(), timeout),
    );
    if (status >= 200 && status < 400) return payload;
    // Worded like a gateway's error (Fabric: internal/pkg/gateway, responseStatus).
    const said = ran ? `chaincode response ${status}, ${message}` : message;
    throw new ObserverError(new PeerError(grpcCode.aborted, said));
  };

  return {
    evaluate: (query, timeout) =>
      semaphore.run(() =>
        peers.onPeer((peer) => asObserver(async () => evaluate(peer, await propose(peer, query), timeout))),
      ),
    queryAnyPeer: (query, timeout, read) =>
      semaphore.run(() =>
        peers.onPeer(async (peer) => ({
          peer,
          answer: readable(await queryPeer(peer, query, timeout), read),
        })),
      ),
    queryEachPeer: (query, timeout, read) =>
      Promise.all(
        peers.order().map((peer) =>
          semaphore.run(async () => {
            try {
              return readable(await queryPeer(peer, query, timeout), read);
            } catch (error) {
              if (error instanceof PeerError) return error;
              throw error;
            }
          }),
        ),
      ),
    queryPeer,
  };
}

/** @throws ObserverError instead of a PeerError */
async function asObserver<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof PeerError ? new ObserverError(error) : error;
  }
}

/** @throws PeerError as if the peer were unreachable, because another peer may return a valid answer */
export function readable<Answer>(bytes: Uint8Array, read: (bytes: Uint8Array) => Answer): Answer {
  try {
    return read(bytes);
  } catch (error) {
    throw new PeerError(grpcCode.unavailable, 'The peer returned a response that cannot be read.', [], error);
  }
}

/** Returns the options for the gateway library. Omits members without a value. */
export function proposalOptions(query: Query): ProposalOptions {
  const { args, transientData, endorsingOrganizations } = query;
  return {
    arguments: [...args],
    ...(transientData === undefined ? {} : { transientData }),
    ...(endorsingOrganizations === undefined ? {} : { endorsingOrganizations: [...endorsingOrganizations] }),
  };
}
