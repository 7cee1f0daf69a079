import type { LedgerView } from '../blocks/ledger-view.ts';
import { type Fee, highestPrice } from '../transactions/fee.ts';
import { quarterMore } from './fees.ts';

/** The offer of a transaction for its gas, in wei per gas. A legacy price is both. */
export interface Offer {
  price: bigint;
  tip: bigint;
}

/** The prices that the chain asks now, in wei per gas. */
export interface Asked {
  /** Of a transaction in the next block. */
  going: bigint;
  /** As long as the base fee rises by no more than one block can raise it. */
  nextBlocks: bigint;
  /** The offer of a new transaction of this type. */
  roomy: bigint;
  /** Part of each for whoever makes the block; 0 where a legacy price holds it. */
  tip: bigint;
}

function most(...prices: bigint[]): bigint {
  let highest = 0n;
  for (const price of prices) if (price > highest) highest = price;
  return highest;
}

const least = (one: bigint, two: bigint) => (one < two ? one : two);

/** The least that nodes take as a replacement: an eighth more (geth asks for a tenth). */
function eighthMore(price: bigint): bigint {
  const next = (price * 9n + 7n) / 8n;
  return next > price ? next : price + 1n;
}

/** The highest offer of several; nodes hold a replacement against price and tip. */
export function highestOffer(fees: readonly Fee[]): Offer {
  const tips = fees.map((fee) => (fee.type === 'legacy' ? fee.gasPrice : fee.maxPriorityFeePerGas));
  return { price: most(...fees.map(highestPrice)), tip: most(...tips) };
}

export function askedOf({ mode, head, gasPrice, priorityFee }: LedgerView, type: Fee['type']): Asked {
  const base = head.baseFee ?? 0n;
  const going = mode === 'legacy' ? most(gasPrice, base) : base + priorityFee;
  return {
    going,
    nextBlocks: going + (base + 7n) / 8n,
    roomy: going + (type === 'legacy' ? (base + 3n) / 4n : base),
    tip: type === 'legacy' ? 0n : priorityFee,
  };
}

/** Whether an offer still suffices, also for the next blocks. */
export function suffices({ price, tip }: Offer, asked: Asked): boolean {
  return price >= asked.nextBlocks && tip >= asked.tip;
}

/** The least price, and the one that is wanted, of what shall take the place of an offer. */
export function replacementPrices(
  highest: Offer,
  asked: Asked,
  type: Fee['type'],
): { least: Offer; wanted: Offer } {
  const tip = eighthMore(highest.tip);
  const price = most(eighthMore(highest.price), asked.going, tip);
  const wanted = most(quarterMore(highest.price), asked.roomy, price);
  return type === 'legacy'
    ? { least: { price, tip: price }, wanted: { price: wanted, tip: wanted } }
    : { least: { price, tip }, wanted: { price: wanted, tip: most(quarterMore(highest.tip), asked.tip) } };
}

/** A fee of the type at a price, with as much of the tip as it holds. */
export function feeAt(type: Fee['type'], price: bigint, tip: bigint): Fee {
  return type === 'legacy'
    ? { type, gasPrice: price }
    : { type, maxFeePerGas: price, maxPriorityFeePerGas: least(tip, price) };
}
