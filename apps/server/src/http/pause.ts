/** Yields to other work of the event loop. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
