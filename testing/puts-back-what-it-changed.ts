// Set-up of every test file: files share processes, so that what one changes in its process is changed for the next one.
import { afterAll, vi } from 'vitest';

/** Of all that is global, what tests put others in place of. */
const globals = ['fetch', 'Date', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'console'];

const before = look();

// Hooks run from the last to the first: this one after those of the file.
afterAll(() => {
  const changed: string[] = [];
  if (vi.isFakeTimers()) {
    // Nothing of the other files would go on.
    vi.useRealTimers();
    changed.push('its timers are fake');
  }
  const after = look();
  for (const what of new Set([...before.keys(), ...after.keys()]))
    if (before.get(what) !== after.get(what)) changed.push(what);
  if (changed.length > 0)
    throw new Error(`This file left the process changed: ${changed.join(', ')}. Put it back.`);
});

/** State of the process by words for it. Not its listeners: libraries add some when they are first imported. */
function look(): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...globals.map((name) => [`global ${name}`, Reflect.get(globalThis, name)] as const),
    ['the working folder', process.cwd()],
  ]);
}
