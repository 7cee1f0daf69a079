/** Writes items in batches: what arrives while one is being written goes together in the next. */
export interface Batcher<Item> {
  /** Resolves when the item was written. */
  add(item: Item): Promise<void>;
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>;
}

interface Waiting<Item> {
  item: Item;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface BatcherOptions<Item> {
  /** Items in one batch. */
  limit: number;
  /** Writes all of them or nothing. */
  write: (items: readonly Item[]) => Promise<void>;
  /** Whether one item may be to blame for what went wrong: then each is written by itself. */
  separate: (error: unknown) => boolean;
}

export function createBatcher<Item>({ limit, write, separate }: BatcherOptions<Item>): Batcher<Item> {
  const waiting: Waiting<Item>[] = [];
  let writing: Promise<void> | null = null;

  async function run(): Promise<void> {
    // Everything that arrives in this turn of the loop goes together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await writeBatch(waiting.splice(0, limit));
    writing = null;
  }

  async function writeBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && separate(error)) for (const one of batch) await writeBatch([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        writing ??= run();
      });
    },
    async idle() {
      while (writing !== null) await writing;
    },
  };
}
