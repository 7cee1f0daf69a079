import type { FaultSwitches } from '../faults.ts';
import type { Membership } from '../identity/membership.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Orderer } from '../orderer/orderer.ts';
import type { Endorser } from '../peer/endorser.ts';
import type { Limiter } from '../peer/limiter.ts';
import type { Commits } from './commits.ts';

/** A peer, as gateways see it. */
export interface KnownPeer {
  mspId: string;
  /** `host:port`, which error details name. */
  address(): string;
  running(): boolean;
  endorser: Endorser;
  /** Of its endorser service: calls by other organizations' gateways count. */
  limiter: Limiter;
}

/** Of the gateway at one organization's peer. */
export interface GatewayContext {
  channel: string;
  organizations: readonly string[];
  ledger: Ledger;
  membership: Membership;
  orderer: Orderer;
  /** Host and port in error details. */
  ordererAddress: string;
  commits: Commits;
  faults: FaultSwitches;
  /** The peer that this gateway is part of. */
  local: KnownPeer;
  /** All peers of the channel, with the local one. */
  peers: readonly KnownPeer[];
}
