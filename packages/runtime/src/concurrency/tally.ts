/** Counts occurrences of names. */
export interface Tally {
  of(name: string): number;
  /** Adds `count` occurrences of a name (default: one) and returns the new total. */
  add(name: string, count?: number): number;
  remove(name: string, count?: number): number;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add(name, count = 1) {
      counts.set(name, of(name) + count);
      return of(name);
    },
    remove(name, count = 1) {
      const left = of(name) - count;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
      return Math.max(0, left);
    },
  };
}
