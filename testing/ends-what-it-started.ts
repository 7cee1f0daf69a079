// Setup of every test file. Files share processes, so a resource left open would affect the next file.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** Milliseconds that resources have to finish closing, for example servers and child processes. */
const graceMs = 10_000;

/**
 * Kinds of resources that a file must close. Connections are not included: gRPC leaves connection attempts open after a
 * close, but they have no effect.
 */
const kinds: readonly string[] = ['Timeout', 'Immediate', 'ProcessWrap', 'TCPServerWrap'];

const before = count();

// Hooks run in reverse order, so this one runs after those of the file.
afterAll(async () => {
  const until = performance.now() + graceMs;
  while (more().length > 0 && performance.now() < until) await delay(20);
  const left = more();
  if (left.length > 0)
    throw new Error(`This file left resources open: ${left.join(', ')}. Close them in the file.`);
});

/** Resources that are open now and were not open when the file began, for example "3 Timeout". */
function more(): string[] {
  return [...count()].flatMap(([name, times]) => {
    const added = times - (before.get(name) ?? 0);
    return added > 0 ? [`${added} ${name}`] : [];
  });
}

/** Counts the resources of each kind that keep the process alive. Unreferenced timers are not counted. */
function count(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo())
    if (kinds.includes(name)) counted.set(name, (counted.get(name) ?? 0) + 1);
  return counted;
}
