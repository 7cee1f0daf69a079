/** Runs `work` once more if it was requested during a run; never runs it concurrently. */
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
