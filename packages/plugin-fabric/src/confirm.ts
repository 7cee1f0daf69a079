import type {
  Confirmed,
  ConfirmRequest,
  Head,
  Outcome,
  PendingTransaction,
  Remark,
} from '@ledger-ops/adapter';
import type { Channels, FollowedChannel } from './blocks/channels.ts';
import {
  type ChannelCursor,
  type ChannelCursors,
  fromCursor,
  shortGenesis,
  toCursor,
} from './blocks/cursor.ts';
import { deciding, isValid } from './blocks/validation-code.ts';
import { classify, isPeersFault, problemOf, toAdapterError } from './gateway/errors.ts';
import { PeerError } from './gateway/peer-error.ts';
import { createSemaphore } from './gateway/semaphore.ts';
import { createBackfill, type Place } from './outcomes/backfill.ts';
import { doneOutcome } from './outcomes/outcome.ts';
import { createOutcomeResolver, type ResolveContext } from './outcomes/resolve-outcomes.ts';

/** The parts of a session that `confirm` needs. */
export interface ConfirmContext extends ResolveContext {
  channels: Channels;
  /** Channels to which this session sent transactions. */
  used: ReadonlySet<string>;
}

type Pending = ReadonlyMap<string, PendingTransaction>;
/** A transaction id with the validation code from a block. */
type Told = { txId: string; code: number };

const phase = 'confirm';
/** Maximum number of concurrent queries for single transactions. */
const atOnce = 8;

/**
 * Determines outcomes. The stream of filtered blocks contains the transaction ids of each block, which are
 * looked up among the pending ones. Transactions from before the stream are queried directly, once the stream
 * has started, so that none is missed. If a peer reports a transaction as invalid, a second peer must agree.
 */
export class Confirmer {
  readonly #channels: Channels;
  readonly #qscc: ConfirmContext['qscc'];
  readonly #transactions: ConfirmContext['transactions'];
  readonly #properties: ConfirmContext['properties'];
  readonly #timing: ConfirmContext['timing'];
  readonly #host: ConfirmContext['host'];
  readonly #used: ReadonlySet<string>;
  readonly #backfill;
  readonly #resolver;
  readonly #semaphore = createSemaphore(atOnce);
  /** Why the outcome of a transaction is unknown, by transaction id. */
  readonly #unanswered = new Map<string, string>();

  constructor(context: ConfirmContext) {
    const { transactions, timing } = context;
    this.#channels = context.channels;
    this.#qscc = context.qscc;
    this.#transactions = transactions;
    this.#properties = context.properties;
    this.#timing = timing;
    this.#host = context.host;
    this.#used = context.used;
    this.#backfill = createBackfill(this.#transactions, () => this.#host.now(), this.#timing.backfill);
    this.#resolver = createOutcomeResolver(context);
  }

  async confirm({ cursor, pending }: ConfirmRequest): Promise<Confirmed> {
    const cursors = fromCursor(cursor);
    const names = [...new Set([this.#properties.channel, ...cursors.keys(), ...this.#used])];
    const outcomes = new Map<string, Outcome>();
    const reached = new Map(cursors);
    let reorganised = false;
    let failure: PeerError | undefined;
    this.#resolver.keepOnly(pending);
    for (const txId of this.#unanswered.keys()) if (!pending.has(txId)) this.#unanswered.delete(txId);
    const unread: Remark[] = [];
    for (const name of names) {
      const read = await this.#readChannel(name, names, cursors, pending, outcomes);
      // The other channels are still read. Only the ledger's own channel determines its state.
      if (read.failure !== undefined && name === this.#properties.channel) failure ??= read.failure;
      else if (read.failure !== undefined) unread.push(...this.#unreadOn(name, read.failure, pending));
      if (read.cursor !== undefined) reached.set(name, read.cursor);
      reorganised ||= read.reorganised;
    }
    failure ??= await this.#askForMissing(pending, names, cursor === null, outcomes);
    await this.#resolver.retry(outcomes);
    this.#settleOthers(pending, outcomes);
    this.#resolver.askPeers();
    if (failure !== undefined && outcomes.size === 0) throw toAdapterError(failure, phase);
    for (const txId of outcomes.keys()) {
      this.#resolver.forget(txId);
      this.#transactions.forget(txId);
    }
    for (const blockStream of this.#channels.followed()) blockStream.waitFor(pending.size - outcomes.size);
    const at = toCursor(reached);
    const found = [...outcomes.values()];
    const unasked = [...this.#unanswered].map(([txId, detail]) => ({ txId, detail }));
    const remarks = [...unread, ...unasked, ...this.#resolver.remarks()].filter(
      ({ txId }) => !outcomes.has(txId),
    );
    return { cursor: at, head: at, outcomes: found, reorganised, remarks };
  }

  close(): void {
    this.#resolver.close();
  }

  head(): Head {
    return toCursor(
      new Map(
        this.#channels
          .followed()
          .map(({ channel, next, genesis }) => [channel, { next, genesis: shortGenesis(genesis) }]),
      ),
    );
  }

  #unreadOn(channel: string, failure: PeerError, pending: Pending): Remark[] {
    const detail = `Channel ${channel} cannot be read: ${problemOf(failure, phase).detail}`;
    return [...pending.keys()]
      .filter((txId) => this.#transactions.get(txId)?.channel === channel)
      .map((txId) => ({ txId, detail }));
  }

  /** Follows one channel from the host's cursor, and reads the blocks that have arrived since that cursor. */
  async #readChannel(
    name: string,
    names: readonly string[],
    cursors: ChannelCursors,
    pending: Pending,
    outcomes: Map<string, Outcome>,
  ): Promise<{ cursor?: ChannelCursor; reorganised: boolean; failure?: PeerError }> {
    let from = cursors.get(name);
    let blockStream: FollowedChannel;
    let reorganised = false;
    try {
      blockStream = await this.#channels.follow(name, from?.next);
      if (
        blockStream.wasReset() ||
        (from !== undefined && from.genesis !== shortGenesis(blockStream.genesis))
      ) {
        this.#host.log('warn', 'fabric.channel.reset', { channel: name });
        this.#channels.drop(name);
        blockStream = await this.#channels.follow(name);
        reorganised = true;
        from = undefined;
      }
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      this.#host.log('info', 'fabric.channel.unread', { channel: name });
      return { reorganised, failure: error };
    }
    // The host's cursor may be ahead of a peer, or even of the channel if a peer invented blocks.
    const start = from === undefined || from.next > blockStream.next ? blockStream.oldest : from.next;
    const validated = blockStream.since(start);
    // Blocks that arrive during this call are handled by the next call.
    let { next } = blockStream;
    if (validated === undefined) {
      // Reads again from the cursor. If the cursor is too far back, all transactions are queried directly.
      if (start >= next - longestCatchUp) {
        blockStream.rewind(start);
        next = start;
      } else this.#backfill.missed(pending.keys(), name);
    }
    if (blockStream.takeMissed()) this.#backfill.missed(pending.keys(), name);
    const own = (validated ?? []).filter((one) => pending.has(one.txId) && this.#isOf(one, name, names));
    for (const transaction of deciding(own)) {
      await this.#resolver.resolve({ ...transaction, channel: name }, outcomes);
    }
    const failure = blockStream.failure();
    return {
      cursor: {
        // A peer that is behind does not move the cursor back.
        next: Math.max(next, from?.next ?? 0),
        genesis: shortGenesis(blockStream.genesis),
      },
      reorganised,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /**
   * Queries each transaction that may be in a block from before the stream, the oldest first. A failed query
   * does not delay the others. If no peer answers, resolves to the failure of the ledger's own channel.
   */
  async #askForMissing(
    pending: Pending,
    names: readonly string[],
    again: boolean,
    outcomes: Map<string, Outcome>,
  ): Promise<PeerError | undefined> {
    const open = this.#backfill
      .due(pending, names, again)
      .filter(
        ({ txId, channel }) => !this.#isFound(txId, outcomes) && this.#channels.get(channel) !== undefined,
      );
    const silent = new Map<string, PeerError>();
    const end = this.#host.now() + this.#timing.backfill.reading;
    const ask = async (one: Place) => {
      // Leaves the other queries to the next call: after a restart there may be thousands, and the host abandons a
      // call that takes too long.
      if (this.#host.now() >= end) return;
      // Cancels queued queries, because they would only delay the queries of the next call.
      if (silent.has(one.channel)) return;
      try {
        await this.#askFor(one, pending, names, outcomes);
        this.#unanswered.delete(one.txId);
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
        const isSilence = isPeersFault(error) && classify(error).kind !== 'not-kept';
        if (isSilence) silent.set(one.channel, error);
        this.#backfill.notFound(one, isSilence ? this.#timing.backfill.unanswered : undefined);
        const { detail } = problemOf(error, phase);
        this.#unanswered.set(
          one.txId,
          `Channel ${one.channel} cannot be queried for the transaction: ${detail}`,
        );
      }
    };
    await Promise.all(open.map((one) => this.#semaphore.run(() => ask(one))));
    return silent.get(this.#properties.channel);
  }

  /**
   * Whether a block entry belongs to our transaction. Anybody may send an envelope with the id of another
   * transaction on their own channel, so entries on other channels are ignored. While the bytes of our
   * transaction are not known, only a valid entry determines its channel.
   */
  #isOf({ txId, code }: Told, channel: string, names: readonly string[]): boolean {
    const known = this.#transactions.get(txId);
    return known === undefined ? isValid(code) || names.length === 1 : known.channel === channel;
  }

  #isFound(txId: string, outcomes: ReadonlyMap<string, Outcome>) {
    return outcomes.has(txId) || this.#resolver.isWithheld(txId);
  }

  async #askFor(
    place: Place,
    pending: Pending,
    names: readonly string[],
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const { txId, channel } = place;
    // Another query about the same block may have found the transaction.
    if (this.#isFound(txId, outcomes)) return;
    const block = await this.#qscc.blockOf(channel, txId);
    const all = deciding(block?.transactions ?? []);
    if (block === undefined || !all.some((one) => one.txId === txId)) {
      this.#backfill.notFound(place);
      return;
    }
    const { number, peer } = block;
    for (const one of all) {
      if (pending.has(one.txId) && !outcomes.has(one.txId) && this.#isOf(one, channel, names))
        await this.#resolver.resolve({ ...one, channel, block: number, peer }, outcomes);
    }
  }

  /** Adds the outcomes of steps that are not transactions, and so appear in no block. */
  #settleOthers(pending: Pending, outcomes: Map<string, Outcome>): void {
    for (const txId of pending.keys()) {
      const known = this.#transactions.get(txId);
      if (known?.installed !== true || known.plan === undefined || outcomes.has(txId)) continue;
      const next = this.#channels.get(known.channel)?.next ?? 0;
      outcomes.set(txId, doneOutcome(txId, known.plan, known.channel, next));
    }
  }
}

const longestCatchUp = 20_000;
