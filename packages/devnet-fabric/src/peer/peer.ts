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
import { reportedChain } from './lies.ts';
import { createLimiter } from './limiter.ts';
import { addServices } from './services.ts';

/** Context that all peers of the network share. */
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
  /** Maximum number of concurrent calls to the gateway service, and to the endorser service. */
  concurrency: number;
  /** PEM of the roots of clients' TLS certificates, for mutual TLS. */
  clientRoots: readonly string[] | undefined;
  /** All peers of the network. The list is filled while the network is created, because every peer knows all others. */
  peers: KnownPeer[];
}

/** One organization's peer: endorser, gateway and block streams behind one endpoint. */
export interface Peer {
  mspId: string;
  endpoint: Endpoint;
  /** Closes the connections to chaincodes, which stopping the endpoint does not close. */
  close(): Promise<void>;
}

/** Maximum number of concurrent block streams, as on a peer by default. */
const deliverConcurrency = 2500;

/** Creates a peer without starting its endpoint. */
export function createPeer(
  material: OrganizationMaterial,
  listen: { port: number; anyPort: boolean },
  context: PeerContext,
): Peer {
  const { mspId } = material;
  const { ledger, faults } = context;
  const told = { ...ledger, chain: reportedChain(mspId, ledger.chain, faults) };
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
