import { common } from '@hyperledger/fabric-protos';
import type {
  AdapterHost,
  Confirmed,
  ConfirmRequest,
  Head,
  Outcome,
  PendingTransaction,
} from '@ledger-ops/adapter';
import type { BlockFollower } from './block-follower.ts';
import type { Channels } from './channels.ts';
import { toAdapterError } from './errors.ts';
import { createLimiter } from './limiter.ts';
import { createLru } from './lru.ts';
import { doneOutcome, invalidOutcome, needsPlan, type Settled, validOutcome } from './outcome.ts';
import { PeerFailure } from './peer-failure.ts';
import { fromCursor, type Position, shortGenesis, toCursor } from './position.ts';
import type { FabricProperties } from './properties.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import { endorsersOf, readContent } from './transaction-content.ts';
import type { Transactions } from './transactions.ts';
import { deciding, isConflict, isValid } from './validation-code.ts';

/** What confirming draws on. */
export interface ConfirmContext {
  channels: Channels;
  system: SystemChaincode;
  transactions: Transactions;
  properties: FabricProperties;
  host: AdapterHost;
  /** Channels that this session sent something to. */
  used: ReadonlySet<string>;
}

export interface Confirmer {
  confirm(request: ConfirmRequest): Promise<Confirmed>;
  head(): Head;
}

type Pending = ReadonlyMap<string, PendingTransaction>;
/** A transaction in a block, with its envelope where it was read for it. */
type Found = Settled & { envelope?: Uint8Array };

const phase = 'confirm';
/** Questions for single transactions under way at once. */
const questions = 8;
/** Milliseconds that a conflict waits for the host to show the bytes again, which it does every few seconds. */
const bytesPatience = 30_000;
/** Milliseconds after which is asked again: the peer that did not know a transaction may have been behind the stream. */
const askAgainAfter = 30_000;

/**
 * Outcomes come from the stream of filtered blocks: each block's ids are held against what is pending. What a session
 * did not see from its beginning is asked for directly, once, after the stream began, so that nothing falls between.
 */
export function createConfirmer(context: ConfirmContext): Confirmer {
  const { channels, system, transactions, properties, host, used } = context;
  /** When somebody was asked last, by transaction and channel. */
  const asked = createLru<string, number>(100_000);
  const withheld = new Map<string, { found: Found; since: number }>();
  const limiter = createLimiter(questions);

  async function confirm({ cursor, pending }: ConfirmRequest): Promise<Confirmed> {
    const position = fromCursor(cursor);
    const names = new Set([properties.channel, ...position.keys(), ...used]);
    const outcomes = new Map<string, Outcome>();
    const reached = new Map(position);
    let reorganised = false;
    let trouble: PeerFailure | undefined;
    for (const name of names) {
      const read = await readChannel(name, position, pending, outcomes);
      if (read.failure !== undefined) trouble ??= read.failure;
      if (read.position !== undefined) reached.set(name, read.position);
      reorganised ||= read.reorganised;
    }
    await askForUnseen(pending, [...names], cursor === null, outcomes);
    await settleOthers(pending, outcomes);
    if (trouble !== undefined && outcomes.size === 0) throw toAdapterError(trouble, phase);
    for (const txId of outcomes.keys()) {
      withheld.delete(txId);
      transactions.forget(txId);
    }
    for (const follower of channels.followed()) follower.waitFor(pending.size - outcomes.size);
    const at = toCursor(reached);
    return { cursor: at, head: at, outcomes: [...outcomes.values()], reorganised };
  }

  /** Follows one channel from where the host's cursor stands, and takes what has come since. */
  async function readChannel(
    name: string,
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
      // The others are read all the same; only the ledger's own channel is its state.
      return name === properties.channel ? { reorganised, failure: error } : { reorganised };
    }
    const start = from?.next ?? follower.oldest;
    const verdicts = follower.since(start);
    // Blocks that come while these are judged are for the next call.
    let { next } = follower;
    if (verdicts === undefined) {
      // Once more from the cursor; or it is too far back, and all is asked for directly.
      if (start >= next - longestCatchUp) {
        follower.rewind(start);
        next = start;
      } else for (const txId of pending.keys()) forgetAsked(txId, name);
    }
    for (const { txId, block, code } of deciding((verdicts ?? []).filter((one) => pending.has(one.txId)))) {
      await judge({ txId, block, code, channel: name }, outcomes);
    }
    const failure = name === properties.channel ? follower.failure() : undefined;
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

  /** The stream does not bring its block, even where it was sent while the stream ran. */
  function forgetAsked(txId: string, channel: string): void {
    asked.delete(`${txId} ${channel}`);
    if (transactions.get(txId)?.channel === channel) transactions.know(txId, { channel, first: false });
  }

  /** Asks for each transaction that may stand in a block from before the stream. */
  async function askForUnseen(
    pending: Pending,
    names: string[],
    again: boolean,
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    const open: { txId: string; channel: string }[] = [];
    for (const txId of pending.keys()) {
      if (outcomes.has(txId) || withheld.has(txId)) continue;
      const known = transactions.get(txId);
      if (known?.first === true || known?.installed === true) continue;
      for (const channel of known === undefined ? names : [known.channel]) {
        const askedAt = asked.get(`${txId} ${channel}`) ?? Number.NEGATIVE_INFINITY;
        const isAsked = !again && host.now() - askedAt < askAgainAfter;
        if (!isAsked && channels.get(channel) !== undefined) {
          open.push({ txId, channel });
        }
      }
    }
    if (open.length === 0) return;
    await Promise.all(open.map((one) => limiter.run(() => askFor(one, pending, outcomes))));
  }

  async function askFor(
    { txId, channel }: { txId: string; channel: string },
    pending: Pending,
    outcomes: Map<string, Outcome>,
  ): Promise<void> {
    // Another one of the same block may have brought it.
    if (outcomes.has(txId) || withheld.has(txId)) return;
    let block: Awaited<ReturnType<SystemChaincode['blockOf']>>;
    try {
      block = await system.blockOf(channel, txId);
    } catch (error) {
      if (error instanceof PeerFailure) throw toAdapterError(error, phase);
      throw error;
    }
    if (block === undefined) {
      // From here on the stream says it.
      asked.set(`${txId} ${channel}`, host.now());
      return;
    }
    const { number, transactions: all } = block;
    for (const one of deciding(all)) {
      if (!pending.has(one.txId) || outcomes.has(one.txId)) continue;
      await judge(
        { txId: one.txId, channel, block: number, code: one.code, envelope: one.envelope },
        outcomes,
      );
    }
  }

  /** What is no transaction, and stands in no block, and transactions whose bytes have come meanwhile. */
  async function settleOthers(pending: Pending, outcomes: Map<string, Outcome>): Promise<void> {
    for (const [txId, { found, since }] of withheld) {
      if (!pending.has(txId)) withheld.delete(txId);
      else if (transactions.get(txId)?.seen === true || host.now() - since > bytesPatience) {
        await judge(found, outcomes, true);
      }
    }
    for (const txId of pending.keys()) {
      const known = transactions.get(txId);
      if (known?.installed !== true || known.plan === undefined || outcomes.has(txId)) continue;
      const next = channels.get(known.channel)?.next ?? 0;
      outcomes.set(txId, doneOutcome(txId, known.plan, known.channel, next));
    }
  }

  async function judge(found: Found, outcomes: Map<string, Outcome>, last = false): Promise<void> {
    const { txId, channel } = found;
    const known = transactions.get(txId);
    let content = known?.content;
    if (content === undefined && isValid(found.code)) {
      const envelope = found.envelope ?? (await envelopeOf(found));
      // The next call asks again.
      if (envelope === undefined) {
        withheld.set(txId, { found, since: host.now() });
        return;
      }
      content = readContent(common.Envelope.deserializeBinary(envelope).getPayload_asU8());
    }
    const seen = known?.seen === true;
    if (!seen && !last && needsPlan(found, content?.chaincode, properties.retryConflicts)) {
      withheld.set(txId, { found, since: withheld.get(txId)?.since ?? host.now() });
      return;
    }
    // A step of a deployment cannot go on without its plan; the host shows the bytes again.
    if (!seen && content?.chaincode === '_lifecycle') return;
    if (isValid(found.code) && content !== undefined) {
      outcomes.set(txId, validOutcome(found, content, known?.plan));
      return;
    }
    const envelope = isConflict(found.code) ? undefined : (found.envelope ?? (await envelopeOf(found)));
    const endorsers = envelope === undefined ? undefined : endorsersOf(envelope);
    outcomes.set(
      txId,
      invalidOutcome({ ...found, channel }, known?.plan, properties.retryConflicts, endorsers),
    );
  }

  async function envelopeOf({ txId, channel, block, code }: Found): Promise<Uint8Array | undefined> {
    try {
      const read = await system.blockOf(channel, txId);
      return read?.number === block
        ? read.transactions.find((one) => one.txId === txId && one.code === code)?.envelope
        : undefined;
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      host.log('info', 'fabric.transaction.unread', { channel, txId });
      return undefined;
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
  };
}

const longestCatchUp = 20_000;
