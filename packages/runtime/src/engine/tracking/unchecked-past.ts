import type { PastRange } from '../../rows/actions/past.ts';

/**
 * The finished actions that have not been compared with the ledger yet, as ranges of each shard.
 *
 * A shard has at most two ranges. Each is read backward from its newest action. If the comparison is restarted before
 * it is complete, a second range begins at the newest action, and the first range continues where it was. So the newest
 * actions never wait for the oldest ones, which are eventually compared even if reorgs are frequent.
 */
export class UncheckedPast {
  #ranges: readonly PastRange[] = [];

  get ranges(): readonly PastRange[] {
    return this.#ranges;
  }

  get shards(): Set<number> {
    return new Set(this.#ranges.map(({ shard }) => shard));
  }

  /** Schedules all actions of these shards, including those that were already compared. */
  restart(shards: readonly number[]): void {
    for (const shard of shards) {
      const own = this.#ranges.filter((one) => one.shard === shard);
      const oldest = own.find(({ until }) => until === null) ?? own[0];
      const at = oldest?.before ?? null;
      this.drop([shard]);
      this.#add({ shard, before: null, until: at });
      if (at !== null) this.#add({ shard, before: at, until: null });
    }
  }

  drop(shards: readonly number[]): void {
    this.#ranges = this.#ranges.filter(({ shard }) => !shards.includes(shard));
  }

  /**
   * After a page was compared, reduces a range to its remaining part, unless the range was restarted or dropped in the
   * meantime.
   */
  advance(range: PastRange, rest: PastRange | null): void {
    this.#ranges = this.#ranges.flatMap((one) => (one === range ? (rest ?? []) : one));
  }

  #add(range: PastRange): void {
    this.#ranges = [...this.#ranges, range];
  }
}
