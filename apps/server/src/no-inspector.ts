/**
 * Keeps SIGUSR1 from opening Node's inspector, which gives every process of the same user access to this process's
 * memory. Before this call, the flag `--disable-sigusr1` has the same effect.
 */
export function keepInspectorClosed(): void {
  process.on('SIGUSR1', () => undefined);
}
