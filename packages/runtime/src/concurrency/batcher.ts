interface Waiting<Item> {
  item: Item;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions<Item> {
  /** Maximum number of items in one batch. */
  limit: number;
  /** Writes all items or none. */
  write: (items: readonly Item[]) => Promise<void>;
  /** Whether a single item may have caused the error. If so, the items are written again, one by one. */
  separate: (error: unknown) => boolean;
}

/**
 * Writes items in batches: items that arrive during a write form the next batch.
 *
 * `#writing` is null while no items are waiting or being written; otherwise it resolves when all items are
 * written.
 */
export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>;
  readonly #waiting: Waiting<Item>[] = [];
  #writing: Promise<void> | null = null;

  constructor(options: BatcherOptions<Item>) {
    this.#options = options;
  }

  /** Resolves when the item has been written, and rejects if its write failed. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#writing ??= this.#run();
    });
  }

  /** Resolves when no write is running. */
  async idle(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #run(): Promise<void> {
    // Items that arrive in this turn of the event loop join the batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, this.#options.limit));
    this.#writing = null;
  }

  async #write(batch: readonly Waiting<Item>[]): Promise<void> {
    const { write, separate } = this.#options;
    try {
      await write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && separate(error)) for (const one of batch) await this.#write([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
