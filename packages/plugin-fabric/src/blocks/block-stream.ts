import type { peer as protos } from '@hyperledger/fabric-protos';
import type { AdapterHost } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { classify } from '../gateway/errors.ts';
import { type Peer, streamError } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { QueryIdentity } from '../gateway/query-identity.ts';
import type { Timing } from '../timing.ts';
import { createStallDetector } from './stall-detector.ts';
import { isDuplicate } from './validation-code.ts';

/** A transaction of a block, with the validation code that a peer shows for it. */
export interface ValidatedTransaction {
  txId: string;
  block: number;
  /** `TxValidationCode`. */
  code: number;
  /** The peer whose stream brought it. */
  peer: Peer;
}

/** Follows the blocks of one channel by a stream of filtered blocks, from one peer at a time. */
export interface BlockStream {
  readonly channel: string;
  /** Number of the next block to come. */
  readonly next: number;
  /** Number of the first block whose transactions are kept. */
  readonly oldest: number;
  /** Hash of block 0, `0x` hex. */
  readonly genesis: string;
  /**
   * Transactions from a block on; undefined where these blocks are not kept any more.
   * @param from number of the first block
   */
  since(from: number): ValidatedTransaction[] | undefined;
  /** Reads again from there. */
  rewind(from: number): void;
  /** How many transactions are waited for: without any, silence is no matter. */
  waitFor(count: number): void;
  /** Whether, since this was asked last, the channel was seen to have blocks that no stream brought. */
  takeMissed(): boolean;
  /** Why no blocks come at present. */
  failure(): PeerError | undefined;
  /** The channel has another block 0 than before: it was made anew. */
  wasReset(): boolean;
  close(): void;
}

export interface BlockStreamOptions {
  channel: string;
  genesis: string;
  /** Number of the first block to read. */
  from: number;
  peers: Pick<Peers, 'order' | 'failed' | 'worked'>;
  queryIdentity: QueryIdentity;
  qscc: Pick<Qscc, 'genesis' | 'height'>;
  host: AdapterHost;
  /** Milliseconds without a block, while transactions wait, after which the peers are asked. */
  stallTimeout: number;
  timing: Timing['blocks'];
  /** A block came, or there are some that do not come. */
  onNews(): void;
}

/** Transactions are kept this many blocks back, for a cursor that lags. */
const keep = 2_000;

export function createBlockStream(options: BlockStreamOptions): BlockStream {
  const { channel, genesis, peers, queryIdentity, qscc, host, stallTimeout, timing, onNews } = options;
  const blocks = new Map<number, ValidatedTransaction[]>();
  let next = options.from;
  let oldest = next;
  let missed = false;
  let failure: PeerError | undefined;
  let failures = 0;
  let reset = false;
  let closed = false;
  let stream: { peer: Peer; close(): void } | undefined;
  let wake: () => void = () => undefined;

  async function follow(): Promise<void> {
    while (!closed) {
      const [peer] = peers.order();
      if (peer === undefined) {
        failure = new PeerError(grpcCode.unavailable, 'The ledger has no node.');
        return;
      }
      try {
        await readFrom(peer);
      } catch (error) {
        if (closed) return;
        const seen = streamError(error);
        failures += 1;
        failure = seen;
        peers.failed(peer);
        host.log('info', 'fabric.stream.ended', {
          channel,
          node: peer.properties.nodeId,
          next,
          failure: classify(seen).kind,
        });
        if (classify(seen).kind === 'not-found') await detectReset();
      }
      await pause(backoff(failures + 1, timing.backoff));
    }
  }

  async function readFrom(peer: Peer): Promise<void> {
    const gateway = await peer.gateway(queryIdentity.identity, queryIdentity.sign);
    const events = await gateway.getNetwork(channel).getFilteredBlockEvents({ startBlock: BigInt(next) });
    const current = { peer, close: () => events.close() };
    stream = current;
    if (closed) {
      events.close();
      return;
    }
    // A channel may be quiet for long: an answer shows that the peer is there. What is wrong, the stream itself says.
    void qscc.height(channel, peer).then(
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
        throw new PeerError(grpcCode.unavailable, 'The peer ended the stream of blocks.');
    } catch (error) {
      if (stream === current) throw error;
    } finally {
      if (stream === current) stream = undefined;
      events.close();
    }
  }

  function take(block: protos.FilteredBlock, peer: Peer): void {
    const number = block.getNumber();
    stallDetector.progress();
    failure = undefined;
    failures = 0;
    if (number < next) return;
    if (number > next)
      throw new PeerError(grpcCode.internal, `Block ${number} came after block ${next - 1}.`);
    const validated: ValidatedTransaction[] = [];
    for (const one of block.getFilteredTransactionsList()) {
      const code = one.getTxValidationCode();
      // A copy of a transaction that stands, or comes, elsewhere.
      if (!isDuplicate(code)) validated.push({ txId: one.getTxid(), block: number, code, peer });
    }
    blocks.set(number, validated);
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
  async function detectReset(): Promise<void> {
    const answers = peers.order().map(genesisOf);
    const same = new Promise<string[]>((resolve) => {
      for (const answer of answers)
        answer.then(
          (hash) => hash === genesis && resolve([hash]),
          () => undefined,
        );
    });
    const told = (await Promise.race([same, Promise.all(answers)])).filter((hash) => hash !== undefined);
    reset ||= told.length > 0 && !told.includes(genesis);
  }

  async function genesisOf(peer: Peer): Promise<string | undefined> {
    try {
      return await qscc.genesis(channel, peer);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return undefined;
    }
  }

  function leave(peer: Peer, why: string): void {
    const current = stream;
    if (current === undefined || current.peer !== peer) return;
    host.log('warn', 'fabric.stream.silent', { channel, node: peer.properties.nodeId, why });
    peers.failed(peer);
    stallDetector.progress();
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

  const stallDetector = createStallDetector({
    ...{ channel, peers, qscc, host, stallTimeout, timing, leave },
    next: () => next,
    current: () => stream?.peer,
    missed() {
      missed = true;
      onNews();
    },
  });
  void follow().catch((error: unknown) => {
    failure = new PeerError(grpcCode.internal, 'The stream of blocks broke off.', [], error);
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
      const found: ValidatedTransaction[] = [];
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
    waitFor: stallDetector.waitFor,
    takeMissed() {
      const taken = missed;
      missed = false;
      return taken;
    },
    failure: () => failure,
    wasReset: () => reset,
    close() {
      closed = true;
      stallDetector.close();
      const current = stream;
      stream = undefined;
      current?.close();
      wake();
    },
  };
}
