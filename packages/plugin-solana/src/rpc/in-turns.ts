/**
 * Number of requests of one read that are sent concurrently. More would wait for each other until they time out, and
 * exceed the rate limits of nodes.
 */
const together = 16;

/**
 * Applies `work` to items in order, several concurrently. Once `isOver` returns true or `work` throws, no further
 * items begin; the first ones always do.
 */
export async function inTurns<Item>(
  items: readonly Item[],
  isOver: () => boolean,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let isEnded = false;
  const take = async () => {
    while (!isEnded) {
      const { value, done } = left.next();
      if (done) return;
      try {
        await work(value);
      } catch (error) {
        isEnded = true;
        throw error;
      }
      if (isOver()) isEnded = true;
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, items.length) }, take));
}
