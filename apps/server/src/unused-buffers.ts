/**
 * Bytes in buffers above which garbage collection runs: 8 MiB; an idle server has 3 MB. V8 does not count
 * buffers as part of its heap, and may keep up to 64 MB of unused ones for minutes.
 */
const limit = 8 * 1_048_576;

/** Runs garbage collection if many bytes are in buffers, such as those of finished requests. */
export async function collectUnusedBuffers(): Promise<void> {
  if (process.memoryUsage().arrayBuffers < limit) return;
  await globalThis.gc?.({ type: 'major', execution: 'async' });
}
