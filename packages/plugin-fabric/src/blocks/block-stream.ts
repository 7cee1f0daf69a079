import type { peer as protos } from '@hyperledger/fabric-protos';
import type { AdapterHost } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/base/backoff';
import { classify } from '../gateway/errors.ts';
import { type Peer, streamError } from '../gateway/peer.ts';
import { grpcCode, ObserverError, PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { QueryIdentity } from '../gateway/query-identity.ts';
import type { Timing } from '../timing.ts';
import { createStallDetector } from './stall-detector.ts';
import { isDuplicate } from './validation-code.ts';

/** A transaction of a block, with the validation code that a peer reports. */
export interface ValidatedTransaction {
  txId: string;
  block: number;
  /** `TxValidationCode`. */
  code: number;
  /** The peer whose stream contained the transaction. */
  peer: Peer;
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
  /**
   * If no block arrives for this many milliseconds while transactions are expected, the peers are queried.
   */
  stallTimeout: number;
  timing: Timing['blocks'];
  /** Called when a block arrives, or when blocks are found to be missing. */
  onNews(): void;
}

/** Number of blocks whose transactions are kept, for a cursor that is behind. */
const keep = 2_000;

/**
 * Follows the blocks of one channel through a stream of filtered blocks, from one peer at a time.
 *
 * Stores the number of the next block, and the transactions of up to 2,000 blocks before it. After an error,
 * or if a stream is silent, uses the next peer, with backoff, until `close`.
 */
export class BlockStream {
  /** Hash of block 0, `0x` hex. */
  readonly genesis: string;
  readonly channel: string;
  readonly #peers: Pick<Peers, 'order' | 'failed' | 'worked'>;
  readonly #queryIdentity: QueryIdentity;
  readonly #qscc: Pick<Qscc, 'genesis' | 'height'>;
  readonly #host: AdapterHost;
  readonly #timing: Timing['blocks'];
  readonly #onNews: BlockStreamOptions['onNews'];
  readonly #blocks = new Map<number, ValidatedTransaction[]>();
  #next: number;
  #oldest: number;
  #missed = false;
  #failure: PeerError | undefined;
  #failures = 0;
  #reset = false;
  #closed = false;
  #stream: { peer: Peer; close(): void } | undefined;
  #wake: () => void = () => undefined;
  readonly #stallDetector;

  constructor(options: BlockStreamOptions) {
    const { channel, genesis, peers, qscc, host, stallTimeout, timing } = options;
    this.channel = channel;
    this.genesis = genesis;
    this.#peers = peers;
    this.#queryIdentity = options.queryIdentity;
    this.#qscc = qscc;
    this.#host = host;
    this.#timing = timing;
    this.#onNews = options.onNews;
    this.#next = options.from;
    this.#oldest = this.#next;
    this.#stallDetector = createStallDetector({
      ...{
        channel: this.channel,
        peers: this.#peers,
        qscc: this.#qscc,
        host: this.#host,
        stallTimeout,
        timing: this.#timing,
        leave: (peer: Peer, why: string) => this.#leave(peer, why),
      },
      next: () => this.#next,
      current: () => this.#stream?.peer,
      missed: () => {
        this.#missed = true;
        this.#onNews();
      },
    });
    void this.#follow().catch((error: unknown) => {
      this.#failure = new PeerError(grpcCode.internal, 'The block stream was interrupted.', [], error);
      this.#host.log('error', 'fabric.stream.broken', {
        channel: this.channel,
        why: error instanceof Error ? error.name : 'unknown',
      });
    });
  }

  /** Sets the number of expected transactions. If it is 0, a silent stream is not checked. */
  waitFor(count: number): void {
    this.#stallDetector.waitFor(count);
  }

  /** Number of the first block whose transactions are still kept. */
  get oldest(): number {
    return this.#oldest;
  }

  /** Number of the next expected block. */
  get next(): number {
    return this.#next;
  }

  /**
   * Returns the transactions from a block on; undefined if these blocks are no longer kept.
   *
   * @param from number of the first block
   */
  since(from: number): ValidatedTransaction[] | undefined {
    if (from < this.#oldest) return undefined;
    const found: ValidatedTransaction[] = [];
    for (let number = from; number < this.#next; number += 1) found.push(...(this.#blocks.get(number) ?? []));
    return found;
  }

  /** Reads again, starting at this block. */
  rewind(from: number): void {
    this.#blocks.clear();
    this.#next = from;
    this.#oldest = from;
    const current = this.#stream;
    this.#stream = undefined;
    current?.close();
    this.#wake();
  }

  /** Whether blocks that no stream delivered were found in the channel since the last call. */
  takeMissed(): boolean {
    const taken = this.#missed;
    this.#missed = false;
    return taken;
  }

  /** Why no blocks arrive now. */
  failure(): PeerError | undefined {
    return this.#failure;
  }

  /** Whether the channel has a different block 0 than before, which means that it was created again. */
  wasReset(): boolean {
    return this.#reset;
  }

  close(): void {
    this.#closed = true;
    this.#stallDetector.close();
    const current = this.#stream;
    this.#stream = undefined;
    current?.close();
    this.#wake();
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      const [peer] = this.#peers.order();
      if (peer === undefined) {
        this.#failure = new PeerError(grpcCode.unavailable, 'The ledger has no nodes. Add one.');
        return;
      }
      try {
        await this.#readFrom(peer);
      } catch (error) {
        if (this.#closed) return;
        const seen = new ObserverError(streamError(error));
        this.#failures += 1;
        this.#failure = seen;
        this.#peers.failed(peer);
        this.#host.log('info', 'fabric.stream.ended', {
          channel: this.channel,
          node: peer.properties.nodeId,
          next: this.#next,
          failure: classify(seen).kind,
        });
        if (classify(seen).kind === 'not-found') await this.#detectReset();
      }
      await this.#pause(backoff(this.#failures + 1, this.#timing.backoff));
    }
  }

  async #readFrom(peer: Peer): Promise<void> {
    const gateway = await peer.gateway(this.#queryIdentity.identity, this.#queryIdentity.sign);
    const events = await gateway
      .getNetwork(this.channel)
      .getFilteredBlockEvents({ startBlock: BigInt(this.#next) });
    const current = { peer, close: () => events.close() };
    this.#stream = current;
    if (this.#closed) {
      events.close();
      return;
    }
    // A channel may have no new blocks for a long time, so a response of the peer proves that the peer is up.
    // The stream itself reports errors.
    void this.#qscc.height(this.channel, peer).then(
      () => {
        if (this.#stream === current) this.#failure = undefined;
      },
      () => undefined,
    );
    try {
      for await (const block of events) {
        // A rewind or another peer replaced the stream.
        if (this.#stream !== current) return;
        this.#take(block, peer);
        this.#peers.worked(peer);
      }
      if (this.#stream === current)
        throw new PeerError(grpcCode.unavailable, 'The peer ended the block stream.');
    } catch (error) {
      if (this.#stream === current) throw error;
    } finally {
      if (this.#stream === current) this.#stream = undefined;
      events.close();
    }
  }

  #take(block: protos.FilteredBlock, peer: Peer): void {
    const number = block.getNumber();
    this.#stallDetector.progress();
    this.#failure = undefined;
    this.#failures = 0;
    if (number < this.#next) return;
    if (number > this.#next)
      throw new PeerError(grpcCode.internal, `Block ${number} came after block ${this.#next - 1}.`);
    const validated: ValidatedTransaction[] = [];
    for (const one of block.getFilteredTransactionsList()) {
      const code = one.getTxValidationCode();
      // A later block repeats a transaction of an earlier block.
      if (!isDuplicate(code)) validated.push({ txId: one.getTxid(), block: number, code, peer });
    }
    this.#blocks.set(number, validated);
    this.#next = number + 1;
    if (this.#blocks.size > keep) {
      this.#blocks.delete(this.#oldest);
      this.#oldest += 1;
    }
    this.#onNews();
  }

  /**
   * A peer that lacks the next block is behind, or has another channel of the same name. If none of the peers
   * that answer has the known block 0, the channel was created again. The host checks the peers that do not
   * answer.
   */
  async #detectReset(): Promise<void> {
    const answers = this.#peers.order().map((peer) => this.#genesisOf(peer));
    const same = new Promise<string[]>((resolve) => {
      for (const answer of answers)
        answer.then(
          (hash) => hash === this.genesis && resolve([hash]),
          () => undefined,
        );
    });
    const told = (await Promise.race([same, Promise.all(answers)])).filter((hash) => hash !== undefined);
    this.#reset ||= told.length > 0 && !told.includes(this.genesis);
  }

  async #genesisOf(peer: Peer): Promise<string | undefined> {
    try {
      return await this.#qscc.genesis(this.channel, peer);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return undefined;
    }
  }

  #leave(peer: Peer, why: string): void {
    const current = this.#stream;
    if (current === undefined || current.peer !== peer) return;
    this.#host.log('warn', 'fabric.stream.silent', {
      channel: this.channel,
      node: peer.properties.nodeId,
      why,
    });
    this.#peers.failed(peer);
    this.#stallDetector.progress();
    this.#stream = undefined;
    current.close();
    // The connection may have been lost without an error.
    peer.reset();
    this.#wake();
  }

  #pause(limit: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, limit);
      this.#wake = done;
    });
  }
}
