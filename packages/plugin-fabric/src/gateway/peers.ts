import type { AdapterHost, LedgerConfig } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import type { FabricProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { isPeersFault } from './errors.ts';
import { createPeer, type Peer } from './peer.ts';
import { grpcCode, PeerError } from './peer-error.ts';
import { readPeers } from './peer-properties.ts';

/** The ledger's peers, in order of preference. One that fails is asked last for a while, and the next takes over. */
export interface Peers {
  readonly all: readonly Peer[];
  /** Gateways, usable ones first. */
  order(): readonly Peer[];
  /**
   * Runs a call on the first peer that works. What is no fault of the peer (a refusal) is thrown at once.
   * @param mspId only peers of this organization, where it has any
   * @throws PeerError
   */
  onPeer<Result>(run: (peer: Peer) => Promise<Result>, mspId?: string): Promise<Result>;
  /** A peer failed: the others go before it for a while. */
  failed(peer: Peer): void;
  worked(peer: Peer): void;
  close(): void;
}

export function createPeers(
  ledger: LedgerConfig,
  properties: FabricProperties,
  { now, requested }: Pick<AdapterHost, 'now' | 'requested'>,
  timing: Timing['peers'],
): Peers {
  const all = readPeers(ledger, properties).map((peer) =>
    createPeer(peer, ledger.outbound, timing, requested),
  );
  const gateways = all.filter(({ properties: { role } }) => role === 'gateway');
  const failing = new Map<Peer, { failures: number; until: number }>();

  function order(): readonly Peer[] {
    if (failing.size === 0) return gateways;
    const at = now();
    const isFailing = (peer: Peer) => (failing.get(peer)?.until ?? 0) > at;
    return [...gateways.filter((peer) => !isFailing(peer)), ...gateways.filter(isFailing)];
  }

  function failed(peer: Peer): void {
    const failures = (failing.get(peer)?.failures ?? 0) + 1;
    failing.set(peer, { failures, until: now() + backoff(failures, timing.backoff) });
  }

  function worked(peer: Peer): void {
    if (failing.size > 0) failing.delete(peer);
  }

  async function tryEach<Result>(
    run: (peer: Peer) => Promise<Result>,
    mspId: string | undefined,
  ): Promise<Result> {
    let last: PeerError | undefined;
    const own = mspId === undefined ? [] : order().filter((peer) => peer.properties.mspId === mspId);
    for (const peer of own.length > 0 ? own : order()) {
      try {
        const result = await run(peer);
        worked(peer);
        return result;
      } catch (error) {
        if (!(error instanceof PeerError) || !isPeersFault(error)) throw error;
        failed(peer);
        last = error;
        // The time is up, for the caller as well.
        if (error.code === grpcCode.deadlineExceeded) throw error;
      }
    }
    throw last ?? new PeerError(grpcCode.unavailable, `Ledger ${ledger.ledgerId} has no node.`);
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
        if (!(error instanceof PeerError) || error.code !== grpcCode.unavailable || gateways.length === 0)
          throw error;
        // A connection that was lost is made again in a moment, and a call may not fail for that.
        const connected = await Promise.any(gateways.map((peer) => peer.ready(timing.connect))).then(
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
