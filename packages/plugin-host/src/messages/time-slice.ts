import { setImmediate } from 'node:timers';

/** Milliseconds of one event-loop turn for processing plugin messages, over all plugins. */
const longest = 10;

let began: number | undefined;

/** Whether plugin messages have used their share of this event-loop turn. */
export function isSliceOver(): boolean {
  if (began !== undefined) return performance.now() - began >= longest;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return false;
}

/** Resolves in the next time slice, after everything else that waits on the event loop. */
export async function nextSlice(): Promise<void> {
  while (isSliceOver()) await new Promise<void>((resolve) => setImmediate(resolve));
}
