import { isRefusedByConfiguration } from '../gateway/errors.ts';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { FabricProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import type { TransactionCache } from './transaction-cache.ts';

/**
 * Proves that a transaction can never be ordered. One refusal does not prove it: the gateway may have tried another orderer
 * before without reporting it, and the fate of earlier sends is unknown.
 *
 * Fabric's orderers forbid a transaction, or find it too large, using only its bytes and the channel configuration
 * (orderer/common/msgprocessor: sigfilter.go, sizefilter.go). A transaction accepted under an older configuration is
 * validated against the newest one before it is ordered (orderer/consensus/etcdraft/chain.go, `ordered`). So
 * a transaction that the newest configuration refuses is not ordered under it, and if it was ordered earlier,
 * it is in the ledger. An orderer does not report which configuration it has. Some time after the peers have
 * the newest one, the orderer is assumed to have it too. Other refusals (an expired certificate, a smaller
 * limit of a peer) depend on clocks and on the peer, and require a longer time.
 */
export interface NeverOrderedContext {
  peers: Pick<Peers, 'order'>;
  qscc: Pick<Qscc, 'configBlock' | 'blockOf'>;
  transactions: TransactionCache;
  properties: Pick<FabricProperties, 'commitTimeout'>;
  timing: Pick<Timing, 'neverOrdered'>;
  now(): number;
}

/** A send that was refused. */
export interface RefusedSend {
  txId: string;
  channel: string;
  /** When the send started, in milliseconds since the epoch. */
  sentAt: number;
  failure: PeerError;
}

/**
 * Records a refusal (`isRefusal`). Returns true if it is proven that the bytes are not on the ledger and
 * never will be: enough time has passed since the first of consecutive refusals, the configuration has not
 * changed, and no peer has the transaction. It cannot be proven while a peer cannot be queried.
 */
export async function provesNeverOrdered(send: RefusedSend, context: NeverOrderedContext): Promise<boolean> {
  try {
    return await isNeverOrdered(send, context);
  } catch (error) {
    if (error instanceof PeerError) return false;
    throw error;
  }
}

async function isNeverOrdered(
  { txId, channel, sentAt, failure }: RefusedSend,
  { peers, qscc, transactions, properties, timing, now }: NeverOrderedContext,
): Promise<boolean> {
  const fromConfig = isRefusedByConfiguration(failure);
  const row = transactions.get(txId)?.refusals;
  const proves =
    fromConfig && row?.fromConfig === true
      ? Math.max(properties.commitTimeout, timing.neverOrdered.byConfiguration)
      : timing.neverOrdered.otherwise;
  if (row !== undefined && sentAt - row.since < proves) {
    if (!fromConfig) transactions.know(txId, { channel, refusals: { ...row, fromConfig } });
    return false;
  }
  const numbers = await ofAll(peers, async (peer) => numberOf(await qscc.configBlock(channel, peer)));
  const config = Math.max(...numbers);
  if (row?.config !== config) {
    transactions.know(txId, { channel, refusals: { config, since: now(), fromConfig } });
    return false;
  }
  const blocks = await ofAll(peers, (peer) => qscc.blockOf(channel, txId, peer));
  return blocks.every((block) => block === undefined);
}

/** Queries all peers, because one may be behind. @throws PeerError if one does not answer */
function ofAll<Result>({ order }: Pick<Peers, 'order'>, ask: (peer: Peer) => Promise<Result>) {
  return Promise.all(order().map(ask));
}

function numberOf(block: Awaited<ReturnType<Qscc['configBlock']>>): number {
  const header = block.getHeader();
  if (header === undefined) throw new PeerError(grpcCode.internal, 'The configuration block has no header.');
  return header.getNumber();
}
