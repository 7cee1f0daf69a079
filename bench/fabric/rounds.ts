/** Number of actions in total, and in flight at the same time. */
export interface Load {
  actions: number;
  inFlight: number;
}

/** A transaction that the network reported as valid. */
export interface Sent {
  key: string;
  value: string;
  txId: string;
}

export interface Round {
  /** Actions per second, from the first request until the last action was reported as final. */
  perSecond: number;
  sent: Sent[];
}

/** Runs the work for 0 to actions - 1, with a limited number in flight. */
export async function inParallel(
  { actions, inFlight }: Load,
  work: (nth: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let nth = next++; nth < actions; nth = next++) await work(nth);
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, actions) }, worker));
}

/** The value that this share of the values, for example 0.99, does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
