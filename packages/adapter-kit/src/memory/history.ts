/** Values by key, with the height of each write: past values can be read, and writes can be undone. */
export interface History<Value> {
  /** Returns the value as of a height; the newest if none is given. */
  at(key: string, height?: number): Value | undefined;
  set(key: string, value: Value, height: number): void;
  /** Changes every version of a key, or creates one at height 0. Used for changes outside the chain. */
  rewrite(key: string, change: (value: Value | undefined) => Value): void;
  /** Drops everything written above a height. */
  truncate(height: number): void;
}

interface Version<Value> {
  height: number;
  value: Value;
}

export function createHistory<Value>(): History<Value> {
  const versions = new Map<string, Version<Value>[]>();
  const touched = new Map<number, Set<string>>();

  return {
    at(key, height = Number.MAX_SAFE_INTEGER) {
      return versions.get(key)?.findLast((version) => version.height <= height)?.value;
    },
    set(key, value, height) {
      const list = versions.get(key) ?? [];
      versions.set(key, list);
      const last = list.at(-1);
      if (last?.height === height) last.value = value;
      else list.push({ height, value });
      const keys = touched.get(height) ?? new Set<string>();
      touched.set(height, keys.add(key));
    },
    rewrite(key, change) {
      const list = versions.get(key) ?? [];
      if (list[0]?.height !== 0) list.unshift({ height: 0, value: change(undefined) });
      else list[0].value = change(list[0].value);
      for (const version of list.slice(1)) version.value = change(version.value);
      versions.set(key, list);
    },
    truncate(height) {
      for (const [at, keys] of touched) {
        if (at <= height) continue;
        for (const key of keys) {
          const list = versions.get(key);
          while ((list?.at(-1)?.height ?? -1) > height) list?.pop();
        }
        touched.delete(at);
      }
    },
  };
}
