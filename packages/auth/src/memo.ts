import QuickLRU from 'quick-lru';

/**
 * Cache of loaded values by key that keeps at least the `limit` most recently used. Concurrent callers share
 * one load.
 */
export interface Memo<T> {
  get(key: string, load: () => Promise<T | null>): Promise<T | null>;
}

/** Failures and `null` are not cached. */
export function createMemo<T>(limit: number): Memo<T> {
  const entries = new QuickLRU<string, Promise<T | null>>({ maxSize: limit });
  return {
    get(key, load) {
      const known = entries.get(key);
      if (known !== undefined) return known;
      const loading = load();
      entries.set(key, loading);
      const forget = () => {
        if (entries.peek(key) === loading) entries.delete(key);
      };
      loading.then((value) => {
        if (value === null) forget();
      }, forget);
      return loading;
    },
  };
}
