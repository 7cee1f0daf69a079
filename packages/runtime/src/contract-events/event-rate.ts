/**
 * Average number of event bytes per second and organization, and the time span over which unused bytes accumulate for a
 * burst.
 */
const bytesPerSecond = 1_048_576;
const burstMs = 16_000;

/** Limits how fast each organization's events are read, so that one organization cannot overload the database. */
export class EventRate {
  /** Time at which each organization may read again without exceeding the average, in milliseconds since the epoch. */
  readonly #usedUntil = new Map<string, number>();

  /** Records bytes that were read. */
  add(organization: string, bytes: number, now: number): void {
    const from = Math.max(this.#usedUntil.get(organization) ?? 0, now - burstMs);
    this.#usedUntil.set(organization, from + (bytes / bytesPerSecond) * 1_000);
  }

  /** Returns when reading for the organization may continue, in milliseconds since the epoch. */
  freeAt(organization: string): number {
    return this.#usedUntil.get(organization) ?? 0;
  }

  /** Removes organizations whose full burst is available again. */
  prune(now: number): void {
    for (const [organization, until] of this.#usedUntil) {
      if (until <= now - burstMs) this.#usedUntil.delete(organization);
    }
  }
}
