import type { peer as protos } from '@hyperledger/fabric-protos';
import type { AdapterHost } from '@ledger-ops/adapter';
import { classify } from './errors.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import { type PeerNode, streamFailure } from './peer-node.ts';
import type { Peers } from './peers.ts';
import { createSilenceWatch } from './silence-watch.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import { isDuplicate } from './validation-code.ts';

/** What the ledger finally said of a transaction. */
export interface Verdict {
  txId: string;
  block: number;
  /** `TxValidationCode`. */
  code: number;
  /** Whose stream brought it. */
  peer: PeerNode;
}

/** Follows the blocks of one channel by a stream of filtered blocks, from one peer at a time. */
export interface BlockFollower {
  readonly channel: string;
  /** Number of the next block to come. */
  readonly next: number;
  /** Number of the first block whose verdicts are kept. */
  readonly oldest: number;
  /** Hash of block 0, `0x` hex. */
  readonly genesis: string;
  /**
   * Verdicts from a block on; undefined where these blocks are not kept any more.
   * @param from number of the first block
   */
  since(from: number): Verdict[] | undefined;
  /** Reads again from there. */
  rewind(from: number): void;
  /** How many transactions are waited for: without any, silence is no matter. */
  waitFor(count: number): void;
  /** Whether, since this was asked last, the channel was seen to have blocks that no stream brought. */
  takeMissed(): boolean;
  /** Why no blocks come at present. */
  failure(): PeerFailure | undefined;
  /** The channel has another block 0 than before: it was made anew. */
  wasReset(): boolean;
  close(): void;
}

export interface FollowerOptions {
  channel: string;
  genesis: string;
  /** Number of the first block to read. */
  from: number;
  peers: Pick<Peers, 'order' | 'failed' | 'worked'>;
  observer: Observer;
  system: Pick<SystemChaincode, 'genesis' | 'height'>;
  host: AdapterHost;
  /** Milliseconds without a block, while transactions wait, after which the peers are asked. */
  patience: number;
  /** A block came, or there are some that do not come. */
  onNews(): void;
}

/** Verdicts are kept this many blocks back, for a cursor that lags. */
const keep = 2_000;
const longestPause = 3_000;

export function createBlockFollower(options: FollowerOptions): BlockFollower {
  const { channel, genesis, peers, observer, system, host, patience, onNews } = options;
  const blocks = new Map<number, Verdict[]>();
  let next = options.from;
  let oldest = next;
  let missed = false;
  let failure: PeerFailure | undefined;
  let failures = 0;
  let reset = false;
  let closed = false;
  let stream: { peer: PeerNode; close(): void } | undefined;
  let wake: () => void = () => undefined;

  async function follow(): Promise<void> {
    while (!closed) {
      const [peer] = peers.order();
      if (peer === undefined) {
        failure = new PeerFailure(grpcCode.unavailable, 'The ledger has no node.');
        return;
      }
      try {
        await readFrom(peer);
      } catch (error) {
        if (closed) return;
        const seen = streamFailure(error);
        failures += 1;
        failure = seen;
        peers.failed(peer);
        host.log('info', 'fabric.stream.ended', {
          channel,
          node: peer.properties.nodeId,
          next,
          failure: classify(seen).kind,
        });
        if (classify(seen).kind === 'not-found') await suspectReset();
      }
      await pause(Math.min(longestPause, 50 * 2 ** Math.min(failures, 8)));
    }
  }

  async function readFrom(peer: PeerNode): Promise<void> {
    const gateway = await peer.gateway(observer.identity, observer.sign);
    const events = await gateway.getNetwork(channel).getFilteredBlockEvents({ startBlock: BigInt(next) });
    const current = { peer, close: () => events.close() };
    stream = current;
    if (closed) {
      events.close();
      return;
    }
    // A channel may be quiet for long: an answer shows that the peer is there. What is wrong, the stream itself says.
    void system.height(channel, peer).then(
      () => {
        if (stream === current) failure = undefined;
      },
      () => undefined,
    );
    try {
      for await (const block of events) {
        // A rewind or another peer took over.
        if (stream !== current) return;
        take(block, peer);
        peers.worked(peer);
      }
      if (stream === current)
        throw new PeerFailure(grpcCode.unavailable, 'The peer ended the stream of blocks.');
    } catch (error) {
      if (stream === current) throw error;
    } finally {
      if (stream === current) stream = undefined;
      events.close();
    }
  }

  function take(block: protos.FilteredBlock, peer: PeerNode): void {
    const number = block.getNumber();
    watch.heard();
    failure = undefined;
    failures = 0;
    if (number < next) return;
    if (number > next)
      throw new PeerFailure(grpcCode.internal, `Block ${number} came after block ${next - 1}.`);
    const verdicts: Verdict[] = [];
    for (const one of block.getFilteredTransactionsList()) {
      const code = one.getTxValidationCode();
      // A copy of a transaction that stands, or comes, elsewhere.
      if (!isDuplicate(code)) verdicts.push({ txId: one.getTxid(), block: number, code, peer });
    }
    blocks.set(number, verdicts);
    next = number + 1;
    if (blocks.size > keep) {
      blocks.delete(oldest);
      oldest += 1;
    }
    onNews();
  }

  /**
   * A peer without our next block is behind, or of another channel; the channel was made anew when no peer that answers
   * has its block 0 any more. Whether those that do not answer have it, the host asks.
   */
  async function suspectReset(): Promise<void> {
    const words = peers.order().map(firstBlockOf);
    const same = new Promise<string[]>((resolve) => {
      for (const word of words)
        word.then(
          (hash) => hash === genesis && resolve([hash]),
          () => undefined,
        );
    });
    const heard = (await Promise.race([same, Promise.all(words)])).filter((hash) => hash !== undefined);
    reset ||= heard.length > 0 && !heard.includes(genesis);
  }

  async function firstBlockOf(peer: PeerNode): Promise<string | undefined> {
    try {
      return await system.genesis(channel, peer);
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      return undefined;
    }
  }

  function leave(peer: PeerNode, why: string): void {
    const current = stream;
    if (current === undefined || current.peer !== peer) return;
    host.log('warn', 'fabric.stream.silent', { channel, node: peer.properties.nodeId, why });
    peers.failed(peer);
    watch.heard();
    stream = undefined;
    current.close();
    // The connection may be dead without knowing it.
    peer.reset();
    wake();
  }

  function pause(limit: number): Promise<void> {
    if (closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, limit);
      function done(): void {
        clearTimeout(timer);
        wake = () => undefined;
        resolve();
      }
      wake = done;
    });
  }

  const watch = createSilenceWatch({
    ...{ channel, peers, system, host, patience, leave },
    next: () => next,
    current: () => stream?.peer,
    missed() {
      missed = true;
      onNews();
    },
  });
  void follow().catch((error: unknown) => {
    failure = new PeerFailure(grpcCode.internal, 'The stream of blocks broke off.', [], error);
    host.log('error', 'fabric.stream.broken', {
      channel,
      why: error instanceof Error ? error.name : 'unknown',
    });
  });

  return {
    channel,
    genesis,
    get oldest() {
      return oldest;
    },
    get next() {
      return next;
    },
    since(from) {
      if (from < oldest) return undefined;
      const found: Verdict[] = [];
      for (let number = from; number < next; number += 1) found.push(...(blocks.get(number) ?? []));
      return found;
    },
    rewind(from) {
      blocks.clear();
      next = from;
      oldest = from;
      const current = stream;
      stream = undefined;
      current?.close();
      wake();
    },
    waitFor: watch.waitFor,
    takeMissed() {
      const taken = missed;
      missed = false;
      return taken;
    },
    failure: () => failure,
    wasReset: () => reset,
    close() {
      closed = true;
      watch.close();
      const current = stream;
      stream = undefined;
      current?.close();
      wake();
    },
  };
}
