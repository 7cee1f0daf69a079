import { vi } from 'vitest';

/**
 * Detects timers that were started but not cleared. Call it after `vi.useFakeTimers()`. `vi.getTimerCount()` would also
 * count timers of other code in this process, such as those that earlier test files left.
 *
 * @returns a function that reports whether a timer of this many milliseconds was not cleared; throws if none was started
 */
export function watchTimers(): (milliseconds: number) => boolean {
  const set = vi.spyOn(globalThis, 'setTimeout');
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  return (milliseconds) => {
    const started = set.mock.calls.flatMap(([, limit], at) =>
      limit === milliseconds ? [set.mock.results[at]?.value] : [],
    );
    if (started.length === 0) throw new Error(`No timer of ${milliseconds} ms was started.`);
    return started.some((timer) => !clear.mock.calls.some(([cleared]) => cleared === timer));
  };
}
