import { common } from '@hyperledger/fabric-protos';
import type { FaultSwitches } from '../faults.ts';
import type { Membership } from '../identity/membership.ts';
import type { Connection } from '../ledger/database.ts';
import type { Ledger, Ordered } from '../ledger/ledger.ts';
import { type BlockSigner, lastConfigOf, makeBlock } from '../messages/block.ts';
import { MalformedError } from '../messages/proposal.ts';
import { openEnvelope, type Sealed } from '../messages/transaction.ts';

/**
 * The orderer cuts a block when it has `maxMessageCount` messages or `preferredMaxBytes` bytes, or `timeout`
 * milliseconds after its first message.
 */
export interface BatchOptions {
  /** Default 100. */
  maxMessageCount?: number;
  /** Milliseconds, default 200. */
  timeout?: number;
  /** Default 2 MiB. A larger message gets its own block, up to 10 MiB. */
  preferredMaxBytes?: number;
}

/** The response to one envelope. */
export interface BroadcastAnswer {
  status: number;
  info: string;
}

/** The ordering service of one channel, in this process: one node, no consensus. */
export interface Orderer {
  /** Accepts or rejects an envelope. Accepted envelopes are included in blocks in this order. */
  broadcast(envelope: common.Envelope): BroadcastAnswer;
  /** Commits a configuration, in its own block after everything that was accepted before. */
  configure(envelope: common.Envelope): void;
  /** Stops cutting blocks. Waiting envelopes are kept for the next start if the database is a file. */
  stop(): void;
}

export interface OrdererContext {
  connection: Connection;
  ledger: Ledger;
  membership: Membership;
  signer: BlockSigner;
  faults: FaultSwitches;
  batch: Required<BatchOptions>;
}

/** The maximum size of a message, as in Fabric's default configuration. */
const maxMessageBytes = 10 * 1024 * 1024;

const status = common.Status;
/** The response to clients that do not satisfy the channel's Writers policy. */
const forbidden: BroadcastAnswer = {
  status: status.FORBIDDEN,
  info: "implicit policy evaluation failed - 0 sub-policies were satisfied, but this policy requires 1 of the 'Writers' sub-policies to be satisfied: permission denied",
};

/** Starts ordering. Envelopes that a previous process accepted but did not order come first. */
export function startOrderer(context: OrdererContext): Orderer {
  const { connection, ledger, faults, batch } = context;
  const keep = connection.prepare('INSERT INTO pending (bytes) VALUES (?)');
  const forget = connection.prepare('DELETE FROM pending WHERE number <= ?');
  const waiting: (Ordered & { number: number })[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const add = (ordered: Ordered, number: number) => {
    waiting.push({ ...ordered, number });
    waitingBytes += ordered.bytes.length;
    if (waiting.length >= batch.maxMessageCount || waitingBytes >= batch.preferredMaxBytes) cut();
    else timer ??= setTimeout(cut, batch.timeout);
  };

  const cut = () => {
    clearTimeout(timer);
    timer = undefined;
    while (!stopped && !faults.blocksHeld && waiting.length > 0) {
      const inBlock = waiting.splice(0, countThatFits(waiting, batch));
      waitingBytes -= inBlock.reduce((sum, { bytes }) => sum + bytes.length, 0);
      commit(inBlock);
      if (waiting.length > 0 && waiting.length < batch.maxMessageCount) {
        timer ??= setTimeout(cut, batch.timeout);
        return;
      }
    }
  };

  const commit = (inBlock: readonly (Ordered & { number: number })[]) => {
    const { chain } = ledger;
    const last = chain.block(chain.height() - 1)?.block;
    const block = makeBlock(
      chain.height(),
      chain.lastHash(),
      inBlock.map(({ bytes }) => bytes),
      last === undefined ? 0 : lastConfigOf(last),
      context.signer,
    );
    const fresh = faults.repeatTransactions
      ? inBlock.filter(({ sealed }) => chain.find(sealed.channelHeader.getTxId()) === undefined)
      : [];
    ledger.commit(block, inBlock);
    forget.run(Math.max(...inBlock.map(({ number }) => number)));
    for (const one of fresh) add(one, Number(keep.run(one.bytes).lastInsertRowid));
  };

  faults.onChange(() => {
    if (!faults.blocksHeld) cut();
  });
  for (const { number, bytes } of connection
    .prepare<[], { number: number; bytes: Buffer }>('SELECT number, bytes FROM pending ORDER BY number')
    .all()) {
    const sealed = openEnvelope(common.Envelope.deserializeBinary(bytes));
    // The envelopes may have been accepted under an older configuration, so they are checked again (see
    // `configure`).
    if (refuse(sealed, context) === undefined) add({ bytes, sealed, verified: true }, number);
  }

  return {
    broadcast(envelope) {
      if (stopped || faults.ordererUnavailable)
        return { status: status.SERVICE_UNAVAILABLE, info: 'no Raft leader' };
      if (faults.ordererRefuses) return forbidden;
      const sealed = opened(envelope);
      if (sealed === undefined)
        return {
          status: status.BAD_REQUEST,
          info: 'could not determine channel ID: envelope payload is malformed',
        };
      const refusal = refuse(sealed, context);
      if (refusal !== undefined) return refusal;
      const bytes = envelope.serializeBinary();
      add({ bytes, sealed, verified: true }, Number(keep.run(bytes).lastInsertRowid));
      return { status: status.SUCCESS, info: '' };
    },
    configure(envelope) {
      cut();
      const { chain } = ledger;
      const bytes = envelope.serializeBinary();
      const block = makeBlock(chain.height(), chain.lastHash(), [bytes], chain.height(), context.signer);
      ledger.commit(block, [{ bytes, sealed: openEnvelope(envelope), verified: true }]);
      // An orderer checks messages that it accepted under an older configuration again, and drops those that
      // fail (Fabric: orderer/consensus/etcdraft/chain.go).
      const kept = waiting.filter(({ sealed }) => refuse(sealed, context) === undefined);
      waitingBytes = kept.reduce((sum, one) => sum + one.bytes.length, 0);
      waiting.splice(0, waiting.length, ...kept);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function countThatFits(waiting: readonly Ordered[], batch: Required<BatchOptions>): number {
  let bytes = 0;
  let count = 0;
  for (const one of waiting) {
    bytes += one.bytes.length;
    if (count > 0 && (count >= batch.maxMessageCount || bytes > batch.preferredMaxBytes)) break;
    count += 1;
  }
  return count;
}

/** The checks of the ordering service: channel, size, unexpired identity, signature of a writer. */
function refuse(sealed: Sealed, { ledger, membership }: OrdererContext): BroadcastAnswer | undefined {
  const channel = sealed.channelHeader.getChannelId();
  if (channel !== ledger.channel)
    return { status: status.BAD_REQUEST, info: `channel creation request not allowed: ${channel}` };
  if (sealed.channelHeader.getType() !== common.HeaderType.ENDORSER_TRANSACTION)
    return { status: status.BAD_REQUEST, info: 'message is not an endorser transaction' };
  const size = sealed.payload.length + sealed.signature.length;
  if (size > maxMessageBytes)
    return {
      status: status.BAD_REQUEST,
      info: `message payload is ${size} bytes and exceeds maximum allowed ${maxMessageBytes} bytes`,
    };
  const creator = membership.identify(sealed.creator);
  if (creator !== undefined && creator.expiresAt < Date.now())
    return { status: status.BAD_REQUEST, info: 'broadcast client identity expired' };
  const writes = creator?.role === 'client' || creator?.role === 'admin';
  const may = creator !== undefined && writes && creator.verify(sealed.payload, sealed.signature);
  return may ? undefined : forbidden;
}

function opened(envelope: common.Envelope): Sealed | undefined {
  try {
    return openEnvelope(envelope);
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}
