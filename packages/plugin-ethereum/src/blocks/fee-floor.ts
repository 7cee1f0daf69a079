import QuickLRU from 'quick-lru';
import { type Fee, highestPrice } from '../transactions/fee.ts';

/** The lowest offer that mempools accept, inferred from their refusals. */
interface Floor {
  /** Wei per gas. */
  value: bigint;
  /** True if the floor applies to the tip, false if it applies to the whole price. */
  isTip: boolean;
  until: number;
}

/**
 * How long a floor is used after a refusal, in milliseconds. A guessed floor may come from a pool that is
 * merely full.
 */
export interface FloorTimes {
  named: number;
  guessed: number;
}

const rememberedRefusals = 2_000;
/** The lowest guess: the usual minimum fee of mempools. */
const leastGuess = 1_000_000_000n;

/**
 * Learns the lowest fee that a ledger's mempools accept from their refusals. In memory only: after a restart,
 * the first refusal sets it again.
 */
export class FeeFloor {
  readonly #now: () => number;
  readonly #times: FloorTimes;
  /** Ids of transactions that were refused because of the current floor. */
  readonly #refused = new QuickLRU<string, true>({ maxSize: rememberedRefusals });
  #floor: Floor | undefined;

  constructor(now: () => number, times: FloorTimes) {
    this.#now = now;
    this.#times = times;
  }

  /** Records that a mempool refused a transaction because of its fee. */
  refuse(txId: string, fee: Fee, message: string): void {
    this.#refused.set(txId, true);
    const named = namedMinimum(fee, message);
    if (named === undefined && /base ?fee/i.test(message)) return; // The next block's header has the base fee.
    const found = named ?? { value: guess(tipOf(fee)), isTip: fee.type !== 'legacy' };
    const floor = this.#current();
    const until = this.#now() + (named === undefined ? this.#times.guessed : this.#times.named);
    // A minimum named in a refusal replaces any floor. A guess only raises the floor, because it may come
    // from an old, low offer.
    const isNews = floor === undefined || named !== undefined || found.value > floor.value;
    this.#floor = isNews ? { ...found, until } : { ...floor, until: Math.max(floor.until, until) };
  }

  /** Records that a mempool accepted a transaction. If it was refused before, the floor no longer applies. */
  accept(txId: string): void {
    if (this.#floor === undefined || !this.#refused.has(txId)) return;
    this.#refused.clear();
    this.#floor = undefined;
  }

  /**
   * Returns the lowest tip that mempools accept in addition to the base fee; on chains without a base fee, the lowest
   * price. Returns 0 if unknown.
   */
  least(baseFee: bigint): bigint {
    const floor = this.#current();
    if (floor === undefined) return 0n;
    if (floor.isTip) return floor.value;
    return floor.value > baseFee ? floor.value - baseFee : 0n;
  }

  #current(): Floor | undefined {
    if (this.#floor !== undefined && this.#floor.until <= this.#now()) this.#floor = undefined;
    return this.#floor;
  }
}

function tipOf(fee: Fee): bigint {
  return fee.type === 'legacy' ? fee.gasPrice : fee.maxPriorityFeePerGas;
}

function guess(tip: bigint): bigint {
  return tip * 2n > leastGuess ? tip * 2n : leastGuess;
}

/**
 * Extracts the minimum that a refusal names. Mempools word refusals in many ways, so this is the smallest
 * number above the offer. Ignores numbers inside words, such as ids, amounts with a currency, and hex.
 */
function namedMinimum(fee: Fee, message: string): Omit<Floor, 'until'> | undefined {
  const isTip = /\btip|priority/i.test(message);
  if (!isTip && /base ?fee/i.test(message)) return undefined;
  const [tip, price] = [tipOf(fee), highestPrice(fee)];
  const numbers = [...message.slice(0, 1_000).matchAll(numbersOf)].flatMap(
    ([, whole = '', part = '', unit]) => weiOf(whole, part, unit),
  );
  const above = (offered: bigint, except?: bigint) =>
    numbers.filter((one) => one > offered && one !== except).reduce<bigint | undefined>(smaller, undefined);
  const value = isTip ? above(tip) : (above(price) ?? above(tip, price));
  return value === undefined ? undefined : { value, isTip };
}

const numbersOf = /(?<![\w.-])(\d{1,30})(?:\.(\d{1,9}))?(?: ?(gwei|wei)(?![\w-])|(?![\w.-]*[\w-]))/gi;

function weiOf(whole: string, part: string, unit: string | undefined): bigint[] {
  if (unit?.toLowerCase() === 'gwei') return [BigInt(whole + part.padEnd(9, '0'))];
  return part === '' ? [BigInt(whole)] : [];
}

function smaller(one: bigint | undefined, other: bigint): bigint {
  return one === undefined || other < one ? other : one;
}
