import type { AdapterHost } from '@ledger-ops/adapter';
import { PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/** Notices when transactions wait and no block comes, and asks the peers whether there are any. */
export interface SilenceWatch {
  /** A block came, or a stream of another peer begins. */
  heard(): void;
  /** How many transactions are waited for: without any, silence is no matter. */
  waitFor(count: number): void;
  close(): void;
}

export interface SilenceWatchOptions {
  channel: string;
  peers: Pick<Peers, 'order' | 'failed'>;
  system: Pick<SystemChaincode, 'height'>;
  host: AdapterHost;
  /** Milliseconds without a block, while transactions wait, after which the peers are asked. */
  patience: number;
  /** Number of the next block to come. */
  next(): number;
  /** The peer whose stream is read. */
  current(): PeerNode | undefined;
  /** The stream of this peer brings nothing any more. */
  leave(peer: PeerNode, why: string): void;
  /** There are blocks that no stream brought. */
  missed(): void;
}

export function createSilenceWatch(options: SilenceWatchOptions): SilenceWatch {
  const { channel, peers, system, host, patience, next, current, leave, missed } = options;
  let waiting = 0;
  let heardAt = host.now();
  let asking = false;
  let closed = false;

  async function look(): Promise<void> {
    if (asking || closed || waiting === 0 || host.now() - heardAt < patience) return;
    asking = true;
    const [before, peer] = [heardAt, current()];
    try {
      const { height, silent } = await ask();
      // Blocks came meanwhile.
      if (closed || heardAt !== before) return;
      if (height !== undefined && height > next()) {
        heardAt = host.now();
        if (peer !== undefined) leave(peer, `is silent at block ${next()}, the channel has ${height}`);
        missed();
      } else if (peer !== undefined && silent.has(peer)) leave(peer, 'does not answer');
      else if (height !== undefined) heardAt = host.now();
    } finally {
      asking = false;
    }
  }

  /** The greatest height that any peer tells, as soon as it shows that blocks are missed; and who did not answer. */
  function ask(): Promise<{ height: number | undefined; silent: ReadonlySet<PeerNode> }> {
    const silent = new Set<PeerNode>();
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

  async function heightOf(peer: PeerNode): Promise<number | undefined> {
    try {
      return await system.height(channel, peer);
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      peers.failed(peer);
      return undefined;
    }
  }

  const watch = setInterval(
    () =>
      void look().catch((error: unknown) =>
        host.log('error', 'fabric.watch.failed', {
          channel,
          why: error instanceof Error ? error.name : 'unknown',
        }),
      ),
    Math.min(1_000, patience),
  );
  watch.unref();

  return {
    heard() {
      heardAt = host.now();
    },
    waitFor(count) {
      if (waiting === 0 && count > 0) heardAt = host.now();
      waiting = count;
    },
    close() {
      closed = true;
      clearInterval(watch);
    },
  };
}
