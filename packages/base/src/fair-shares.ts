/**
 * Path to the owner of an item: an organization, one of its projects, and a caller in that project. A shorter path is a
 * wider scope.
 */
export type Holder = readonly string[];

/**
 * A queue that alternates between holders (organization, project, caller). It counts the items per holder,
 * and selects the holder that loses an item when the queue is full.
 */
export interface FairShares<T> {
  readonly size: number;
  /** Returns the number of items of the holder and everyone below it. */
  count(holder: Holder): number;
  /**
   * Adds an item; items of one holder stay in order. Returns an idempotent function that removes it again.
   */
  add(holder: Holder, item: T): () => void;
  /**
   * Removes and returns the next item. Alternates between organizations, and then between the projects and callers of
   * each.
   *
   * @param mayTake whether a holder of the widest scope, given by its name, may have a turn; default: all may
   */
  takeTurn(mayTake?: (widest: string) => boolean): { readonly holder: Holder; readonly item: T } | undefined;
  /**
   * Removes and returns an item of the holder with the most items, so that an item of a newcomer can be added. The
   * search starts with the widest holders and continues below the one found. Returns undefined if no holder has more
   * items than the newcomer would have; the caller must then refuse the newcomer.
   */
  takeForNewcomer(holder: Holder, which: 'oldest' | 'newest'): T | undefined;
}

interface Branch<T> {
  size: number;
  /** Holders one level below, in the order of their turns. */
  readonly below: Map<string, Branch<T>>;
  readonly items: Set<{ readonly value: T }>;
}

export function createFairShares<T>(): FairShares<T> {
  const root = branch<T>();

  function wayTo(holder: Holder): Branch<T>[] {
    const way = [root];
    for (const name of holder) {
      const next = way.at(-1)?.below.get(name);
      if (next === undefined) return way;
      way.push(next);
    }
    return way;
  }

  function remove(holder: Holder, item: { readonly value: T }): boolean {
    const way = wayTo(holder);
    if (way.at(-1)?.items.delete(item) !== true) return false;
    for (const [depth, its] of way.entries()) {
      its.size -= 1;
      const name = holder[depth];
      const next = way[depth + 1];
      if (name !== undefined && next?.size === 1) its.below.delete(name);
    }
    return true;
  }

  /** Walks down from a branch to one holder. */
  function descend(from: Branch<T>, choose: (of: Branch<T>) => [string, Branch<T>] | undefined) {
    const names: string[] = [];
    let at = from;
    for (let next = choose(at); next !== undefined; next = choose(at)) {
      names.push(next[0]);
      at = next[1];
    }
    return { names, at };
  }

  return {
    get size() {
      return root.size;
    },
    count(holder) {
      const way = wayTo(holder);
      return way.length === holder.length + 1 ? (way.at(-1)?.size ?? 0) : 0;
    },
    add(holder, value) {
      const item = { value };
      root.size += 1;
      let at = root;
      for (const name of holder) {
        const next = at.below.get(name) ?? branch<T>();
        at.below.set(name, next);
        next.size += 1;
        at = next;
      }
      at.items.add(item);
      return () => void remove(holder, item);
    },
    takeTurn(mayTake = () => true) {
      const { names, at } = descend(root, (of) => first(of, of === root ? mayTake : undefined));
      const [item] = at.items;
      if (item === undefined) return undefined;
      // Moves the holder to the end of the turns.
      let parent: Branch<T> | undefined = root;
      for (const name of names) {
        const its: Branch<T> | undefined = parent?.below.get(name);
        parent?.below.delete(name);
        if (its !== undefined) parent?.below.set(name, its);
        parent = its;
      }
      remove(names, item);
      return { holder: names, item: item.value };
    },
    takeForNewcomer(holder, which) {
      let at = root;
      for (const [depth, name] of holder.entries()) {
        const most = largest(at);
        if (most === undefined) return undefined;
        const own = at.below.get(name);
        if (own !== most[1] && most[1].size > (own?.size ?? 0) + 1) {
          const { names, at: found } = descend(most[1], largest);
          const items = [...found.items];
          const item = which === 'oldest' ? items[0] : items.at(-1);
          if (item === undefined) return undefined;
          remove([...holder.slice(0, depth), most[0], ...names], item);
          return item.value;
        }
        if (own === undefined) return undefined;
        at = own;
      }
      return undefined;
    },
  };
}

function branch<T>(): Branch<T> {
  return { size: 0, below: new Map(), items: new Set() };
}

function first<T>(
  { below }: Branch<T>,
  mayTake: (name: string) => boolean = () => true,
): [string, Branch<T>] | undefined {
  for (const entry of below) if (mayTake(entry[0])) return entry;
  return undefined;
}

function largest<T>({ below }: Branch<T>): [string, Branch<T>] | undefined {
  let most: [string, Branch<T>] | undefined;
  for (const entry of below) if (most === undefined || entry[1].size > most[1].size) most = entry;
  return most;
}
