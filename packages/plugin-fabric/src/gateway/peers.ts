import type { AdapterHost, LedgerConfig } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/base/backoff';
import type { FabricProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { isPeersFault } from './errors.ts';
import { Peer } from './peer.ts';
import { grpcCode, PeerError } from './peer-error.ts';
import { readPeers } from './peer-properties.ts';

/** The ledger's peers, in order of preference. A failed peer is used last for a while. */
export interface Peers {
  readonly all: readonly Peer[];
  /** Gateways, usable ones first. */
  order(): readonly Peer[];
  /**
   * Runs a call on the first working peer. Throws a refusal immediately, because it is not the peer's fault.
   * @param where `mspId`: only peers of this organization, if it has any. `skip`: number of preferred peers
   * that are tried last
   * @throws PeerError
   */
  onPeer<Result>(
    run: (peer: Peer) => Promise<Result>,
    where?: { mspId?: string; skip?: number },
  ): Promise<Result>;
  /** Records a failure: other peers are preferred for a while. */
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
  const all = readPeers(ledger, properties).map((peer) => new Peer(peer, ledger.outbound, timing, requested));
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
    { mspId, skip = 0 }: { mspId?: string; skip?: number },
  ): Promise<Result> {
    let last: PeerError | undefined;
    const own = order().filter((peer) => peer.properties.mspId === mspId);
    const usable = own.length > 0 ? own : order();
    const first = skip % Math.max(1, usable.length);
    for (const peer of [...usable.slice(first), ...usable.slice(0, first)]) {
      try {
        const result = await run(peer);
        worked(peer);
        return result;
      } catch (error) {
        if (!(error instanceof PeerError) || !isPeersFault(error)) throw error;
        failed(peer);
        last = error;
        // The deadline also applies to the caller.
        if (error.code === grpcCode.deadlineExceeded) throw error;
      }
    }
    throw last ?? new PeerError(grpcCode.unavailable, `Ledger ${ledger.ledgerId} has no nodes. Add one.`);
  }

  return {
    all,
    order,
    failed,
    worked,
    async onPeer(run, where = {}) {
      try {
        return await tryEach(run, where);
      } catch (error) {
        if (!(error instanceof PeerError) || error.code !== grpcCode.unavailable || gateways.length === 0)
          throw error;
        // A lost connection is usually restored soon, so one failed attempt should not fail the call.
        const connected = await Promise.any(gateways.map((peer) => peer.ready(timing.connect))).then(
          () => true,
          () => false,
        );
        if (!connected) throw error;
        return tryEach(run, where);
      }
    },
    close: () => {
      for (const peer of all) peer.close();
    },
  };
}
