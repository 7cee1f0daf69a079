import { isRefusedByConfiguration } from '../gateway/errors.ts';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { FabricProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import type { TransactionCache } from './transaction-cache.ts';

/**
 * Proof that a transaction can never be ordered. One refusal is none: the gateway may have asked another orderer before,
 * and does not tell, as nobody knows what became of earlier sends.
 *
 * Fabric's orderers forbid a transaction, or find it too large, by its bytes and the channel's configuration alone
 * (orderer/common/msgprocessor: sigfilter.go, sizefilter.go). What one of them took under an older configuration is
 * held against the newest one again before it is ordered (orderer/consensus/etcdraft/chain.go, `ordered`). So what is
 * refused under the newest configuration is not ordered under it, whatever was sent before; and what was ordered
 * before it stands in the ledger. An orderer does not say which configuration it knows; some time after the peers have
 * the newest one, it is taken to know that too. Other refusals, of a certificate that has expired or by a peer that
 * takes less, depend on clocks and on who is asked, and want a longer time.
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
  /** When it began, ms since the epoch. */
  sentAt: number;
  failure: PeerError;
}

/**
 * Remembers a refusal (`isRefusal`). Whether it is proven now that the bytes are on no ledger, and never will be: enough
 * time has passed since the row of refusals began, the configuration is still the same, and no peer has the
 * transaction. As long as one of them cannot be asked, nothing is proven.
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

/** One may be behind, so all are asked. @throws PeerError where one does not answer */
function ofAll<Result>({ order }: Pick<Peers, 'order'>, ask: (peer: Peer) => Promise<Result>) {
  return Promise.all(order().map(ask));
}

function numberOf(block: Awaited<ReturnType<Qscc['configBlock']>>): number {
  const header = block.getHeader();
  if (header === undefined) throw new PeerError(grpcCode.internal, 'A configuration block without header.');
  return header.getNumber();
}
