import { setImmediate } from 'node:timers/promises';

/**
 * Loads modules one after another, each in its own turn of the event loop, and returns the last one. Node loads a
 * module and all of its imports in one turn. Loading parts of a large module first keeps each turn short. The caller
 * also continues in a new turn.
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
