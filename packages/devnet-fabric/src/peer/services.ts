import { hash } from 'node:crypto';
import {
  type Server,
  type ServerDuplexStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { common, gateway, peer } from '@hyperledger/fabric-protos';
import { chaincodeEvents } from '../gateway/chaincode-events.ts';
import { commitStatus } from '../gateway/commit-status.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { endorse } from '../gateway/endorse.ts';
import { evaluate } from '../gateway/evaluate.ts';
import { RpcError } from '../gateway/rpc-error.ts';
import { submit } from '../gateway/submit.ts';
import type { StoredBlock } from '../ledger/chain.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { MalformedError, type Proposal, readProposal } from '../messages/proposal.ts';
import { type OpenStreams, serverStreaming, streaming, unary } from './calls.ts';
import { withFaults } from './deaths.ts';
import { deliver } from './deliver.ts';
import { type Follower, send } from './follow.ts';
import type { Limiter } from './limiter.ts';

export interface ServicesContext {
  gateway: GatewayContext;
  /** The chain as the peer's block streams report it. */
  told: Ledger;
  follower: Follower;
  streams: OpenStreams;
  /**
   * Limits of the gateway and deliver services. The limit of the endorser service is in {@link KnownPeer}.
   */
  limits: { gateway: Limiter; deliver: Limiter };
  /** Stops the endpoint, for a planned crash. */
  stop(): Promise<void>;
}

/** Adds the gateway, endorser and deliver services of one peer to a server. */
export function addServices(server: Server, context: ServicesContext): void {
  server.addService(gateway.GatewayService, gatewayService(context));
  server.addService(peer.EndorserService, endorserService(context));
  server.addService(peer.DeliverService, deliverService(context));
}

function gatewayService({ gateway: inner, ...context }: ServicesContext): UntypedServiceImplementation {
  const { faults, local } = inner;
  const limiter = context.limits.gateway;
  const streamOptions = { limiter, streams: context.streams, refused: () => faults.streamsRefused };
  const faulty = <T>(phase: Parameters<typeof withFaults>[0], run: () => Promise<T> | T) =>
    withFaults(phase, local.mspId, faults, context.stop, run);
  return {
    evaluate: unary(limiter, (request: gateway.EvaluateRequest) =>
      faulty('evaluate', () => evaluate(request, inner)),
    ),
    endorse: unary(limiter, (request: gateway.EndorseRequest) =>
      faulty('endorse', () => endorse(request, inner)),
    ),
    submit: unary(limiter, (request: gateway.SubmitRequest) =>
      faulty('submit', () => submit(request, inner)),
    ),
    commitStatus: unary(limiter, (request: gateway.SignedCommitStatusRequest, signal) =>
      faulty('commitStatus', () => commitStatus(request, inner, signal)),
    ),
    chaincodeEvents: serverStreaming<gateway.SignedChaincodeEventsRequest, gateway.ChaincodeEventsResponse>(
      streamOptions,
      (call, signal) =>
        chaincodeEvents(call.request, inner, context.follower, signal, (response) =>
          send(call, response, signal),
        ),
    ),
  };
}

function endorserService({ gateway: { local } }: ServicesContext): UntypedServiceImplementation {
  return {
    processProposal: unary(local.limiter, async (signed: peer.SignedProposal) => {
      const processed = await local.endorser.process(read(signed), true);
      if ('refusal' in processed) throw new RpcError(status.UNKNOWN, processed.refusal);
      return processed.response;
    }),
  };
}

function deliverService({ gateway: inner, ...context }: ServicesContext): UntypedServiceImplementation {
  const options = {
    limiter: context.limits.deliver,
    streams: context.streams,
    refused: () => inner.faults.streamsRefused,
  };
  const serve = (write: (response: peer.DeliverResponse, block: StoredBlock) => void) =>
    streaming<common.Envelope, peer.DeliverResponse>(options, async (call, signal) => {
      const certificate = call.getAuthContext()?.sslPeerCertificate?.raw;
      const binding = certificate === undefined ? {} : { tlsCertHash: hash('sha256', certificate, 'buffer') };
      // Even if the client disconnects, pending writes are sent.
      for await (const envelope of requests(call)) {
        const result = await deliver(
          {
            ...{ envelope, signal, ...binding },
            send: (block) => {
              const response = new peer.DeliverResponse();
              write(response, block);
              return send(call, response, signal);
            },
          },
          { ledger: context.told, membership: inner.membership, follower: context.follower },
        );
        if (result === undefined) return;
        const end = new peer.DeliverResponse();
        end.setStatus(result);
        await send(call, end, signal);
        if (result !== common.Status.SUCCESS) return;
      }
    });
  return {
    deliver: serve((response, { block }) => response.setBlock(block)),
    deliverFiltered: serve((response, { filtered }) => response.setFilteredBlock(filtered)),
    deliverWithPrivateData: streaming(options, async () => {
      throw new RpcError(status.UNIMPLEMENTED, 'this network has no private data');
    }),
  };
}

function requests(
  call: ServerDuplexStream<common.Envelope, peer.DeliverResponse>,
): AsyncIterable<common.Envelope> {
  return call.iterator({ destroyOnReturn: false });
}

function read(signed: peer.SignedProposal): Proposal {
  try {
    return readProposal(signed);
  } catch (error) {
    if (error instanceof MalformedError) throw new RpcError(status.UNKNOWN, error.message);
    throw error;
  }
}
