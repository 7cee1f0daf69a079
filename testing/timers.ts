import { vi } from 'vitest';

/**
 * Reports whether timers were started and not cleared. `vi.getTimerCount()` also counts those of other code of
 * this process, such as what earlier test files left. Call it after `vi.useFakeTimers()`.
 *
 * @returns whether a timer of this many milliseconds is left
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
