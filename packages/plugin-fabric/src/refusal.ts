import { isRefusedByConfiguration } from './errors.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import type { FabricProperties } from './properties.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import type { Transactions } from './transactions.ts';

/**
 * Proof that a transaction can never be ordered. One refusal is none: the gateway may have asked another orderer before,
 * and does not tell, as nobody knows what became of earlier sends.
 *
 * Fabric's orderers forbid a transaction, or find it too large, by its bytes and the channel's configuration alone
 * (orderer/common/msgprocessor: sigfilter.go, sizefilter.go). What one of them took under an older configuration is
 * held against the newest one again before it is ordered (orderer/consensus/etcdraft/chain.go, `ordered`). So what is
 * refused under the newest configuration is not ordered under it, whatever was sent before; and what was ordered
 * before it stands in the ledger. An orderer does not say which configuration it knows; a patience after the peers have
 * the newest one, it is taken to know that too (two seconds at least). Other refusals, of a certificate that has expired or by a peer that takes
 * less, depend on clocks and on who is asked, and want a longer patience.
 */
export interface RefusalContext {
  peers: Pick<Peers, 'order'>;
  system: Pick<SystemChaincode, 'configBlock' | 'blockOf'>;
  transactions: Transactions;
  properties: Pick<FabricProperties, 'commitTimeout'>;
  now(): number;
}

/** The beginning of a row of refusals with no other answer among them. */
export interface Refusals {
  /** Number of the newest configuration block at that time. */
  config: number;
  /** ms since the epoch. */
  since: number;
  /** All of them follow from the bytes and the configuration. */
  fromConfig: boolean;
}

/** A send that was refused. */
export interface RefusedSend {
  txId: string;
  channel: string;
  /** When it began, ms since the epoch. */
  sentAt: number;
  failure: PeerFailure;
}

/** Milliseconds at least for refusals that follow from the configuration. */
const leastPatience = 2_000;
/** Milliseconds for refusals that do not follow from the configuration. */
const longPatience = 600_000;

/**
 * Takes notice of a refusal (`isRefusal`). Whether it is proven now that the
 * bytes are on no ledger, and never will be: a patience has passed since the row began, the configuration is still the
 * same, and no peer has the transaction. As long as one of them cannot be asked, nothing is proven.
 */
export async function provesNeverOrdered(send: RefusedSend, context: RefusalContext): Promise<boolean> {
  try {
    return await judge(send, context);
  } catch (error) {
    if (error instanceof PeerFailure) return false;
    throw error;
  }
}

async function judge(
  { txId, channel, sentAt, failure }: RefusedSend,
  { peers, system, transactions, properties, now }: RefusalContext,
): Promise<boolean> {
  const fromConfig = isRefusedByConfiguration(failure);
  const row = transactions.get(txId)?.refusals;
  const patience =
    fromConfig && row?.fromConfig === true ? Math.max(properties.commitTimeout, leastPatience) : longPatience;
  if (row !== undefined && sentAt - row.since < patience) {
    if (!fromConfig) transactions.know(txId, { channel, refusals: { ...row, fromConfig } });
    return false;
  }
  const numbers = await ofAll(peers, async (peer) => numberOf(await system.configBlock(channel, peer)));
  const config = Math.max(...numbers);
  if (row?.config !== config) {
    transactions.know(txId, { channel, refusals: { config, since: now(), fromConfig } });
    return false;
  }
  const blocks = await ofAll(peers, (peer) => system.blockOf(channel, txId, peer));
  return blocks.every((block) => block === undefined);
}

/** One may be behind, so all are asked. @throws PeerFailure where one does not answer */
function ofAll<Result>({ order }: Pick<Peers, 'order'>, ask: (peer: PeerNode) => Promise<Result>) {
  return Promise.all(order().map(ask));
}

function numberOf(block: Awaited<ReturnType<SystemChaincode['configBlock']>>): number {
  const header = block.getHeader();
  if (header === undefined) throw new PeerFailure(grpcCode.internal, 'A configuration block without header.');
  return header.getNumber();
}
