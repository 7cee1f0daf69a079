import type { FaultSwitches } from '../faults.ts';
import type { Membership } from '../identity/membership.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Orderer } from '../orderer/orderer.ts';
import type { Endorser } from '../peer/endorser.ts';
import type { Limiter } from '../peer/limiter.ts';
import type { Commits } from './commits.ts';

/** A peer as seen by gateways. */
export interface KnownPeer {
  mspId: string;
  /** `host:port`, as included in error details. */
  address(): string;
  running(): boolean;
  endorser: Endorser;
  /** Limits the calls to the peer's endorser service, including those from other organizations' gateways. */
  limiter: Limiter;
}

export interface GatewayContext {
  channel: string;
  organizations: readonly string[];
  ledger: Ledger;
  membership: Membership;
  orderer: Orderer;
  /** `host:port`, as included in error details. */
  ordererAddress: string;
  commits: Commits;
  faults: FaultSwitches;
  /** The peer that this gateway is part of. */
  local: KnownPeer;
  /** All peers of the channel, including the local one. */
  peers: readonly KnownPeer[];
}
