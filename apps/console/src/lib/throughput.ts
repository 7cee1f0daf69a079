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

/** The actions of which somebody heard that they ended, counted as they are heard. */
export interface Heard {
  readonly has: (actionId: string) => boolean;
  /** By the second in which they ended. */
  readonly counts: ReadonlyMap<number, number>;
  /** One more, or one that ended in another second than was said before. */
  readonly hear: (actionId: string, second: number) => void;
  /** Leaves out what ended up to a second. */
  readonly forget: (upTo: number) => void;
}

/** Has heard of nothing yet. Each event costs the same, however many were heard. */
export function createHeard(): Heard {
  const seconds = new Map<string, number>();
  const counts = new Map<number, number>();
  const add = (second: number, count: number) => counts.set(second, (counts.get(second) ?? 0) + count);
  return {
    has: (actionId) => seconds.has(actionId),
    counts,
    hear(actionId, second) {
      const before = seconds.get(actionId);
      if (before !== undefined) add(before, -1);
      // At the end again: the first are the oldest.
      seconds.delete(actionId);
      seconds.set(actionId, second);
      add(second, 1);
    },
    forget(upTo) {
      for (const [actionId, second] of seconds) {
        if (second > upTo) break;
        seconds.delete(actionId);
      }
      for (const second of counts.keys()) if (second <= upTo) counts.delete(second);
    },
  };
}

/**
 * Counts by the second which actions ended, from events that were heard and from a list of the newest actions: so that
 * what ended before somebody looked is not drawn as if nothing had.
 *
 * @param heard all that ended since `since`
 * @param newest up to `size` of the newest actions; undefined while they are asked for
 */
export function throughputOf(
  { heard, since }: { heard: Pick<Heard, 'has' | 'counts'>; since: number },
  { newest, size }: { newest: readonly Listed[] | undefined; size: number },
  { now, span }: { now: number; span: number },
): Throughput {
  const first = newest === undefined ? since : beginOf(newest, size);
  const times = Array.from({ length: span }, (_, index) => now - span + 1 + index);
  const known = times.filter((at) => at >= Math.min(first, since));
  const counted = new Map<number, number>(known.map((at) => [at, heard.counts.get(at) ?? 0]));
  for (const { actionId, endedAt } of newest ?? []) {
    if (endedAt === null || heard.has(actionId)) continue;
    const at = secondOf(endedAt);
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
