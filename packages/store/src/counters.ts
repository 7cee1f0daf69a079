import { coalesce } from './coalesce.ts';
import type { Queries, Store } from './types.ts';

/**
 * Reads the values of counters, as of the last commit. The value of a counter is 0 until it is first increased. Calls
 * in the same turn of the event loop share one read.
 *
 * `#names` contains all requested names. Each read reads all of these counters.
 */
export class Counters {
  readonly #read: Pick<Queries, 'all'>;
  readonly #names = new Set<string>();
  readonly #all: () => Promise<ReadonlyMap<string, number>>;

  constructor(read: Pick<Queries, 'all'>, ended: Store['ended']) {
    this.#read = read;
    this.#all = coalesce({ ended }, () => this.#values([...this.#names]));
  }

  async value(name: string): Promise<number> {
    this.#names.add(name);
    const values = await this.#all();
    // The shared read may have started before the name was requested.
    return values.get(name) ?? (await this.#values([name])).get(name) ?? 0;
  }

  async #values(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const list = names.map((_, index) => `$${index + 1}`).join(', ');
    const rows = await this.#read.all<{ name: string; value: number }>(
      `SELECT name, value FROM counter WHERE name IN (${list})`,
      names,
    );
    const stored = new Map(rows.map(({ name, value }) => [name, value]));
    return new Map(names.map((name) => [name, stored.get(name) ?? 0]));
  }
}
