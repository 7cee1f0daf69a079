import { common, orderer, type peer } from '@hyperledger/fabric-protos';
import type { Membership } from '../identity/membership.ts';
import type { StoredBlock } from '../ledger/chain.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { MalformedError } from '../messages/proposal.ts';
import { openEnvelope, type Sealed } from '../messages/transaction.ts';
import { may } from '../system/access.ts';
import type { Follower } from './follow.ts';

export interface DeliverContext {
  ledger: Ledger;
  membership: Membership;
  follower: Follower;
}

/** One request for blocks, and the callback that sends them. */
export interface Delivery {
  envelope: common.Envelope;
  /** SHA-256 of the client's TLS certificate under mutual TLS. The request must contain the same hash. */
  tlsCertHash?: Uint8Array;
  signal: AbortSignal;
  send(block: StoredBlock): Promise<void>;
}

type Status = ReturnType<peer.DeliverResponse['getStatus']>;

const { Status } = common;
/** Maximum difference between the clocks of client and peer, in milliseconds. */
const timeWindow = 15 * 60 * 1000;
const unlimited = Number.MAX_SAFE_INTEGER;

/**
 * Sends the requested blocks as they become available.
 * @returns the final status: SUCCESS after the last block, BAD_REQUEST (400), FORBIDDEN (403) if the client
 * may not read the channel or its certificate has expired (even while the stream is open), NOT_FOUND (404)
 * for another channel or a start beyond the height; undefined if the client disconnected
 */
export async function deliver(delivery: Delivery, context: DeliverContext): Promise<Status | undefined> {
  const { ledger, follower } = context;
  const sealed = opened(delivery.envelope);
  if (sealed === undefined || !inTime(sealed) || !isBound(sealed, delivery)) return Status.BAD_REQUEST;
  if (sealed.channelHeader.getChannelId() !== ledger.channel) return Status.NOT_FOUND;
  const seek = seekOf(sealed);
  if (seek === undefined) return Status.BAD_REQUEST;
  const reader = () => context.membership.identify(sealed.creator);
  // Called again for each block, because the certificate may expire or be revoked.
  const allowed = () => may(reader(), 'Readers') && (reader()?.expiresAt ?? 0) > Date.now();
  if (!allowed() || reader()?.verify(sealed.payload, sealed.signature) !== true) return Status.FORBIDDEN;
  const span = spanOf(seek, ledger.chain.height());
  if (typeof span !== 'object') return span;
  for (let number = span.start; ; number += 1) {
    const missing = number >= ledger.chain.height();
    if (missing && seek.getBehavior() === orderer.SeekInfo.SeekBehavior.FAIL_IF_NOT_READY)
      return Status.NOT_FOUND;
    if (!(await follower.reached(number, delivery.signal))) return undefined;
    if (!allowed()) return Status.FORBIDDEN;
    const block = ledger.chain.block(number);
    if (block === undefined) return Status.INTERNAL_SERVER_ERROR;
    await delivery.send(block);
    if (number === span.stop) return Status.SUCCESS;
  }
}

/** Whether the request is bound to the client's TLS connection (Fabric: common/deliver/binding.go). */
function isBound({ channelHeader }: Sealed, { tlsCertHash }: Delivery): boolean {
  return tlsCertHash === undefined || Buffer.compare(channelHeader.getTlsCertHash_asU8(), tlsCertHash) === 0;
}

/** Returns the first and last block of a request. */
function spanOf(seek: orderer.SeekInfo, height: number): { start: number; stop: number } | Status {
  const kind = orderer.SeekPosition.TypeCase;
  const from = seek.getStart();
  const to = seek.getStop();
  if (from === undefined || to === undefined) return Status.BAD_REQUEST;
  const start = {
    [kind.OLDEST]: 0,
    [kind.NEWEST]: height - 1,
    [kind.NEXT_COMMIT]: height,
    [kind.SPECIFIED]: from.getSpecified()?.getNumber() ?? 0,
    [kind.TYPE_NOT_SET]: unlimited,
  }[from.getTypeCase()];
  if (start > height) return Status.NOT_FOUND;
  const stop = {
    [kind.OLDEST]: start,
    [kind.NEWEST]: from.getTypeCase() === kind.NEWEST ? start : height - 1,
    [kind.NEXT_COMMIT]: unlimited,
    [kind.SPECIFIED]: to.getSpecified()?.getNumber() ?? 0,
    [kind.TYPE_NOT_SET]: unlimited,
  }[to.getTypeCase()];
  return stop < start ? Status.BAD_REQUEST : { start, stop };
}

function inTime({ channelHeader }: Sealed): boolean {
  const time = channelHeader.getTimestamp()?.toDate().getTime();
  return time !== undefined && Math.abs(Date.now() - time) <= timeWindow;
}

function opened(envelope: common.Envelope): Sealed | undefined {
  try {
    return openEnvelope(envelope);
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

function seekOf(sealed: Sealed): orderer.SeekInfo | undefined {
  try {
    return orderer.SeekInfo.deserializeBinary(sealed.data);
  } catch {
    return undefined;
  }
}
