import type { FaultSwitches } from '../faults.ts';
import type { Commits } from '../gateway/commits.ts';
import type { GatewayContext, KnownPeer } from '../gateway/context.ts';
import type { Membership } from '../identity/membership.ts';
import type { OwnSignatures } from '../identity/own-signatures.ts';
import { signerOf } from '../identity/signer.ts';
import type { Connection } from '../ledger/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrganizationMaterial } from '../material.ts';
import { ordererMspId } from '../material.ts';
import type { Orderer } from '../orderer/orderer.ts';
import { createCscc } from '../system/cscc.ts';
import { createLifecycle } from '../system/lifecycle.ts';
import { createQscc } from '../system/qscc.ts';
import { createOpenStreams } from './calls.ts';
import { type ConnectChaincode, createChaincodes } from './chaincodes.ts';
import type { ProposalCheck } from './check-proposal.ts';
import { createEndorser } from './endorser.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createFollower } from './follow.ts';
import { installedOn } from './installed.ts';
import { toldBy } from './lies.ts';
import { createLimiter } from './limiter.ts';
import { addServices } from './services.ts';

/** Shared by all peers of the network. */
export interface PeerContext {
  channel: string;
  organizations: readonly string[];
  connection: Connection;
  ledger: Ledger;
  membership: Membership;
  own: OwnSignatures;
  check: ProposalCheck;
  orderer: Orderer;
  commits: Commits;
  faults: FaultSwitches;
  connectChaincode: ConnectChaincode;
  chaincodeTimeout: number;
  /** Calls at a time of the gateway service, and as many of the endorser service. */
  concurrency: number;
  /** Roots of clients' TLS certificates, when each needs one. */
  clientRoots: readonly string[] | undefined;
  /** Filled while the network is put together: every peer knows all of them. */
  peers: KnownPeer[];
}

/** One organization's peer: endorser, gateway and block streams behind one endpoint. */
export interface Peer {
  mspId: string;
  endpoint: Endpoint;
  /** Ends what the endpoint's stop leaves: the connections to chaincodes. */
  close(): Promise<void>;
}

/** Streams of blocks at a time, as a peer's default. */
const deliverConcurrency = 2500;

/** Makes a peer. Its endpoint is not started yet. */
export function createPeer(
  material: OrganizationMaterial,
  listen: { port: number; anyPort: boolean },
  context: PeerContext,
): Peer {
  const { mspId } = material;
  const { ledger, faults } = context;
  const told = { ...ledger, chain: toldBy(mspId, ledger.chain, faults) };
  const installed = installedOn(context.connection, mspId);
  const chaincodes = createChaincodes({
    ...{ channel: context.channel, mspId, ledger, installed },
    ...{ connect: context.connectChaincode, timeoutMs: context.chaincodeTimeout },
  });
  const systemContext = { ledger, organizations: context.organizations };
  const system = [
    createLifecycle(systemContext, installed),
    createQscc({ ...systemContext, ledger: told }),
    createCscc(systemContext),
  ];
  const endorser = createEndorser({
    signer: signerOf({ mspId, ...material.peer }),
    ...{ ledger, check: context.check, chaincodes, own: context.own, faults },
    system: new Map(system.map((one) => [one.name, one])),
  });
  const streams = createOpenStreams();
  const endpoint: Endpoint = createEndpoint({
    ...{ ...listen, tls: material.peerTls },
    ...(context.clientRoots === undefined ? {} : { clientRoots: context.clientRoots }),
    serve: (server) => addServices(server, services),
  });
  const local: KnownPeer = {
    mspId,
    address: endpoint.address,
    running: endpoint.running,
    endorser,
    limiter: createLimiter('protos.Endorser', context.concurrency),
  };
  context.peers.push(local);
  const gatewayContext: GatewayContext = { ...context, local, ordererAddress: ordererMspId };
  const services = {
    gateway: gatewayContext,
    told,
    follower: createFollower(ledger, faults),
    streams,
    limits: {
      gateway: createLimiter('gateway.Gateway', context.concurrency),
      deliver: createLimiter('protos.Deliver', deliverConcurrency),
    },
    stop: () => endpoint.stop(),
  };
  faults.onCut((only) => {
    if (only === undefined || only === mspId) streams.cut();
  });
  return { mspId, endpoint, close: () => chaincodes.close() };
}
