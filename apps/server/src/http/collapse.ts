/**
 * Returns a function that requests a run of `work`. Runs never overlap: all requests during a run cause one more
 * run.
 */
export function collapse(work: () => Promise<void>, failed: () => void): () => void {
  let running = false;
  let again = false;
  const run = async () => {
    running = true;
    try {
      do {
        again = false;
        await work();
      } while (again);
    } catch {
      failed();
    } finally {
      running = false;
    }
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}
