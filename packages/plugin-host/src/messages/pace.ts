import type { Readable } from 'node:stream';
import { isSliceOver } from './time-slice.ts';

/**
 * Processes a stream in steps. After each step, other work may run for at least as long as the step took, so
 * a heavy writer is slowed down. @param take starts processing a chunk; each of its steps runs separately
 */
export function readAtPace(stream: Readable, take: (chunk: Buffer) => Iterator<void>): void {
  stream.on('data', (chunk: Buffer) => {
    const steps = take(chunk);
    let waits = false;
    const work = () => {
      const start = performance.now();
      while (!isSliceOver()) {
        if (steps.next().done !== true) continue;
        if (waits) stream.resume();
        return;
      }
      waits = true;
      stream.pause();
      setTimeout(work, performance.now() - start).unref();
    };
    work();
  });
}

/** Returns the lines of a stream, cut at `longest`. More than `perSecond` bytes wait for the next second. */
export function readLines(
  stream: Readable,
  { longest, perSecond }: { longest: number; perSecond: number },
  take: (line: string) => void,
): void {
  let rest = '';
  let bytes = 0;
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-longest);
    for (const line of lines.slice(0, 100)) if (line.trim() !== '') take(line.slice(0, longest));
    bytes += text.length;
    if (bytes < perSecond) return;
    bytes = 0;
    stream.pause();
    setTimeout(() => stream.resume(), 1_000).unref();
  });
}
