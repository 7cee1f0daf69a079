/** Whose something is, from the widest: an organization, a project of it, a caller there. */
export type Holder = readonly string[];

/** Things held by many, of whom nobody is to hold up the others: how many each holds, and who gives way. */
export interface FairShares<T> {
  readonly size: number;
  /** How many the holder has, or everybody below it. */
  count(holder: Holder): number;
  /** Of one holder in the order of its coming. Returns the way to take it out again, any number of times. */
  add(holder: Holder, item: T): () => void;
  /** Takes the next in turn: holders take turns, and below each of them the next ones do. */
  takeTurn(): T | undefined;
  /**
   * Takes one from who has most, for a newcomer who would still have fewer: of the widest holders first, then below the
   * one found. Undefined where nobody has more than the newcomer would: then that one is too much.
   */
  takeForNewcomer(holder: Holder, which: 'oldest' | 'newest'): T | undefined;
}

interface Branch<T> {
  size: number;
  /** In the order of turns. */
  readonly below: Map<string, Branch<T>>;
  readonly items: Set<{ readonly value: T }>;
}

/** Nothing held by anybody. */
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

  /** From there on down to one holder. */
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
    takeTurn() {
      const { names, at } = descend(root, first);
      const [item] = at.items;
      if (item === undefined) return undefined;
      // Whose turn it was comes last now.
      let parent: Branch<T> | undefined = root;
      for (const name of names) {
        const its: Branch<T> | undefined = parent?.below.get(name);
        parent?.below.delete(name);
        if (its !== undefined) parent?.below.set(name, its);
        parent = its;
      }
      remove(names, item);
      return item.value;
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

function first<T>({ below }: Branch<T>): [string, Branch<T>] | undefined {
  const next = below.entries().next();
  return next.done ? undefined : next.value;
}

function largest<T>({ below }: Branch<T>): [string, Branch<T>] | undefined {
  let most: [string, Branch<T>] | undefined;
  for (const entry of below) if (most === undefined || entry[1].size > most[1].size) most = entry;
  return most;
}
