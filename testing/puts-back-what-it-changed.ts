// Setup of every test file. Files share processes, so a changed global state would affect the next file.
import { afterAll, vi } from 'vitest';

/** Globals that tests may replace. */
const globals = ['fetch', 'Date', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'console'];

const before = look();

// Hooks run in reverse order, so this one runs after those of the file.
afterAll(() => {
  const changed: string[] = [];
  if (vi.isFakeTimers()) {
    // With fake timers, other files would wait forever.
    vi.useRealTimers();
    changed.push('fake timers');
  }
  const after = look();
  for (const what of new Set([...before.keys(), ...after.keys()]))
    if (before.get(what) !== after.get(what)) changed.push(what);
  if (changed.length > 0)
    throw new Error(`This file changed the process: ${changed.join(', ')}. Restore the original state.`);
});

/**
 * Values of the process's global state by their descriptions. Excludes listeners, because libraries add some when
 * they are first imported.
 */
function look(): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...globals.map((name) => [`global ${name}`, Reflect.get(globalThis, name)] as const),
    ['the working folder', process.cwd()],
  ]);
}
