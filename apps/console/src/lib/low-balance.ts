import type { Action } from '../api/types.ts';

/** Number of actions like the last ones that a balance must cover so that it is not low. */
const enough = 20;

/** What a wallet's actions cost on average: amount and fee of those whose fee is known; undefined if none is. */
function averageCost(actions: readonly Pick<Action, 'amount' | 'fee' | 'status'>[]): bigint | undefined {
  const costs = actions.flatMap(({ amount, fee, status }) =>
    fee === null ? [] : [BigInt(fee) + (status === 'SUCCEEDED' ? BigInt(amount ?? 0) : 0n)],
  );
  if (costs.length === 0) return undefined;
  return costs.reduce((sum, one) => sum + one, 0n) / BigInt(costs.length);
}

/** Number of actions like these that a low balance covers; undefined if the balance is not low, or cannot be judged. */
export function coveredIfLow(
  balance: string,
  actions: readonly Pick<Action, 'amount' | 'fee' | 'status'>[],
): number | undefined {
  const cost = averageCost(actions);
  if (cost === undefined || cost === 0n) return undefined;
  const covered = BigInt(balance) / cost;
  return covered < enough ? Number(covered) : undefined;
}
