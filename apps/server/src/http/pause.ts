/** Lets everybody else have a turn: what waited on the event loop goes first. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
