/**
 * Node opens its inspector at SIGUSR1, which every process of the same user can send, and with it everything that this
 * process holds. A listener stands in the way of that; `--disable-sigusr1` also before this is called.
 */
export function keepInspectorClosed(): void {
  process.on('SIGUSR1', () => undefined);
}
