import type {
  Confirmed,
  ConfirmRequest,
  Head,
  Outcome,
  PendingTransaction,
  Remark,
} from '@ledger-ops/adapter';
import type { BlockFollower } from './block-follower.ts';
import type { Channels } from './channels.ts';
import { classify, isNodesFault, problemOf, toAdapterError } from './errors.ts';
import { createJudge, type JudgeContext } from './judge.ts';
import { createLimiter } from './limiter.ts';
import { doneOutcome } from './outcome.ts';
import { PeerFailure } from './peer-failure.ts';
import { fromCursor, type Position, shortGenesis, toCursor } from './position.ts';
import { createUnseen, type Place } from './unseen.ts';
import { deciding, isValid } from './validation-code.ts';

/** What confirming draws on. */
export interface ConfirmContext extends JudgeContext {
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
/** What a block says of an id. */
type Told = { txId: string; code: number };

const phase = 'confirm';
/** Questions for single transactions under way at once. */
const questions = 8;
/** Milliseconds after which a question that no peer took is asked again. */
const notTakenFor = 2_000;

/**
 * Outcomes come from the stream of filtered blocks: each block's ids are held against what is pending. What a session
 * did not see from its beginning is asked for directly, once, after the stream began, so that nothing falls between.
 * What one peer shows as invalid counts when another says so, too.
 */
export function createConfirmer(context: ConfirmContext): Confirmer {
  const { channels, system, transactions, properties, host, used } = context;
  const unseen = createUnseen(transactions, () => host.now());
  const judge = createJudge(context);
  const limiter = createLimiter(questions);
  /** Why there is no answer about a transaction. */
  const unanswered = new Map<string, string>();

  async function confirm({ cursor, pending }: ConfirmRequest): Promise<Confirmed> {
    const position = fromCursor(cursor);
    const names = [...new Set([properties.channel, ...position.keys(), ...used])];
    const outcomes = new Map<string, Outcome>();
    const reached = new Map(position);
    let reorganised = false;
    let trouble: PeerFailure | undefined;
    judge.keepOnly(pending);
    for (const txId of unanswered.keys()) if (!pending.has(txId)) unanswered.delete(txId);
    const unread: Remark[] = [];
    for (const name of names) {
      const read = await readChannel(name, names, position, pending, outcomes);
      // The others are read all the same; only the ledger's own channel is its state.
      if (read.failure !== undefined && name === properties.channel) trouble ??= read.failure;
      else if (read.failure !== undefined) unread.push(...unreadOn(name, read.failure, pending));
      if (read.position !== undefined) reached.set(name, read.position);
      reorganised ||= read.reorganised;
    }
    trouble ??= await askForUnseen(pending, names, cursor === null, outcomes);
    await judge.again(outcomes);
    settleOthers(pending, outcomes);
    judge.ask();
    if (trouble !== undefined && outcomes.size === 0) throw toAdapterError(trouble, phase);
    for (const txId of outcomes.keys()) {
      judge.forget(txId);
      transactions.forget(txId);
    }
    for (const follower of channels.followed()) follower.waitFor(pending.size - outcomes.size);
    const at = toCursor(reached);
    const found = [...outcomes.values()];
    const unasked = [...unanswered].map(([txId, detail]) => ({ txId, detail }));
    const remarks = [...unread, ...unasked, ...judge.remarks()].filter(({ txId }) => !outcomes.has(txId));
    return { cursor: at, head: at, outcomes: found, reorganised, remarks };
  }

  function unreadOn(channel: string, failure: PeerFailure, pending: Pending): Remark[] {
    const detail = `Channel ${channel} cannot be read: ${problemOf(failure, phase).detail}`;
    return [...pending.keys()]
      .filter((txId) => transactions.get(txId)?.channel === channel)
      .map((txId) => ({ txId, detail }));
  }

  /** Follows one channel from where the host's cursor stands, and takes what has come since. */
  async function readChannel(
    name: string,
    names: readonly string[],
    position: Position,
    pending: Pending,
    outcomes: Map<string, Outcome>,
  ): Promise<{ position?: { next: number; genesis: string }; reorganised: boolean; failure?: PeerFailure }> {
    let from = position.get(name);
    let follower: BlockFollower;
    let reorganised = false;
    try {
      follower = await channels.follow(name, from?.next);
      if (follower.wasReset() || (from !== undefined && from.genesis !== shortGenesis(follower.genesis))) {
        host.log('warn', 'fabric.channel.reset', { channel: name });
        channels.drop(name);
        follower = await channels.follow(name);
        reorganised = true;
        from = undefined;
      }
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      host.log('info', 'fabric.channel.unread', { channel: name });
      return { reorganised, failure: error };
    }
    // The host's cursor may be ahead of a peer, or of the channel itself where a peer made blocks up.
    const start = from === undefined || from.next > follower.next ? follower.oldest : from.next;
    const verdicts = follower.since(start);
    // Blocks that come while these are judged are for the next call.
    let { next } = follower;
    if (verdicts === undefined) {
      // Once more from the cursor; or it is too far back, and all is asked for directly.
      if (start >= next - longestCatchUp) {
        follower.rewind(start);
        next = start;
      } else unseen.lost(pending.keys(), name);
    }
    if (follower.takeMissed()) unseen.lost(pending.keys(), name);
    const own = (verdicts ?? []).filter((one) => pending.has(one.txId) && isOf(one, name, names));
    for (const verdict of deciding(own)) {
      await judge.hear({ ...verdict, channel: name }, outcomes);
    }
    const failure = follower.failure();
    return {
      position: {
        // A peer that is behind takes nothing back.
        next: Math.max(next, from?.next ?? 0),
        genesis: shortGenesis(follower.genesis),
      },
      reorganised,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /**
   * Asks for each transaction that may stand in a block from before the stream, the oldest first. What one cannot be
   * answered for holds up no other. Resolves to the failure of the ledger's own channel, where no peer takes questions.
   */
  async function askForUnseen(
    pending: Pending,
    names: readonly string[],
    again: boolean,
    outcomes: Map<string, Outcome>,
  ): Promise<PeerFailure | undefined> {
    const open = unseen
      .among(pending, names, again)
      .filter(({ txId, channel }) => !isFound(txId, outcomes) && channels.get(channel) !== undefined);
    const silent = new Map<string, PeerFailure>();
    const ask = async (one: Place) => {
      // What still waits would only be in the way of the next call's questions.
      if (silent.has(one.channel)) return;
      try {
        await askFor(one, pending, names, outcomes);
        unanswered.delete(one.txId);
      } catch (error) {
        if (!(error instanceof PeerFailure)) throw error;
        const isSilence = isNodesFault(error) && classify(error).kind !== 'not-kept';
        if (isSilence) silent.set(one.channel, error);
        unseen.notThere(one, isSilence ? notTakenFor : undefined);
        const { detail } = problemOf(error, phase);
        unanswered.set(one.txId, `Channel ${one.channel} cannot be asked for the transaction: ${detail}`);
      }
    };
    await Promise.all(open.map((one) => limiter.run(() => ask(one))));
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
    outcomes.has(txId) || judge.isWithheld(txId);

  async function askFor(
    place: Place,
    pending: Pending,
    names: readonly string[],
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const { txId, channel } = place;
    // Another one of the same block may have brought it.
    if (isFound(txId, outcomes)) return;
    const block = await system.blockOf(channel, txId);
    const all = deciding(block?.transactions ?? []);
    if (block === undefined || !all.some((one) => one.txId === txId)) {
      unseen.notThere(place);
      return;
    }
    const { number, peer } = block;
    for (const one of all) {
      if (pending.has(one.txId) && !outcomes.has(one.txId) && isOf(one, channel, names))
        await judge.hear({ ...one, channel, block: number, peer }, outcomes);
    }
  }

  /** What is no transaction, and stands in no block. */
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
    close: judge.close,
  };
}

const longestCatchUp = 20_000;
