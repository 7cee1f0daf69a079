import type { LedgerConfig } from '@ledger-ops/adapter';
import { isNodesFault } from './errors.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import { createPeerNode, type PeerNode } from './peer-node.ts';
import { readPeers } from './peer-properties.ts';
import type { FabricProperties } from './properties.ts';

/** The ledger's peers, in order of preference. One that fails rests for a while, and the next takes over. */
export interface Peers {
  readonly all: readonly PeerNode[];
  /** Gateways, usable ones first. */
  order(): readonly PeerNode[];
  /**
   * Runs a call on the first peer that works. What is no fault of the peer (a refusal) is thrown at once.
   * @param mspId only peers of this organization, where it has any
   * @throws PeerFailure
   */
  onPeer<Result>(run: (peer: PeerNode) => Promise<Result>, mspId?: string): Promise<Result>;
  /** Says that a peer failed. */
  failed(peer: PeerNode): void;
  worked(peer: PeerNode): void;
  close(): void;
}

/** Milliseconds that a peer rests after its first failure, doubled with each further one. */
const firstRest = 500;
const longestRest = 15_000;
/** How long is waited for any connection when no peer has one. */
const patience = 2_000;

export function createPeers(ledger: LedgerConfig, properties: FabricProperties, now: () => number): Peers {
  const all = readPeers(ledger, properties).map((peer) => createPeerNode(peer, ledger.outbound));
  const gateways = all.filter(({ properties: { role } }) => role === 'gateway');
  const rests = new Map<PeerNode, { failures: number; until: number }>();

  function order(): readonly PeerNode[] {
    if (rests.size === 0) return gateways;
    const at = now();
    const isResting = (peer: PeerNode) => (rests.get(peer)?.until ?? 0) > at;
    return [...gateways.filter((peer) => !isResting(peer)), ...gateways.filter(isResting)];
  }

  function failed(peer: PeerNode): void {
    const failures = (rests.get(peer)?.failures ?? 0) + 1;
    rests.set(peer, { failures, until: now() + Math.min(longestRest, firstRest * 2 ** (failures - 1)) });
  }

  function worked(peer: PeerNode): void {
    if (rests.size > 0) rests.delete(peer);
  }

  async function tryEach<Result>(
    run: (peer: PeerNode) => Promise<Result>,
    mspId: string | undefined,
  ): Promise<Result> {
    let last: PeerFailure | undefined;
    const own = mspId === undefined ? [] : order().filter((peer) => peer.properties.mspId === mspId);
    for (const peer of own.length > 0 ? own : order()) {
      try {
        const result = await run(peer);
        worked(peer);
        return result;
      } catch (error) {
        if (!(error instanceof PeerFailure) || !isNodesFault(error)) throw error;
        failed(peer);
        last = error;
        // The time is up, for the caller as well.
        if (error.code === grpcCode.deadlineExceeded) throw error;
      }
    }
    throw last ?? new PeerFailure(grpcCode.unavailable, `Ledger ${ledger.ledgerId} has no node.`);
  }

  return {
    all,
    order,
    failed,
    worked,
    async onPeer(run, mspId) {
      try {
        return await tryEach(run, mspId);
      } catch (error) {
        if (!(error instanceof PeerFailure) || error.code !== grpcCode.unavailable || gateways.length === 0)
          throw error;
        // A connection that was lost is made again in a moment, and a call may not fail for that.
        const connected = await Promise.any(gateways.map((peer) => peer.ready(patience))).then(
          () => true,
          () => false,
        );
        if (!connected) throw error;
        return tryEach(run, mspId);
      }
    },
    close: () => {
      for (const peer of all) peer.close();
    },
  };
}
