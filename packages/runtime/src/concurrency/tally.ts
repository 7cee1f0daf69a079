/** Counts occurrences of names. */
export interface Tally {
  of(name: string): number;
  /** Adds an occurrence; like `remove`, returns the new count. */
  add(name: string): number;
  remove(name: string): number;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add(name) {
      counts.set(name, of(name) + 1);
      return of(name);
    },
    remove(name) {
      const left = of(name) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
      return Math.max(0, left);
    },
  };
}
