import type { AdapterHost } from '@ledger-ops/adapter';
import type { Peer } from '../gateway/peer.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { Timing } from '../timing.ts';

/** Detects that transactions are expected but no block arrives, and queries the peers for the channel's height. */
export interface StallDetector {
  /** Called when a block arrived, or the stream of another peer started. */
  progress(): void;
  /** Sets the number of expected transactions. If it is 0, a silent stream is not checked. */
  waitFor(count: number): void;
  close(): void;
}

export interface StallDetectorOptions {
  channel: string;
  peers: Pick<Peers, 'order' | 'failed'>;
  qscc: Pick<Qscc, 'height'>;
  host: AdapterHost;
  /**
   * If no block arrives for this many milliseconds while transactions are expected, the peers are queried.
   */
  stallTimeout: number;
  timing: Timing['blocks'];
  /** Returns the number of the next expected block. */
  next(): number;
  /** Returns the peer whose stream is read. */
  current(): Peer | undefined;
  /** Called to stop using the stream of this peer. */
  leave(peer: Peer, why: string): void;
  /** Called when there are blocks that no stream delivered. */
  missed(): void;
}

export function createStallDetector(options: StallDetectorOptions): StallDetector {
  const { channel, peers, qscc, host, stallTimeout, timing, next, current, leave, missed } = options;
  let waiting = 0;
  let progressAt = host.now();
  let asking = false;
  let closed = false;

  async function check(): Promise<void> {
    if (asking || closed || waiting === 0 || host.now() - progressAt < stallTimeout) return;
    asking = true;
    const [before, peer] = [progressAt, current()];
    try {
      const { height, silent } = await askForHeight();
      // Blocks arrived in the meantime.
      if (closed || progressAt !== before) return;
      if (height !== undefined && height > next()) {
        progressAt = host.now();
        if (peer !== undefined)
          leave(peer, `is stuck at block ${next()}, but the channel has ${height} blocks`);
        missed();
      } else if (peer !== undefined && silent.has(peer)) leave(peer, 'does not answer');
      else if (height !== undefined) progressAt = host.now();
    } finally {
      asking = false;
    }
  }

  /**
   * Returns the greatest height of all peers and the peers that did not answer. Returns as soon as a height
   * proves that blocks are missing.
   */
  function askForHeight(): Promise<{ height: number | undefined; silent: ReadonlySet<Peer> }> {
    const silent = new Set<Peer>();
    const asked = peers.order();
    let height: number | undefined;
    let open = asked.length;
    return new Promise((resolve, reject) => {
      if (open === 0) resolve({ height, silent });
      for (const peer of asked) {
        heightOf(peer).then((told) => {
          if (told === undefined) silent.add(peer);
          else height = Math.max(height ?? 0, told);
          open -= 1;
          if (open === 0 || (told !== undefined && told > next())) resolve({ height, silent });
        }, reject);
      }
    });
  }

  async function heightOf(peer: Peer): Promise<number | undefined> {
    try {
      return await qscc.height(channel, peer);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      peers.failed(peer);
      return undefined;
    }
  }

  const timer = setInterval(
    () =>
      void check().catch((error: unknown) =>
        host.log('error', 'fabric.watch.failed', {
          channel,
          why: error instanceof Error ? error.name : 'unknown',
        }),
      ),
    Math.min(timing.stallCheck, stallTimeout),
  );
  timer.unref();

  return {
    progress() {
      progressAt = host.now();
    },
    waitFor(count) {
      if (waiting === 0 && count > 0) progressAt = host.now();
      waiting = count;
    },
    close() {
      closed = true;
      clearInterval(timer);
    },
  };
}
