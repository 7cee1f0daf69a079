import type {
  Confirmed,
  ConfirmRequest,
  Head,
  Outcome,
  PendingTransaction,
  Remark,
} from '@ledger-ops/adapter';
import type { BlockStream } from './blocks/block-stream.ts';
import type { Channels } from './blocks/channels.ts';
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

/** The parts of a session that confirming needs. */
export interface ConfirmContext extends ResolveContext {
  channels: Channels;
  /** Channels that this session sent something to. */
  used: ReadonlySet<string>;
}

export interface Confirmer {
  confirm(request: ConfirmRequest): Promise<Confirmed>;
  head(): Head;
  close(): void;
}

type Pending = ReadonlyMap<string, PendingTransaction>;
/** An id with the validation code that a block has for it. */
type Told = { txId: string; code: number };

const phase = 'confirm';
/** Queries for single transactions under way at once. */
const atOnce = 8;

/**
 * Outcomes come from the stream of filtered blocks: each block's ids are held against what is pending. What a session
 * did not see from its beginning is asked for directly, once, after the stream began, so that nothing falls between.
 * A transaction that one peer shows as invalid counts when another one shows the same.
 */
export function createConfirmer(context: ConfirmContext): Confirmer {
  const { channels, qscc, transactions, properties, timing, host, used } = context;
  const backfill = createBackfill(transactions, () => host.now(), timing.backfill);
  const resolver = createOutcomeResolver(context);
  const semaphore = createSemaphore(atOnce);
  /** Why there is no answer about a transaction. */
  const unanswered = new Map<string, string>();

  async function confirm({ cursor, pending }: ConfirmRequest): Promise<Confirmed> {
    const cursors = fromCursor(cursor);
    const names = [...new Set([properties.channel, ...cursors.keys(), ...used])];
    const outcomes = new Map<string, Outcome>();
    const reached = new Map(cursors);
    let reorganised = false;
    let failure: PeerError | undefined;
    resolver.keepOnly(pending);
    for (const txId of unanswered.keys()) if (!pending.has(txId)) unanswered.delete(txId);
    const unread: Remark[] = [];
    for (const name of names) {
      const read = await readChannel(name, names, cursors, pending, outcomes);
      // The others are read all the same; only the ledger's own channel is its state.
      if (read.failure !== undefined && name === properties.channel) failure ??= read.failure;
      else if (read.failure !== undefined) unread.push(...unreadOn(name, read.failure, pending));
      if (read.cursor !== undefined) reached.set(name, read.cursor);
      reorganised ||= read.reorganised;
    }
    failure ??= await askForMissing(pending, names, cursor === null, outcomes);
    await resolver.retry(outcomes);
    settleOthers(pending, outcomes);
    resolver.askPeers();
    if (failure !== undefined && outcomes.size === 0) throw toAdapterError(failure, phase);
    for (const txId of outcomes.keys()) {
      resolver.forget(txId);
      transactions.forget(txId);
    }
    for (const blockStream of channels.followed()) blockStream.waitFor(pending.size - outcomes.size);
    const at = toCursor(reached);
    const found = [...outcomes.values()];
    const unasked = [...unanswered].map(([txId, detail]) => ({ txId, detail }));
    const remarks = [...unread, ...unasked, ...resolver.remarks()].filter(({ txId }) => !outcomes.has(txId));
    return { cursor: at, head: at, outcomes: found, reorganised, remarks };
  }

  function unreadOn(channel: string, failure: PeerError, pending: Pending): Remark[] {
    const detail = `Channel ${channel} cannot be read: ${problemOf(failure, phase).detail}`;
    return [...pending.keys()]
      .filter((txId) => transactions.get(txId)?.channel === channel)
      .map((txId) => ({ txId, detail }));
  }

  /** Follows one channel from where the host's cursor stands, and takes what has come since. */
  async function readChannel(
    name: string,
    names: readonly string[],
    cursors: ChannelCursors,
    pending: Pending,
    outcomes: Map<string, Outcome>,
  ): Promise<{ cursor?: ChannelCursor; reorganised: boolean; failure?: PeerError }> {
    let from = cursors.get(name);
    let blockStream: BlockStream;
    let reorganised = false;
    try {
      blockStream = await channels.follow(name, from?.next);
      if (
        blockStream.wasReset() ||
        (from !== undefined && from.genesis !== shortGenesis(blockStream.genesis))
      ) {
        host.log('warn', 'fabric.channel.reset', { channel: name });
        channels.drop(name);
        blockStream = await channels.follow(name);
        reorganised = true;
        from = undefined;
      }
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      host.log('info', 'fabric.channel.unread', { channel: name });
      return { reorganised, failure: error };
    }
    // The host's cursor may be ahead of a peer, or of the channel itself where a peer made blocks up.
    const start = from === undefined || from.next > blockStream.next ? blockStream.oldest : from.next;
    const validated = blockStream.since(start);
    // Blocks that come while these are resolved are for the next call.
    let { next } = blockStream;
    if (validated === undefined) {
      // Once more from the cursor; or it is too far back, and all is asked for directly.
      if (start >= next - longestCatchUp) {
        blockStream.rewind(start);
        next = start;
      } else backfill.missed(pending.keys(), name);
    }
    if (blockStream.takeMissed()) backfill.missed(pending.keys(), name);
    const own = (validated ?? []).filter((one) => pending.has(one.txId) && isOf(one, name, names));
    for (const transaction of deciding(own)) {
      await resolver.resolve({ ...transaction, channel: name }, outcomes);
    }
    const failure = blockStream.failure();
    return {
      cursor: {
        // A peer that is behind takes nothing back.
        next: Math.max(next, from?.next ?? 0),
        genesis: shortGenesis(blockStream.genesis),
      },
      reorganised,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /**
   * Asks for each transaction that may stand in a block from before the stream, the oldest first. What one cannot be
   * answered for holds up no other. Resolves to the failure of the ledger's own channel, where no peer answers.
   */
  async function askForMissing(
    pending: Pending,
    names: readonly string[],
    again: boolean,
    outcomes: Map<string, Outcome>,
  ): Promise<PeerError | undefined> {
    const open = backfill
      .due(pending, names, again)
      .filter(({ txId, channel }) => !isFound(txId, outcomes) && channels.get(channel) !== undefined);
    const silent = new Map<string, PeerError>();
    const ask = async (one: Place) => {
      // Questions that still wait would only be in the way of the next call's queries.
      if (silent.has(one.channel)) return;
      try {
        await askFor(one, pending, names, outcomes);
        unanswered.delete(one.txId);
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
        const isSilence = isPeersFault(error) && classify(error).kind !== 'not-kept';
        if (isSilence) silent.set(one.channel, error);
        backfill.notFound(one, isSilence ? timing.backfill.unanswered : undefined);
        const { detail } = problemOf(error, phase);
        unanswered.set(one.txId, `Channel ${one.channel} cannot be asked for the transaction: ${detail}`);
      }
    };
    await Promise.all(open.map((one) => semaphore.run(() => ask(one))));
    return silent.get(properties.channel);
  }

  /**
   * Anybody may send an envelope that bears another's id, on any channel that is his: on others than its own it says
   * nothing. Of a transaction whose bytes were not seen yet only a valid one shows where it is.
   */
  function isOf({ txId, code }: Told, channel: string, names: readonly string[]): boolean {
    const known = transactions.get(txId);
    return known === undefined ? isValid(code) || names.length === 1 : known.channel === channel;
  }

  const isFound = (txId: string, outcomes: ReadonlyMap<string, Outcome>) =>
    outcomes.has(txId) || resolver.isWithheld(txId);

  async function askFor(
    place: Place,
    pending: Pending,
    names: readonly string[],
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const { txId, channel } = place;
    // Another one of the same block may have brought it.
    if (isFound(txId, outcomes)) return;
    const block = await qscc.blockOf(channel, txId);
    const all = deciding(block?.transactions ?? []);
    if (block === undefined || !all.some((one) => one.txId === txId)) {
      backfill.notFound(place);
      return;
    }
    const { number, peer } = block;
    for (const one of all) {
      if (pending.has(one.txId) && !outcomes.has(one.txId) && isOf(one, channel, names))
        await resolver.resolve({ ...one, channel, block: number, peer }, outcomes);
    }
  }

  /** Adds the outcomes of steps that are no transactions, and stand in no block. */
  function settleOthers(pending: Pending, outcomes: Map<string, Outcome>): void {
    for (const txId of pending.keys()) {
      const known = transactions.get(txId);
      if (known?.installed !== true || known.plan === undefined || outcomes.has(txId)) continue;
      const next = channels.get(known.channel)?.next ?? 0;
      outcomes.set(txId, doneOutcome(txId, known.plan, known.channel, next));
    }
  }

  return {
    confirm,
    head: () =>
      toCursor(
        new Map(
          channels
            .followed()
            .map(({ channel, next, genesis }) => [channel, { next, genesis: shortGenesis(genesis) }]),
        ),
      ),
    close: resolver.close,
  };
}

const longestCatchUp = 20_000;
