import type { Readable } from 'node:stream';

/** Milliseconds of work after which a stream rests, as long as the work took. */
const turn = 50;

/** Takes what a stream brings, and leaves at least half of the time to others: whoever writes much waits. */
export function readAtPace(stream: Readable, take: (chunk: Buffer) => void): void {
  let begun = 0;
  let spent = 0;
  stream.on('data', (chunk: Buffer) => {
    const start = performance.now();
    if (start - begun > 2 * turn) {
      begun = start;
      spent = 0;
    }
    take(chunk);
    spent += performance.now() - start;
    if (spent < turn) return;
    stream.pause();
    setTimeout(() => stream.resume(), spent).unref();
    begun = 0;
  });
}

/** The lines of a stream, cut at `longest`. More than `perSecond` bytes wait for the next second. */
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
