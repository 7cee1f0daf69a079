import { setImmediate } from 'node:timers';

/** Milliseconds per event-loop turn in which messages of all plugins together may be processed. */
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

/** Resolves in the next time slice, after all other work that waits on the event loop. */
export async function nextSlice(): Promise<void> {
  while (isSliceOver()) await new Promise<void>((resolve) => setImmediate(resolve));
}
