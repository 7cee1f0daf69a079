import type { AdapterProblem, Phase } from '@ledger-ops/adapter';
import type { LedgerView } from '../blocks/ledger-view.ts';
import type { Fee } from '../transactions/fee.ts';
import { uncappedLimit } from './replacement-caps.ts';

/** Prices given by the user. Each is a cap: fee bumps do not exceed it. */
export interface GivenFee {
  gasPrice?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
}

/** Returns the effective cap of an operation: the lower of the user's and the ledger's. */
export function capOf(given: GivenFee, ledgerCap: bigint | undefined): bigint | undefined {
  const user = given.gasPrice ?? given.maxFeePerGas;
  if (user === undefined || ledgerCap === undefined) return user ?? ledgerCap;
  return least(user, ledgerCap);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

export type ChosenFee = { fee: Fee } | { problem: AdapterProblem };

/**
 * Returns the fee at current prices: twice the base fee plus the suggested tip, within the caps. Returns the
 * temporary problem `fee-above-cap` if the caps are below the current fee.
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
      detail: `The current fee is ${going} wei per gas, but the cap is ${limit}. The transaction waits until the fee falls.`,
      data: { goingFee: going.toString(), cap: limit.toString() },
    },
  });
  if (given.gasPrice !== undefined || view.mode === 'legacy') {
    const gasPrice = given.gasPrice ?? atLeast(view.least, view.gasPrice, cap);
    const going = given.gasPrice === undefined ? gasPrice : base;
    if (cap !== undefined && going > cap) return above(going, cap);
    return { fee: { type: 'legacy', gasPrice: cap === undefined ? gasPrice : least(gasPrice, cap) } };
  }
  const tip = given.maxPriorityFeePerGas ?? atLeast(view.least, view.priorityFee, ledgerCap);
  // A maximum that the user set need only cover the base fee. Otherwise, the cap must also cover the tip.
  const going = given.maxFeePerGas === undefined ? base + tip : base;
  if (cap !== undefined && going > cap) return above(going, cap);
  const wanted = given.maxFeePerGas ?? base * 2n + tip;
  const maxFeePerGas = cap === undefined ? wanted : least(wanted, cap);
  return { fee: { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: least(tip, maxFeePerGas) } };
}

/**
 * Returns the higher of the mempools' minimum and the suggestion. Without a cap, the minimum is limited, because it
 * comes from a node.
 */
function atLeast(minimum: bigint, suggested: bigint, cap: bigint | undefined): bigint {
  if (minimum <= suggested) return suggested;
  const limit = cap === undefined ? uncappedLimit(suggested) : minimum;
  return least(minimum, limit);
}

/** Nodes require at least 12.5 % more for a replacement. Each bump of this adapter adds 25 %. */
export function quarterMore(price: bigint): bigint {
  const next = (price * 5n + 3n) / 4n;
  return next > price ? next : price + 1n;
}
const enough = (before: bigint, after: bigint) => after > before && after * 8n >= before * 9n;

/** Returns the next fee that nodes accept as a replacement; undefined if the cap does not allow it. */
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
