// Set-up of every test file: files share processes, so that what one leaves running works on in the next one's time.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** Milliseconds for what is ending by itself: servers that were closed, children that were told to end. */
const grace = 10_000;

/** Not its connections: gRPC leaves open what it was connecting to when it was closed, and they do nothing by themselves. */
const told: readonly string[] = ['Timeout', 'Immediate', 'ProcessWrap', 'TCPServerWrap'];

const before = count();

// Hooks run from the last to the first: this one after those of the file.
afterAll(async () => {
  const until = performance.now() + grace;
  while (more().length > 0 && performance.now() < until) await delay(20);
  const left = more();
  if (left.length > 0)
    throw new Error(`This file left running: ${left.join(', ')}. Let it end all that it started.`);
});

/** As "3 Timeout", where there are three more than before the file. */
function more(): string[] {
  return [...count()].flatMap(([name, times]) => {
    const added = times - (before.get(name) ?? 0);
    return added > 0 ? [`${added} ${name}`] : [];
  });
}

/** How often the process is kept alive by each kind of thing; timers that do not keep it are not told. */
function count(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo())
    if (told.includes(name)) counted.set(name, (counted.get(name) ?? 0) + 1);
  return counted;
}
