import { setImmediate } from 'node:timers';

/** Milliseconds of one turn of the event loop that what plugins send may take, all of them together. */
const longest = 10;

let began: number | undefined;

/** Whether what plugins send has had its part of this turn of the event loop. */
export function isSliceOver(): boolean {
  if (began !== undefined) return performance.now() - began >= longest;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return false;
}

/** Comes back when there is time for what plugins send: what waits on the event loop goes first. */
export async function nextSlice(): Promise<void> {
  while (isSliceOver()) await new Promise<void>((resolve) => setImmediate(resolve));
}
