import { setImmediate } from 'node:timers/promises';

/**
 * Loads modules in the given order, each in its own turn of the event loop, and returns the last one. Node loads a module
 * and everything that it imports in one turn, so a large module is preceded by parts that it imports. The caller
 * continues in a turn of its own too.
 */
export async function loadInTurns<Module>(
  parts: readonly (() => Promise<unknown>)[],
  whole: () => Promise<Module>,
): Promise<Module> {
  for (const load of parts) {
    await setImmediate();
    await load();
  }
  await setImmediate();
  const loaded = await whole();
  await setImmediate();
  return loaded;
}
