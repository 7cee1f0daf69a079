import type { KeyModification } from '../chaincode/types.ts';
import type { Entry, State, Versioned } from './state.ts';

/** The state at a height, regardless of later commits. */
export interface Snapshot {
  height: number;
  get(namespace: string, key: string): Versioned | undefined;
  /** Reads lazily, sorted by UTF-8 bytes. `end` is exclusive. If it is empty, the range includes the last key. */
  range(namespace: string, start: string, end: string): Generator<Entry, void>;
  history(namespace: string, key: string): KeyModification[];
}

const pageSize = 100;

/** Returns a snapshot at the given height; `current` returns the ledger's current height. */
export function takeSnapshot(state: State, height: number, current: () => number): Snapshot {
  const get = (namespace: string, key: string) => {
    const now = state.get(namespace, key);
    return current() === height || (now !== undefined && now.version.block < height)
      ? now
      : state.before(height, namespace, key);
  };

  const page = (namespace: string, start: string, after: boolean, end: string) => {
    const rows = state.page(namespace, start, after, end, pageSize);
    const last = rows.length < pageSize ? undefined : rows.at(-1)?.key;
    if (current() === height) return { entries: rows, last };
    const entries = new Map(rows.map((row) => [row.key, row]));
    for (const key of state.writtenSince(height, namespace, start, last ?? end, last !== undefined)) {
      if (after && key === start) continue;
      const then = get(namespace, key);
      if (then === undefined) entries.delete(key);
      else entries.set(key, { key, ...then });
    }
    return { entries: [...entries.values()].sort(byBytes), last };
  };

  return {
    height,
    get,
    *range(namespace, start, end) {
      let from = start;
      let after = false;
      for (;;) {
        const { entries, last } = page(namespace, from, after, end);
        yield* entries;
        if (last === undefined) return;
        from = last;
        after = true;
      }
    },
    history: (namespace, key) => state.history(height, namespace, key),
  };
}

function byBytes(a: Entry, b: Entry): number {
  return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}
