/** How much is sent, and how much of it at once. */
export interface Load {
  actions: number;
  inFlight: number;
}

/** A transaction that its sender was told is valid. */
export interface Sent {
  key: string;
  value: string;
  txId: string;
}

export interface Round {
  /** From the first request to the last one known to be final. */
  perSecond: number;
  sent: Sent[];
}

/** Runs the work for 0 … actions - 1, so many at a time. */
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

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
