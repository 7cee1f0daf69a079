/** An action of a list: the newest accepted come first. */
interface Listed {
  readonly actionId: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; null: it has not ended. */
  readonly endedAt: string | null;
}

export interface Throughput {
  /** Seconds since the epoch: the last ones up to now. */
  readonly times: readonly number[];
  /** Actions that ended in each; null: before what is known begins. */
  readonly values: readonly (number | null)[];
  readonly total: number;
  /** Seconds that are known. */
  readonly known: number;
}

/** Second in which a time lies. */
export const secondOf = (time: string): number => Math.floor(Date.parse(time) / 1_000);

/**
 * Counts by the second which actions ended, from events that were heard and from a list of the newest actions: so that
 * what ended before somebody looked is not drawn as if nothing had.
 *
 * @param heard second in which each action ended, by its id, of all since `since`
 * @param newest up to `size` of the newest actions; undefined while they are asked for
 */
export function throughputOf(
  { heard, since }: { heard: ReadonlyMap<string, number>; since: number },
  { newest, size }: { newest: readonly Listed[] | undefined; size: number },
  { now, span }: { now: number; span: number },
): Throughput {
  const ends = new Map(heard);
  for (const { actionId, endedAt } of newest ?? [])
    if (endedAt !== null) ends.set(actionId, secondOf(endedAt));
  const first = newest === undefined ? since : beginOf(newest, size);
  const times = Array.from({ length: span }, (_, index) => now - span + 1 + index);
  const known = times.filter((at) => at >= Math.min(first, since));
  const counted = new Map<number, number>(known.map((at) => [at, 0]));
  for (const at of ends.values()) {
    const before = counted.get(at);
    if (before !== undefined) counted.set(at, before + 1);
  }
  const total = [...counted.values()].reduce((sum, one) => sum + one, 0);
  return { times, values: times.map((at) => counted.get(at) ?? null), total, known: known.length };
}

/** Second since when a list of up to `size` of the newest has all of them. */
function beginOf(newest: readonly Listed[], size: number): number {
  const oldest = newest.at(-1);
  return newest.length < size || oldest === undefined ? 0 : secondOf(oldest.createdAt);
}
