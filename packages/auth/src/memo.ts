/** Remembers what was loaded by key, the most recently used `limit` of it; loads once for all who ask at once. */
export interface Memo<T> {
  get(key: string, load: () => Promise<T | null>): Promise<T | null>;
}

/** Failures and `null` are not remembered. */
export function createMemo<T>(limit: number): Memo<T> {
  const entries = new Map<string, Promise<T | null>>();
  return {
    get(key, load) {
      const known = entries.get(key);
      if (known !== undefined) {
        entries.delete(key);
        entries.set(key, known);
        return known;
      }
      const loading = load();
      entries.set(key, loading);
      if (entries.size > limit) {
        const oldest = entries.keys().next();
        if (!oldest.done) entries.delete(oldest.value);
      }
      const forget = () => {
        if (entries.get(key) === loading) entries.delete(key);
      };
      loading.then((value) => {
        if (value === null) forget();
      }, forget);
      return loading;
    },
  };
}
