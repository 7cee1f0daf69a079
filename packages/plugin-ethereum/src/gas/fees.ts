import type { AdapterProblem, Phase } from '@ledger-ops/adapter';
import type { LedgerView } from '../blocks/ledger-view.ts';
import type { Fee } from '../transactions/fee.ts';

/** Prices that the user gave. Each is a cap: bumps do not go above it. */
export interface GivenFee {
  gasPrice?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
}

/** The cap that holds for an operation: the lower of the user's and the ledger's. */
export function capOf(given: GivenFee, ledgerCap: bigint | undefined): bigint | undefined {
  const user = given.gasPrice ?? given.maxFeePerGas;
  if (user === undefined || ledgerCap === undefined) return user ?? ledgerCap;
  return least(user, ledgerCap);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

export type ChosenFee = { fee: Fee } | { problem: AdapterProblem };

/**
 * The fee for the going prices: twice the base fee and the suggested tip, below the caps. A problem
 * `fee-above-cap` when the caps do not reach the going fee; it may pass.
 */
export function chooseFee(
  view: LedgerView,
  given: GivenFee,
  ledgerCap: bigint | undefined,
  phase: Phase,
): ChosenFee {
  const base = view.head.baseFee ?? 0n;
  const cap = capOf(given, ledgerCap);
  const above = (going: bigint, limit: bigint): ChosenFee => ({
    problem: {
      code: 'fee-above-cap',
      phase,
      detail: `The going fee is ${going} wei per gas, the cap is ${limit}: it waits until the fee falls.`,
      data: { goingFee: going.toString(), cap: limit.toString() },
    },
  });
  if (given.gasPrice !== undefined || view.mode === 'legacy') {
    const gasPrice = given.gasPrice ?? view.gasPrice;
    const going = given.gasPrice === undefined ? gasPrice : base;
    if (cap !== undefined && going > cap) return above(going, cap);
    return { fee: { type: 'legacy', gasPrice: cap === undefined ? gasPrice : least(gasPrice, cap) } };
  }
  const tip = given.maxPriorityFeePerGas ?? view.priorityFee;
  // The user's own maximum may be below what others tip; the ledger's cap should not make it hang.
  const going = given.maxFeePerGas === undefined ? base + tip : base;
  if (cap !== undefined && going > cap) return above(going, cap);
  const wanted = given.maxFeePerGas ?? base * 2n + tip;
  const maxFeePerGas = cap === undefined ? wanted : least(wanted, cap);
  return { fee: { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: least(tip, maxFeePerGas) } };
}

/** At least 12.5 % more is what nodes ask of a replacement; a quarter is one step here. */
export function quarterMore(price: bigint): bigint {
  const next = (price * 5n + 3n) / 4n;
  return next > price ? next : price + 1n;
}
const enough = (before: bigint, after: bigint) => after > before && after * 8n >= before * 9n;

/** The next higher fee that nodes take as a replacement; undefined where the cap leaves no room. */
export function raiseFee(fee: Fee, cap: bigint | undefined): Fee | undefined {
  const limited = (price: bigint) => (cap === undefined ? price : least(price, cap));
  if (fee.type === 'legacy') {
    const gasPrice = limited(quarterMore(fee.gasPrice));
    return enough(fee.gasPrice, gasPrice) ? { type: 'legacy', gasPrice } : undefined;
  }
  const maxFeePerGas = limited(quarterMore(fee.maxFeePerGas));
  const maxPriorityFeePerGas = least(quarterMore(fee.maxPriorityFeePerGas), maxFeePerGas);
  const room =
    enough(fee.maxFeePerGas, maxFeePerGas) && enough(fee.maxPriorityFeePerGas, maxPriorityFeePerGas);
  return room ? { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas } : undefined;
}
