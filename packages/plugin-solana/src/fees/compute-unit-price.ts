import type { FeeRaise, Phase } from '@ledger-ops/adapter';
import { largest, least } from '../bigints.ts';
import type { Plan } from '../plan.ts';
import type { SolanaProperties } from '../properties.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { writableAccounts } from '../transactions/message.ts';
import type { RecentFees } from './recent-fees.ts';

/** Everything that determines a price. */
export interface PriceSources {
  fees: RecentFees;
  properties: Pick<SolanaProperties, 'computeUnitPrice' | 'priorityFeeCap'>;
}

/**
 * Returns the micro-lamports per compute unit of a plan: the price in its content; otherwise the ledger's
 * property; otherwise the recent price for the written accounts, up to the ledger's cap.
 * @param raise set if the previous transaction, which paid `previous`, expired
 */
export async function choosePrice(
  node: SolanaNode,
  { wallet, plan, units, previous = 0n }: { wallet: string; plan: Plan; units: number; previous?: bigint },
  { fees, properties }: PriceSources,
  phase: Phase,
  raise?: FeeRaise,
): Promise<bigint> {
  const fixed = plan.computeUnitPrice ?? properties.computeUnitPrice;
  if (fixed !== undefined && raise?.reason !== 'hurried') return fixed;
  const most = (properties.priorityFeeCap * 1_000_000n) / BigInt(units);
  if (most === 0n) return fixed ?? 0n;
  const accounts = writableAccounts(plan.feePayer ?? wallet, plan.instructions);
  const recent = fixed === undefined ? await fees.price(node, accounts, phase) : 0n;
  if (raise === undefined) return least(recent, most);
  return raisedPrice({ previous: largest(previous, fixed ?? 0n), recent, most }, raise);
}

/**
 * Returns the price after an expired transaction: twice the price, but at least a sixteenth of the cap, so
 * that a few expirations reach the cap from any price. A user's request raises the price by two such steps.
 */
export function raisedPrice(
  { previous, recent, most }: { previous: bigint; recent: bigint; most: bigint },
  { reason, cap = most }: FeeRaise,
): bigint {
  const [factor, part] = reason === 'hurried' ? [4n, 4n] : [2n, 16n];
  const wanted = largest(recent, largest(previous * factor, most / part));
  // An offer is never lowered, even above the caps.
  return largest(previous, least(wanted, least(most, cap)));
}
