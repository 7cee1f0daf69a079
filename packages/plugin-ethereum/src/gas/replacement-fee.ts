import type { LedgerView } from '../blocks/ledger-view.ts';
import { type Fee, highestPrice } from '../transactions/fee.ts';
import { quarterMore } from './fees.ts';

/**
 * Gas price of a transaction, in wei per gas: `maxFeePerGas` and `maxPriorityFeePerGas`. In a legacy
 * transaction, both equal `gasPrice`.
 */
export interface Offer {
  price: bigint;
  tip: bigint;
}

/** The chain's current prices, in wei per gas. */
export interface Asked {
  /** Price for inclusion in the next block. */
  going: bigint;
  /** Price that is still sufficient if the base fee rises by the maximum for one block. */
  nextBlocks: bigint;
  /** The maximum price that a new transaction of this type gets. */
  roomy: bigint;
  /** The tip for the block producer; 0 if a legacy price includes it. */
  tip: bigint;
  /** The lowest tip (or legacy price) that mempools accepted; 0 if unknown. */
  least: bigint;
}

function most(...prices: bigint[]): bigint {
  let highest = 0n;
  for (const price of prices) if (price > highest) highest = price;
  return highest;
}

const least = (one: bigint, two: bigint) => (one < two ? one : two);

/** Returns the minimum increase that nodes accept for a replacement: an eighth (geth requires a tenth). */
function eighthMore(price: bigint): bigint {
  const next = (price * 9n + 7n) / 8n;
  return next > price ? next : price + 1n;
}

/**
 * Returns the highest price and the highest tip of several transactions. Nodes compare a replacement by price
 * and by tip.
 */
export function highestOffer(fees: readonly Fee[]): Offer {
  const tips = fees.map((fee) => (fee.type === 'legacy' ? fee.gasPrice : fee.maxPriorityFeePerGas));
  return { price: most(...fees.map(highestPrice)), tip: most(...tips) };
}

export function askedOf(
  {
    mode,
    head,
    gasPrice,
    priorityFee,
    least,
  }: Pick<LedgerView, 'mode' | 'head' | 'gasPrice' | 'priorityFee' | 'least'>,
  type: Fee['type'],
): Asked {
  const base = head.baseFee ?? 0n;
  const askedTip = most(priorityFee, least);
  const going = mode === 'legacy' ? most(gasPrice, base, least) : base + askedTip;
  return {
    going,
    nextBlocks: going + (base + 7n) / 8n,
    roomy: going + (type === 'legacy' ? (base + 3n) / 4n : base),
    tip: type === 'legacy' ? 0n : askedTip,
    least,
  };
}

/** Whether a transaction's prices still suffice, also for the next blocks. */
export function suffices({ price, tip }: Offer, asked: Asked): boolean {
  return price >= asked.nextBlocks && tip >= asked.tip;
}

/**
 * Returns the minimum and the desired prices of a replacement, given the highest prices of the transactions
 * that it replaces. A price below the mempools' minimum is in no mempool, so the replacement need not exceed
 * it.
 */
export function replacementPrices(
  highest: Offer,
  asked: Asked,
  type: Fee['type'],
): { least: Offer; wanted: Offer } {
  if (highest.tip < asked.least) {
    const wanted = most(highest.price, asked.roomy);
    return type === 'legacy'
      ? { least: { price: asked.going, tip: asked.going }, wanted: { price: wanted, tip: wanted } }
      : { least: { price: asked.going, tip: asked.tip }, wanted: { price: wanted, tip: asked.tip } };
  }
  const tip = eighthMore(highest.tip);
  const price = most(eighthMore(highest.price), asked.going, tip);
  const wanted = most(quarterMore(highest.price), asked.roomy, price);
  return type === 'legacy'
    ? { least: { price, tip: price }, wanted: { price: wanted, tip: wanted } }
    : { least: { price, tip }, wanted: { price: wanted, tip: most(quarterMore(highest.tip), asked.tip) } };
}

/** Returns a fee of this type with this price, and with the highest possible tip up to the desired one. */
export function feeAt(type: Fee['type'], price: bigint, tip: bigint): Fee {
  return type === 'legacy'
    ? { type, gasPrice: price }
    : { type, maxFeePerGas: price, maxPriorityFeePerGas: least(tip, price) };
}
