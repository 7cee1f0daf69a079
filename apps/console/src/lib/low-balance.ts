import type { Action } from '../api/types.ts';

/** A balance is low if it covers fewer actions than this number, at the average cost of the recent ones. */
const enough = 20;

/**
 * Average cost of a wallet's actions whose fee is known: the fee and, if the action succeeded, the amount.
 * Undefined if no fee is known.
 */
function averageCost(actions: readonly Pick<Action, 'amount' | 'fee' | 'status'>[]): bigint | undefined {
  const costs = actions.flatMap(({ amount, fee, status }) =>
    fee === null ? [] : [BigInt(fee) + (status === 'SUCCEEDED' ? BigInt(amount ?? 0) : 0n)],
  );
  if (costs.length === 0) return undefined;
  return costs.reduce((sum, one) => sum + one, 0n) / BigInt(costs.length);
}

/**
 * Returns the number of actions of average cost that a low balance covers. Undefined if the balance is not
 * low, or the cost is unknown.
 */
export function coveredIfLow(
  balance: string,
  actions: readonly Pick<Action, 'amount' | 'fee' | 'status'>[],
): number | undefined {
  const cost = averageCost(actions);
  if (cost === undefined || cost === 0n) return undefined;
  const covered = BigInt(balance) / cost;
  return covered < enough ? Number(covered) : undefined;
}
